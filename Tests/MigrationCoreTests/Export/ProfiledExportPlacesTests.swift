import Automerge
import Diagnostics
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// Documents that hold what no app wrote, and entities whose identity makes an odd name.
@Suite struct ProfiledExportPlacesTests {
  /// A profile of cards, one file each, known by any text.
  private static func cards(
    _ paths: [String] = ["cards/*.json"], identity: String = #"{"type":"string","property":"key"}"#,
    files: String = "", document: String = #"{"path":"cards.automerge"}"#
  ) throws -> Profile {
    let patterns = paths.map { "\"\($0)\"" }.joined(separator: ",")
    return try Profile(
      parsing: Array(
        """
        {"profile":"cards","version":1,"kinds":[{"kind":"card","identity":\(identity),
        "files":{"paths":[\(patterns)]\(files)},"document":\(document),
        "properties":{"note":{"type":"string"}}}]}
        """.utf8), of: "cards")
  }

  /// A folder whose document was made by the app alone.
  private static func folder(
    _ profile: Profile, _ keys: [String], in path: String = "cards.automerge"
  ) throws -> ProfiledFolder {
    let folder = try ProfiledFolder(profile)
    try folder.folder.write([UInt8](Document().save()), to: path)
    for key in keys { try folder.add(key, ["note": .String("of \(key.prefix(9))")], to: path) }
    return folder
  }

  // MARK: Names

  @Test func `identities that are no names of files get others, and come back`() throws {
    let keys = [
      "a/b", "..", ".", ".hidden", "a\\b:c*?\"<>|%", "Card", "card", "CARD", "é", "e\u{301}", " ",
      "a ",
      "\u{1}\n", String(repeating: "x", count: 300), String(repeating: "x", count: 301),
      String(repeating: "é", count: 200), "X 2", "X", "~old.tmp", "CON", "note~20250101-101010",
      "日本",
    ]
    let folder = try Self.folder(Self.cards(), keys)
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    #expect(report.counts == [keys.count])
    #expect(report.findings.count == keys.count)
    #expect(report.findings.allSatisfy { $0.code == .nameDerived && $0.severity == .info })
    let files = try target.files()
    #expect(files.count == keys.count)
    #expect(files.keys.allSatisfy { $0.hasPrefix("cards/") && $0.hasSuffix(".json") })
    #expect(Set(files.keys.map { $0.lowercased() }).count == keys.count)
    #expect(files.keys.allSatisfy { $0.dropFirst(6).utf8.count <= 255 && !$0.contains("/.") })
    for name in ["CARD", "日本", "a%2fb", "%2e.", "%2ehidden", "%7eold.tmp", "%20", "X", "X 2"] {
      #expect(files["cards/\(name).json"] != nil, "\(name)")
    }

    let again = try folder.app(in: target)
    let imported = try again.importing()
    #expect(imported.counts[0].imported == keys.count && !imported.endsWithDifferences)
    // What was exported is there as it was: another export has no name to make up.
    let second = try again.exporting(to: target)
    #expect(second.filesUnchanged == keys.count && second.findings.isEmpty)
  }

