import Automerge
import Foundation
import Testing

/// `merge-conflicts --resolve`, as a user runs it.
@Suite struct ResolveConflictTests {
  private func conflicts(_ folder: ReportedFolder) throws -> Int {
    let run = try run(
      "inspect-crdt", folder.folder.file(ReportedFolder.document).path, "--conflicts")
    let list = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [Any]
    return try #require(list).count
  }

  private func shown(_ folder: ReportedFolder) throws -> String {
    try run("inspect-crdt", folder.folder.file(ReportedFolder.document).path, "--plain").output
  }

  @Test(arguments: [["--keep-this"], ["--keep-other"], ["from home"], ["\"from home\""]])
  func `a decision is written, told, and in the history`(choice: [String]) throws {
    let folder = try ReportedFolder()
    #expect(try conflicts(folder) == 1)
    let arguments = [folder.path, "--resolve", SmallFolder.firstID, "comment"] + choice
    let command = BuiltCommands.directory.appending(path: "merge-conflicts")
    let before = try folder.folder.snapshot()
    let plan = try run(command, arguments + ["--dry-run"], input: nil)
    #expect(plan.status == 0, "\(plan.errors)")
    #expect(plan.output.contains("Would write"))
    #expect(try folder.folder.snapshot() == before)
    let done = try run(command, arguments + ["--json"], input: nil)
    #expect(done.status == 0, "\(done.errors)")
    let decision = try #require(done.jsonLines.first)
    #expect(decision["type"] as? String == "decision")
    #expect(decision["written"] as? Bool == true)
    let kept = try #require(decision["kept"] as? String)
    let expected = ["--keep-this": "from the bus", "--keep-other": "from the desk"]
    #expect(kept == expected[choice[0]] ?? "from home")
    #expect(try conflicts(folder) == 0)
    #expect(try shown(folder).contains(kept))
    let history = try run("inspect-crdt", "--history", folder.path)
    #expect(history.output.contains("merge-conflicts"))
    let settled = try folder.folder.snapshot()
    let again = try run(command, arguments, input: nil)
    #expect(again.status == 0)
    #expect(again.output.contains("Nothing to do"))
    #expect(try folder.folder.snapshot() == settled)
    #expect(try run("verify-counts", folder.path).status == 0)
  }

