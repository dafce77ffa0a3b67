import Foundation
import Testing

/// Interchange streams of an app that only a profile describes, as people run the commands: in pipes.
@Suite struct ProfiledStreamCommandTests {
  private let app: ProfiledApp
  private let folder: String
  private let profile: String
  private let target: String

  init() throws {
    app = try ProfiledApp("notes")
    folder = app.folder
    profile = app.profile
    target = app.place.url.appending(path: "other").path
  }

  /// Runs a line of a shell in which commands are found by their names, `$P` is the profile, `$F` the
  /// folder and `$T` another one that is not there yet.
  private func shell(_ line: String) throws -> CommandRun {
    try run(
      URL(filePath: "/bin/sh"),
      [
        "-c", #"P="$1" F="$2" T="$3" PATH="$4:$PATH"; export PATH; "# + line, "sh", profile, folder,
        target, BuiltCommands.directory.path,
      ], input: nil)
  }

  private func documents(of directory: String) throws -> [String: Data] {
    var documents: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory)
    where path.hasSuffix(".automerge") && !path.hasPrefix(".") {
      documents[path] = try Data(contentsOf: URL(filePath: directory + "/" + path))
    }
    return documents
  }

  @Test func `a pipe from folder to folder makes the documents of an import in place`() throws {
    let piped = try shell(
      #"export-json "$F" --profile "$P" | import-crdt - --into "$T" --profile "$P""#)
    #expect(piped.status == 0, "\(piped.errors)")
    #expect(piped.output.contains("note         5         5\n"))
    // What an export says goes to standard error, where its data goes to standard output.
    #expect(
      piped.errors.contains("Exported 5 note entities, 3 notebook entities, 1 settings entity ("))
    #expect(try run("import-crdt", folder, "--profile", profile).status == 0)
    #expect(try documents(of: target) == documents(of: folder))
    #expect(try documents(of: target).count == 6)

    let back = try shell(
      #"export-json "$T" --profile "$P" --quiet | verify-counts "$F" --against - --profile "$P""#)
    #expect(back.status == 0 && back.output.contains("Everything is there and equal"))
  }

  @Test func `lines that jq takes away are told by both sides`() throws {
    try #require(FileManager.default.isExecutableFile(atPath: "/usr/bin/jq"))
    _ = try run("import-crdt", folder, "--profile", profile)
    let filter = #"jq -c 'select(.stream or .end or .kind == "notebook")'"#
    let imported = try shell(
      #"export-json "$F" --profile "$P" -q | "# + filter
        + #" | import-crdt - --into "$T" --profile "$P""#)
    #expect(imported.status == 0)
    #expect(
      imported.output.contains(
        "warning filtered: standard input: holds 3 entities, its last line says 9"))
    #expect(try documents(of: target).keys.sorted() == ["notebooks.automerge"])
    let verified = try shell(
      #"export-json "$F" --profile "$P" -q | "# + filter
        + #" | verify-counts "$F" --against - --profile "$P" --json"#)
    #expect(verified.status == 1)
    let extra = verified.jsonLines.filter { $0["code"] as? String == "extra-entity" }
    #expect(extra.count == 6)
    #expect(extra.contains { ($0["message"] as? String)?.contains("settings singleton") == true })
  }

  @Test func `a changed value is told with its field`() throws {
    try #require(FileManager.default.isExecutableFile(atPath: "/usr/bin/jq"))
    _ = try run("import-crdt", folder, "--profile", profile)
    let changed = try shell(
      #"export-json "$F" --profile "$P" -q | jq -c 'if .id == "Travel" then .fields.order = 7 else . end'"#
        + #" | verify-counts "$F" --against - --profile "$P""#)
    #expect(changed.status == 1)
    #expect(changed.output.contains("notebooks.json#/notebooks/1"))
    #expect(changed.output.contains("order"))
  }

  @Test func `without its profile a stream is refused with what to do`() throws {
    let plain = try SmallFolder()
    for (call, status) in [
      (#"import-crdt - --into "$T""#, 78), (#"verify-counts '\#(plain.path)' --against -"#, 78),
    ] {
      let run = try shell(#"export-json "$F" --profile "$P" -q | "# + call)
      #expect(Int(run.status) == status, "\(run.errors)")
      #expect(
        run.errors.contains(#"standard input: line 1: profile "notes", expected minuta"#),
        "\(run.errors)")
      #expect(run.errors.contains(#"--profile FILE, the profile file of "notes""#))
    }
    let other = try shell(
      #"export-json '"# + plain.path + #"' -q | import-crdt - --into "$T" --profile "$P""#)
    #expect(other.status == 78 && other.errors.contains(#"profile "minuta", expected notes"#))
    #expect(other.errors.contains("run the command again without --profile"))
    #expect(try documents(of: target).isEmpty)
  }

  @Test func `an older profile does not read what a newer one wrote, the other way is fine`() throws
  {
    let older = ProfiledApp.fixtures.appending(path: "notes/profile-1.json").path
    let refused = try shell(
      #"export-json "$F" --profile "$P" -q | import-crdt - --into "$T" --profile '"# + older + "'")
    #expect(refused.status == 78)
    #expect(
      refused.errors.contains(
        #"the stream has "pinned" of kind note, which the profile does not declare"#),
      "\(refused.errors)")
    let read = try shell(
      #"export-json "$F" -q --profile '"# + older + #"' | import-crdt - --into "$T" --profile "$P""#
    )
    #expect(read.status == 0, "\(read.errors)")
  }

  @Test func `a torn stream leaves nothing behind`() throws {
    let torn = try shell(
      #"export-json "$F" --profile "$P" -q | head -n 4 | import-crdt - --into "$T" --profile "$P""#)
    #expect(torn.status == 65, "\(torn.errors)")
    #expect(torn.errors.contains("the stream is cut off, its last line is missing"))
    #expect(try documents(of: target).isEmpty)
  }

  @Test func `one document, documents between folders, and a backup`() throws {
    _ = try run("import-crdt", folder, "--profile", profile)
    let one = try shell(#"export-json "$F/notebooks.automerge" --profile "$P" -q"#)
    #expect(one.status == 0 && one.output.contains(#""place":"notebooks.json#/notebooks/-""#))
    #expect(one.output.hasSuffix(#"{"end":true,"entities":3}"# + "\n"))

    let refused = try shell(#"import-crdt "$F" --into "$T" --profile "$P""#)
    #expect(refused.status == 78 && refused.errors.contains("--flatten"))
    #expect(try shell(#"import-crdt "$F" --into "$T" --flatten --profile "$P""#).status == 0)
    #expect(try documents(of: target) == documents(of: folder))
    // What notes name is not copied, and that is an error as long as it is there.
    let unlike = try shell(#"verify-counts "$T" --against "$F" --profile "$P" -q"#)
    #expect(unlike.status == 1 && unlike.errors.contains("copy \(folder)/attachments/plan.txt"))
    #expect(try shell(#"cp -R "$F/attachments" "$T""#).status == 0)
    #expect(try shell(#"verify-counts "$T" --against "$F" --profile "$P" -q"#).status == 0)

    let packed = try run("pack-backup", folder, "--print-path")
    #expect(packed.status == 0, "\(packed.errors)")
    let path = packed.output.trimmingCharacters(in: .whitespacesAndNewlines)
    let verified = try run("verify-counts", target, "--against", path, "--profile", profile)
    #expect(verified.status == 0, "\(verified.output) \(verified.errors)")
  }

  @Test func `a dry run writes no line`() throws {
    let plan = try shell(#"export-json "$F" --profile "$P" --dry-run"#)
    #expect(plan.status == 0 && plan.output.isEmpty)
    #expect(plan.errors.contains("Would export 5 note entities"))
  }
}