  @Test func `a name that is made up takes no file that was another entity's`() throws {
    let folder = try Self.folder(Self.cards(), ["one"])
    try folder.folder.write(#"{"key":"two"}"#, to: "cards/One.json")
    try folder.folder.write(
      #"{"key":"gone"}"#,
      to: ".automerge-migrate.nosync/quarantine/20260106T120000Z/cards/one.json")
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    #expect(report.counts == [2])
    let files = try target.files()
    #expect(files["cards/One.json"] == Array("{\"key\":\"two\"}\n".utf8))
    #expect(files.count == 2 && files["cards/one.json"] == nil)
    #expect(files.keys.contains { $0.hasPrefix("cards/one_") })
  }

  @Test func `two entities of one old file do not get the same one`() throws {
    let folder = try Self.folder(Self.cards(), ["old", "new"])
    try folder.folder.write(#"{"key":"new"}"#, to: "cards/file.json")
    try folder.folder.write(
      #"{"key":"old"}"#,
      to: ".automerge-migrate.nosync/quarantine/20260106T120000Z/cards/file.json")
    let target = try TestFolder("out")
    try folder.exporting(to: target)
    #expect(try target.text("cards/file.json").contains(#""key":"new""#))
    #expect(try target.text("cards/old.json").contains(#""key":"old""#))
  }

  @Test(arguments: [
    (["cards/**/*.json"], "cards/k.json"), (["cards/*/card.json"], "cards/k/card.json"),
    (["cards/**/card.json"], "cards/k/card.json"), (["a*/b-*-c"], "a/b-k-c"),
    (["*/*.card", "cards/*.json"], "k/k.card"), (["one-*.json"], "one-k.json"),
  ])
  func `the identity stands where the pattern leaves it open`(_ paths: [String], _ path: String)
    throws
  {
    let folder = try Self.folder(Self.cards(paths), ["k"])
    let target = try TestFolder("out")
    try folder.exporting(to: target)
    #expect(try Array(target.files().keys) == [path])
    #expect(try folder.app(in: target).importing().counts[0].imported == 1)
  }

  @Test func `the month of the document stands in the path`() throws {
    let profile = try Self.cards(
      ["{year}/{month}-*/*.json", "undated/*.json"],
      document: #"{"path":"{year}-{month}.automerge","undated":"undated.automerge"}"#)
    let folder = try Self.folder(profile, ["k"], in: "2024-03.automerge")
    try folder.folder.write([UInt8](Document().save()), to: "undated.automerge")
    try folder.add("u", [:], to: "undated.automerge")
    let target = try TestFolder("out")
    #expect(try folder.exporting(to: target).counts == [2])
    #expect(try target.files().keys.sorted() == ["2024/03-/k.json", "undated/u.json"])
    let again = try folder.app(in: target)
    try again.importing()
    #expect(try again.documents().keys.sorted() == ["2024-03.automerge", "undated.automerge"])
  }

  @Test func `an entity that its app moved to another month goes to the file of that month`() throws
  {
    let profile = try Self.cards(
      ["log/{year}-{month}.json"], files: #","elements":"/days","stays":["/v"]"#,
      document: #"{"path":"{year}-{month}.automerge"}"#)
    let folder = try ProfiledFolder(profile)
    try folder.folder.write(#"{"v":1,"days":[{"key":"a"},{"key":"b"}]}"#, to: "log/2024-01.json")
    try folder.folder.write(#"{"v":2,"days":[{"key":"z"}]}"#, to: "log/2024-02.json")
    try folder.importing()
    for isSetAside in [false, true] {
      if isSetAside { try folder.setJSONAside() }
      try folder.change("2024-01.automerge") { try $0.delete(obj: .ROOT, key: "a") }
      try folder.add("a", ["note": .String("moved")], to: "2024-02.automerge")
      let target = try TestFolder("out")
      let report = try folder.exporting(to: target)
      #expect(report.counts == [3] && report.findings.allSatisfy { $0.code == .deleted })
      #expect(
        try target.text("log/2024-01.json") == #"{"v":1,"days":[{"key":"b"}]}"# + "\n")
      #expect(
        try target.text("log/2024-02.json")
          == #"{"v":2,"days":[{"key":"z"},{"key":"a","note":"moved"}]}"# + "\n")
    }
  }

  @Test func `a document that belongs to no kind is told`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.folder.write(
      folder.folder.bytes("notebooks.automerge"), to: "documents/mine.automerge")
    let report = try folder.exporting(to: TestFolder("out"))
    #expect(report.endsWithDifferences && report.counts == [5, 3, 1])
    #expect(
      report.findings.contains { $0.path == "documents/mine.automerge" && $0.severity == .error })
  }

  @Test func `one file has one entity, and another one is told`() throws {
    let folder = try Self.folder(Self.cards(["card.json"]), ["one", "two"])
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    #expect(report.counts == [1] && report.endsWithDifferences)
    let told = try #require(report.findings.first { $0.code == .notExported })
    #expect(told.message == "card two is not exported: another entity has its file card.json")
    #expect(try target.text("card.json") == "{\"key\":\"one\",\"note\":\"of one\"}\n")
  }

  // MARK: What is no entity

  @Test func `what is no path of a file of the kind is told, and nothing leaves the folder`() throws
  {
    let keys = [
      "../out", "/etc/passwd", "cards/../../x", "cards/.hidden/x", "elsewhere/x", "cards", "cards/",
      "cards/a\u{0}b", "cards/" + String(repeating: "x", count: 260), "cards/ok", "cards/e\u{301}",
    ]
    let folder = try Self.folder(
      Self.cards(["cards/**/*.json"], identity: #"{"type":"file"}"#), keys)
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    #expect(report.counts == [1] && report.endsWithDifferences)
    #expect(try Array(target.files().keys) == ["cards/ok.json"])
    let told = report.findings.filter { $0.code == .notExported && $0.severity == .error }
    #expect(told.count == keys.count - 1)
    #expect(told.allSatisfy { $0.message.contains("the profile has no file for it") })
  }

  @Test func `keys that are no identities and entities that are no maps are told`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.change("documents/2025-01.automerge") { document in
      try document.put(obj: .ROOT, key: "no uuid", value: .Int(1))
      _ = try document.putObject(obj: .ROOT, key: "", ty: .Map)
      try document.put(
        obj: .ROOT, key: "00000009-0000-4000-8000-000000000009", value: .String("text"))
      _ = try document.putObject(
        obj: .ROOT, key: "0000000A-0000-4000-8000-000000000009", ty: .List)
    }
    try folder.change("settings.automerge") { document in
      _ = try document.putObject(obj: .ROOT, key: "another", ty: .Map)
    }
    let report = try folder.exporting(to: TestFolder("out"))
    #expect(report.counts == [5, 3, 1])
    let told = report.findings.filter { $0.code == .notExported }
    #expect(
      told.count == 5 && told.allSatisfy { $0.message.contains("has no place in the app's files") })
  }

  @Test func `a value of another type is exported as it is, and told`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let id = "00000009-0000-4000-8000-000000000009"
    try folder.add(
      id,
      [
        "title": .Int(5), "created": .String("2024-01-01T00:00:00Z"), "id": .String("else"),
        "count": .Counter(3),
      ],
      to: "documents/2025-01.automerge")
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    #expect(report.endsWithDifferences && report.counts == [6, 3, 1])
    let told = report.findings.filter { $0.message.contains(id) && $0.code != .nameDerived }
    #expect(told.filter { $0.code == .wrongType }.count == 2)
    #expect(told.filter { $0.code == .notExported }.count == 2)
    #expect(
      try target.text("notes/\(id).json")
        == #"{"id":"\#(id)","created":"2024-01-01T00:00:00Z","title":5,"count":3}"# + "\n")
  }

  @Test func `an entity does not take the name of what stays in its map`() throws {
    let profile = try Self.cards(
      ["cards.json"], identity: #"{"type":"member"}"#,
      files: #","members":"/all/cards","stays":["/all/cards/count","/all/app"]"#)
    let folder = try ProfiledFolder(profile)
    try folder.folder.write(
      #"{"all":{"cards":{"b":{},"count":2,"a":{"note":"n"}},"app":[1.50]}}"#, to: "cards.json")
    try folder.importing()
    try folder.add("count", [:], to: "cards.automerge")
    try folder.add("0", [:], to: "cards.automerge")
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    #expect(report.counts == [3] && report.endsWithDifferences)
    #expect(
      report.findings.contains {
        $0.code == .notExported && $0.severity == .error && $0.message.hasPrefix("card count ")
      })
    #expect(
      try target.text("cards.json")
        == #"{"all":{"cards":{"b":{},"count":2,"a":{"note":"n"},"0":{}},"app":[1.50]}}"# + "\n")
  }

  @Test func `a value in a file comes back beside what stays there`() throws {
    let profile = try Self.cards(
      ["app.json"], identity: #"{"type":"singleton"}"#,
      files: #","value":"/state/card","stays":["/build"]"#)
    let folder = try ProfiledFolder(profile)
    try folder.folder.write(
      #"{"state":{"card":{"note":"n","more":[[]]},"else":0},"build":1}"#, to: "app.json")
    try folder.importing()
    let target = try TestFolder("out")
    try folder.exporting(to: target)
    #expect(
      try target.text("app.json")
        == #"{"state":{"card":{"note":"n","more":[[]]},"else":0},"build":1}"# + "\n")
    try folder.change("cards.automerge") { try $0.delete(obj: .ROOT, key: "singleton") }
    let other = try TestFolder("other")
    try folder.exporting(to: other)
    #expect(try other.text("app.json") == #"{"state":{"else":0},"build":1}"# + "\n")
    try folder.folder.remove("app.json")
    #expect(try folder.exporting(to: TestFolder("none")).filesCreated == 0)
  }

  @Test(arguments: ["[]", "7", #"{"all":7}"#, #"{"all":{"cards":[]}}"#, "{", ""])
  func `a file that is not what the profile says is no model for one`(_ text: String) throws {
    let profile = try Self.cards(
      ["cards.json"], identity: #"{"type":"member"}"#, files: #","members":"/all/cards""#)
    let folder = try Self.folder(profile, ["k"])
    try folder.folder.write(text, to: "cards.json")
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    #expect(report.endsWithDifferences)
    #expect(report.findings.contains { $0.path == "cards.json" && $0.severity == .error })
    #expect(try target.text("cards.json") == #"{"all":{"cards":{"k":{"note":"of k"}}}}"# + "\n")
  }
}