  @Test func `two replicas that resolve differently still merge`() throws {
    let (here, there) = (try ReportedFolder(), try SmallFolder())
    try FileManager.default.removeItem(at: there.url)
    try FileManager.default.copyItem(at: here.folder.url, to: there.url)
    for (path, choice) in [(here.path, "--keep-this"), (there.path, "--keep-other")] {
      let run = try run(
        "merge-conflicts", path, "--resolve", SmallFolder.firstID, "comment", choice)
      #expect(run.status == 0, "\(run.errors)")
    }
    try FileManager.default.copyItem(
      at: there.file(ReportedFolder.document), to: here.folder.file("records/2024/01 2.automerge"))
    #expect(try run("merge-conflicts", here.path).status == 0)
    #expect(try conflicts(here) == 1)
    #expect(
      try run(
        "merge-conflicts", here.path, "--resolve", SmallFolder.firstID, "comment", "--keep-this"
      ).status == 0)
    #expect(try conflicts(here) == 0)
  }

  @Test func `what is not in conflict, or not there, is refused with what is`() throws {
    let folder = try ReportedFolder(values: ["a", "b", "c"])
    let before = try folder.folder.snapshot()
    for (arguments, words) in [
      ([SmallFolder.firstID, "comment", "--keep-other"], #""a""#),
      ([SmallFolder.firstID, "tagId", "another"], "has one value"),
      ([SmallFolder.firstID, "commment", "--keep-this"], "in conflict: comment"),
      (["00000000-0000-0000-0000-000000000000", "comment", "--keep-this"], "no document"),
    ] {
      let run = try run(
        BuiltCommands.directory.appending(path: "merge-conflicts"),
        [folder.path, "--resolve"] + arguments, input: nil)
      #expect(run.status == 78, "\(arguments): \(run.errors)")
      #expect(run.errors.contains(words), "\(run.errors)")
      #expect(run.errors.contains("next: "), "\(run.errors)")
    }
    #expect(try folder.folder.snapshot() == before)
  }

  @Test func `what is advised about an unknown id shows which there are`() throws {
    let folder = try ReportedFolder()
    let place = try TemporaryDirectory()
    let run = try run(
      "merge-conflicts", folder.path, "--resolve", "nope", "comment", "--keep-this")
    #expect(run.status == 78, "\(run.errors)")
    let advice = try #require(run.errors.firstMatch(of: /next: (report-folder .*) makes a page/))
    let path = BuiltCommands.directory.path + ":/usr/bin:/bin"
    let shown = try CommandTests.run(
      URL(filePath: "/usr/bin/env"), ["PATH=\(path)", "/bin/sh", "-c", String(advice.1)],
      input: nil, in: place.url)
    #expect(shown.status <= 1, "\(shown.errors)")
    let page = try String(
      contentsOf: place.url.appending(path: "conflicts.html"), encoding: .utf8)
    #expect(page.contains("\(SmallFolder.firstID) has several values of comment"), "\(page)")
  }

  @Test func `a document that cannot be read is told beside the decision`() throws {
    let folder = try ReportedFolder()
    try folder.folder.write("no document", to: "records/2024/03.automerge")
    for options in [["--dry-run"], [], []] {
      let run = try run(
        BuiltCommands.directory.appending(path: "merge-conflicts"),
        [folder.path, "--resolve", SmallFolder.firstID, "comment", "--keep-this", "--json"]
          + options, input: nil)
      #expect(run.status == 1, "\(run.output)\(run.errors)")
      #expect(
        run.jsonLines.contains {
          $0["code"] as? String == "damaged-document"
            && $0["path"] as? String == "records/2024/03.automerge"
        }, "\(run.output)")
    }
    #expect(try conflicts(folder) == 0)
  }

  @Test func `the first digits of an id are not enough beside a document that cannot be read`()
    throws
  {
    let folder = try ReportedFolder()
    let digits = String(SmallFolder.firstID.prefix(13))
    let command = BuiltCommands.directory.appending(path: "merge-conflicts")
    let choice = ["comment", "--keep-this", "--dry-run"]
    #expect(try run(command, [folder.path, "--resolve", digits] + choice, input: nil).status == 0)
    try folder.folder.write("no document", to: "records/2024/03.automerge")
    let before = try folder.folder.snapshot()
    for options in [["--dry-run"], []] {
      let run = try run(
        command, [folder.path, "--resolve", digits, "comment", "--keep-this"] + options, input: nil)
      #expect(run.status == 78, "\(run.output)\(run.errors)")
      #expect(run.errors.contains("records/2024/03.automerge"), "\(run.errors)")
      #expect(
        run.errors.contains("next: give the whole id, \(SmallFolder.firstID)"), "\(run.errors)")
    }
    #expect(try folder.folder.snapshot() == before)
    let whole = try run(
      command, [folder.path, "--resolve", SmallFolder.firstID] + choice, input: nil)
    #expect(whole.status == 1, "\(whole.output)\(whole.errors)")
  }

  /// A folder in whose record two devices put something else in the first place of a list.
  private func listFolder(
    _ put: (Document, _ list: ObjId, _ name: String) throws -> Void
  ) throws -> ReportedFolder {
    let folder = try ReportedFolder()
    let url = folder.folder.file(ReportedFolder.document)
    try editAsApp(url, by: "carl") { document in
      guard case .Object(let record, .Map)? = try document.get(obj: .ROOT, key: SmallFolder.firstID)
      else { throw CocoaError(.fileReadCorruptFile) }
      let list = try document.putObject(obj: record, key: "steps", ty: .List)
      try document.insert(obj: list, index: 0, value: .String("first"))
      try document.insert(obj: list, index: 1, value: .String("second"))
    }
    let copies = try ["anna", "bert"].map { name in
      let copy = folder.folder.file("copy-\(name)")
      try editAsApp(url, copiedTo: copy, by: name) { document in
        guard case .Object(let record, _)? = try document.get(obj: .ROOT, key: SmallFolder.firstID),
          case .Object(let list, _)? = try document.get(obj: record, key: "steps")
        else { throw CocoaError(.fileReadCorruptFile) }
        try put(document, list, name)
      }
      return copy
    }
    let document = try Document(try Data(contentsOf: copies[0]))
    try document.merge(other: try Document(try Data(contentsOf: copies[1])))
    try document.save().write(to: url)
    for copy in copies { try FileManager.default.removeItem(at: copy) }
    return folder
  }

  private func steps(_ folder: ReportedFolder) throws -> [Any] {
    let text = try shown(folder)
    let root = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let record = root?[SmallFolder.firstID] as? [String: Any]
    return try #require(record?["steps"] as? [Any])
  }

  @Test(arguments: [("--keep-this", "bert"), ("--keep-other", "anna")])
  func `an element that is an object is decided, too`(choice: String, name: String) throws {
    let folder = try listFolder { document, list, name in
      let step = try document.putObject(obj: list, index: 0, ty: .Map)
      try document.put(obj: step, key: "by", value: .String(name))
      let notes = try document.putObject(obj: step, key: "notes", ty: .List)
      try document.insert(obj: notes, index: 0, value: .String("note of \(name)"))
    }
    let before = try conflicts(folder)
    let run = try run(
      "merge-conflicts", folder.path, "--resolve", SmallFolder.firstID, "steps.0", choice)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try conflicts(folder) == before - 1)
    let steps = try steps(folder)
    #expect(steps.count == 2 && steps[1] as? String == "second")
    let step = try #require(steps[0] as? [String: Any])
    #expect(step["by"] as? String == name)
    #expect(step["notes"] as? [String] == ["note of \(name)"])
  }

  @Test func `a text in a list gets the value that was given`() throws {
    let folder = try listFolder { document, list, name in
      let text = try document.putObject(obj: list, index: 0, ty: .Text)
      try document.spliceText(obj: text, start: 0, delete: 0, value: "by \(name)")
    }
    let run = try run(
      "merge-conflicts", folder.path, "--resolve", SmallFolder.firstID, "steps.0", "by both")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try steps(folder).map { $0 as? String } == ["by both", "second"])
  }

  @Test(arguments: ["-5", " -5", "-5.0"])
  func `a number that begins with a minus is a value`(value: String) throws {
    let folder = try listFolder { document, list, name in
      try document.put(obj: list, index: 0, value: .F64(name == "anna" ? -5 : 7))
    }
    for options in [["--dry-run"], ["-q"]] {
      let run = try run(
        BuiltCommands.directory.appending(path: "merge-conflicts"),
        [folder.path, "--resolve", SmallFolder.firstID, "steps.0", value] + options, input: nil)
      #expect(run.status == 0, "\(run.output)\(run.errors)")
    }
    #expect(try steps(folder)[0] as? Double == -5)
  }

  @Test func `a text that looks like a number keeps no space`() throws {
    let folder = try listFolder { document, list, name in
      try document.put(obj: list, index: 0, value: .String(name))
    }
    let run = try run(
      "merge-conflicts", folder.path, "--resolve", SmallFolder.firstID, "steps.0", "-5")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try steps(folder)[0] as? String == "-5")
  }

  @Test(arguments: [
    ["--keep-this"], ["--resolve", "a"], ["--resolve", "a", "b"],
    ["--resolve", "a", "b", "c", "--keep-this"], ["--resolve", "a", "b", "c", "d"],
    ["--resolve", "a", "b", "--keep-this", "--keep-other"],
    ["--resolve", "a", "b", "c", "--watch"], ["--resolve", "a", "b", "c", "--unify"],
  ])
  func `a call that says too little or too much is wrong usage`(arguments: [String]) throws {
    let run = try run(
      BuiltCommands.directory.appending(path: "merge-conflicts"), ["/nowhere"] + arguments,
      input: nil)
    #expect(run.status == 64, "\(run.errors)")
  }
}
