import Automerge
import Foundation
import Testing

/// `repair-crdt` and `inspect-crdt --sizes` on documents of an app that only a profile describes.
@Suite struct ProfiledRepairCommandTests {
  private let app: ProfiledApp
  private let folder: String
  private let profile: String

  init() throws {
    app = try ProfiledApp("notes")
    folder = app.folder
    profile = app.profile
    #expect(try run("import-crdt", folder, "--profile", profile).status == 0)
  }

  private func entities(of run: CommandRun) -> [String: String] {
    var kinds: [String: String] = [:]
    for line in run.jsonLines where line["type"] as? String == "entity" {
      if let id = line["id"] as? String { kinds[id] = line["kind"] as? String }
    }
    return kinds
  }

  @Test func `what is salvaged has the names of its kinds, by the path or by the properties`()
    throws
  {
    let elsewhere = app.place.url.appending(path: "x.automerge").path
    try FileManager.default.copyItem(atPath: folder + "/notebooks.automerge", toPath: elsewhere)
    for file in [folder + "/notebooks.automerge", elsewhere] {
      let run = try run(
        "repair-crdt", file, "--profile", profile, "-o", file + ".new", "--json")
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        entities(of: run) == ["Inbox": "notebook", "Küche": "notebook", "Travel": "notebook"])
    }
    // Nothing else says that these keys are identities.
    let plain = try run("repair-crdt", elsewhere, "-o", elsewhere + ".2", "--json")
    #expect(Set(entities(of: plain).values) == ["other"])
    let settings = try run(
      "repair-crdt", folder + "/settings.automerge", "--profile", profile, "-o",
      elsewhere + ".3", "--json")
    #expect(entities(of: settings) == ["singleton": "settings"])
  }

  @Test func `of a damaged document the report names what every entity of the kind has`() throws {
    let path = folder + "/documents/2025-01.automerge"
    let whole = try [UInt8](Data(contentsOf: URL(filePath: path)))
    var missing: Set<String> = []
    for offset in stride(from: whole.count / 3, to: whole.count, by: 13) {
      var bytes = whole
      bytes[offset] ^= 0x41
      try Data(bytes).write(to: URL(filePath: path))
      let run = try run(
        "repair-crdt", path, "--profile", profile, "-o", path + ".new", "--json", "--dry-run")
      for line in run.jsonLines where line["type"] as? String == "entity" {
        let kind = line["kind"] as? String
        #expect(["note", "entity", "other"].contains(kind), "\(offset)")
        if kind == "note" { missing.formUnion(line["lostFields"] as? [String] ?? []) }
      }
    }
    #expect(!missing.isEmpty)
  }

  @Test func `what is shown to others keeps the names of properties and nothing of their values`()
    throws
  {
    let path = folder + "/documents/2025-01.automerge"
    let target = app.place.url.appending(path: "anonymous.automerge")
    let run = try run(
      "repair-crdt", path, "--anonymize", "--profile", profile, "-o", target.path)
    #expect(run.status == 0, "\(run.errors)")
    let original = try Document(Data(contentsOf: URL(filePath: path)))
    let anonymous = try Document(Data(contentsOf: target))
    let identities = anonymous.keys(obj: .ROOT)
    #expect(identities.count == 2 && Set(identities).isDisjoint(with: original.keys(obj: .ROOT)))
    var names: Set<String> = []
    for identity in identities {
      guard case .Object(let map, .Map)? = try anonymous.get(obj: .ROOT, key: identity) else {
        Issue.record("no entity")
        continue
      }
      names.formUnion(anonymous.keys(obj: map))
    }
    #expect(Set(["body", "created", "title", "links"]).isSubset(of: names))
    // What the profile does not name may say something.
    #expect(!names.contains("mood") && !names.contains("draft"))
    for text in ["Lisbon", "Porto", "Tram", "tram.jpg"] {
      #expect(try Data(contentsOf: target).firstRange(of: Data(text.utf8)) == nil)
    }
  }

  @Test func `sizes count the entities of every kind`() throws {
    let sizes = try run("inspect-crdt", "--sizes", folder, "--profile", profile, "--json")
    #expect(sizes.status == 0 && sizes.summary?["entities"] as? Int == 9, "\(sizes.output)")
    let refused = try run("inspect-crdt", folder + "/notebooks.automerge", "--profile", profile)
    #expect(refused.status == 64 && refused.errors.contains("--profile goes with --sizes"))
  }
}
