import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// Lists, maps, texts and entities that devices made separately, of apps that only a profile
/// describes.
@Suite struct ProfiledUnificationTests {
  private static let january = "documents/2025-01.automerge"
  private static let lisbon = "45C48CCE-2E2D-4FBD-AA1A-FC51C7C60303"
  private static let lisbonFile = "notes/travel/lisbon.json"

  /// A document of a device that imported JSON which differs from that of another one.
  private func imported(
    _ sample: String, _ path: String, _ file: String = "",
    _ replacements: [String: String] = [:], actor: UInt8 = 1,
    edit: (Document) throws -> Void = { _ in }
  ) throws -> [UInt8] {
    let folder = try ProfiledFolder(sample: sample)
    if !file.isEmpty {
      var text = try folder.folder.text(file)
      for (old, new) in replacements {
        #expect(text.contains(old))
        text = text.replacing(old, with: new)
      }
      try folder.folder.write(text, to: file)
    }
    try folder.importing()
    return try folder.edited(path) {
      $0.actor = ActorId(bytes: [UInt8](repeating: actor, count: 16))
      try edit($0)
    }
  }

  /// Merges two documents both ways, with `--unify`; both devices must get the same.
  private func unified(
    _ sample: String, _ path: String, _ one: [UInt8], _ other: [UInt8],
    _ location: SourceLocation = #_sourceLocation
  ) throws -> (document: Document, report: MergeReport) {
    var results: [([UInt8], MergeReport)] = []
    for (base, copy) in [(one, other), (other, one)] {
      let folder = try ProfiledFolder(sample: sample)
      try folder.folder.write(base, to: path)
      try folder.folder.write(copy, to: ProfiledFolder.copy(of: path, " 2"))
      let report = try folder.merging { $0.unifies = true }
      #expect(report.bases.map(\.isWritten) == [true], sourceLocation: location)
      results.append((try folder.folder.bytes(path), report))
      try folder.expectSettled(location) { $0.unifies = true }
      // Whoever merges without it first gets the same later.
      let late = try ProfiledFolder(sample: sample)
      try late.folder.write(base, to: path)
      try late.folder.write(copy, to: ProfiledFolder.copy(of: path, " 2"))
      try late.merging()
      try late.merging { $0.unifies = true }
      let (one, other) = try (folder.folder.document(path), late.folder.document(path))
      #expect(one.heads == other.heads, sourceLocation: location)
    }
    let heads = try results.map { try DocumentState(loading: $0.0).heads }
    #expect(heads[0] == heads[1], sourceLocation: location)
    return (try Document(Data(results[0].0)), results[0].1)
  }

  @Test func `maps that imports made of different JSON become one`() throws {
    let path = "habits.automerge"
    let one = try imported("habits", path)
    let other = try imported(
      "habits", path, "habits.json", ["\"thu\": true": "\"mon2\": false, \"thu\": \"late\""])
    let (document, report) = try unified("habits", path, one, other)
    let schedule = try document.container("schedule", of: "run")
    #expect(document.keys(obj: schedule) == ["mon", "mon2", "thu"])
    let finding = try #require(report.findings.first { $0.code == .hiddenObject })
    #expect(finding.severity == .info && finding.message.hasSuffix("became one: habit run"))
    let differences = report.bases[0].differences
    #expect(differences.allSatisfy { $0.entity == .init(kind: "habit", identity: "run") })
    #expect(differences.contains { $0.field == "schedule.thu" })
    // The other one is still there, whole, for whoever edits it meanwhile.
    #expect(differences.contains { $0.field == "schedule" })
  }

  @Test(arguments: [false, true])
  func `of lists and texts the one that a user edited is seen, whichever wins`(
    _ editsFirst: Bool
  ) throws {
    func edit(_ document: Document) throws {
      try document.insert(
        obj: document.container("tags", of: Self.lisbon), index: 0, value: .String("edited"))
      try document.spliceText(
        obj: document.container("body", of: Self.lisbon), start: 0, delete: 0, value: "Edited. ")
    }
    let one = try imported("notes", Self.january, actor: 3) { if editsFirst { try edit($0) } }
    let other = try imported(
      "notes", Self.january, Self.lisbonFile, ["\"2025\"": "\"2026\"", "Tram 28": "Tram 12"],
      actor: 9
    ) { if !editsFirst { try edit($0) } }
    let (document, report) = try unified("notes", Self.january, one, other)
    let tags = try document.container("tags", of: Self.lisbon)
    #expect(
      try document.values(obj: tags)
        == ["edited", "city", editsFirst ? "2025" : "2026"].map { .Scalar(.String($0)) })
    let body = try document.container("body", of: Self.lisbon)
    #expect(
      try document.text(obj: body) == "Edited. Tram \(editsFirst ? "28" : "12"), early.")
    // What gave way is in the report.
    let differences = report.bases[0].differences
    #expect(Set(differences.map(\.field)) == ["tags", "body"])
    for difference in differences {
      #expect(difference.entity == .init(kind: "note", identity: Self.lisbon))
      #expect("\(difference.kept)".contains("dited") && !"\(difference.other)".contains("dited"))
    }
    #expect(differences.count == 2)
  }

  @Test func `of two edited lists the winner stays, and the other is in the report`() throws {
    func edit(_ text: String) -> (Document) throws -> Void {
      {
        try $0.insert(
          obj: $0.container("tags", of: Self.lisbon), index: 0, value: .String(text))
      }
    }
    let one = try imported("notes", Self.january, actor: 3, edit: edit("one"))
    let other = try imported(
      "notes", Self.january, Self.lisbonFile, ["\"2025\"": "\"2026\""], actor: 9,
      edit: edit("other"))
    let (document, report) = try unified("notes", Self.january, one, other)
    let tags = try document.container("tags", of: Self.lisbon)
    guard case .Scalar(.String(let kept))? = try document.values(obj: tags).first else {
      Issue.record("no list")
      return
    }
    let differences = report.bases[0].differences
    #expect(differences.map(\.field) == ["tags"])
    #expect("\(differences[0].kept)".contains(kept))
    #expect("\(differences[0].other)".contains(kept == "one" ? "other" : "one"))
  }

  @Test func `a list that came where an import wrote that there was none is seen`() throws {
    let one = try imported("notes", Self.january, Self.lisbonFile, ["\"Travel\"": "null"])
    // What is declared a reference is a list there: it has a change of its own.
    let other = try imported("notes", Self.january, Self.lisbonFile, ["\"Travel\"": "[\"Travel\"]"])
    let folder = try ProfiledFolder(sample: "notes")
    try folder.folder.write(one, to: Self.january)
    try folder.folder.write(other, to: ProfiledFolder.copy(of: Self.january, " 2"))
    try folder.merging { $0.unifies = true }
    let document = try Document(Data(folder.folder.bytes(Self.january)))
    let list = try document.container("notebook", of: Self.lisbon)
    #expect(try document.values(obj: list) == [.Scalar(.String("Travel"))])
    try folder.expectSettled { $0.unifies = true }
  }

  @Test func `links, and maps inside of maps, that apps made separately unite`() throws {
    func make(_ link: String, _ inner: String) -> (Document) throws -> Void {
      { document in
        let map = try document.entity(Self.lisbon)
        let links = try document.putObject(obj: map, key: "links", ty: .Map)
        try document.put(obj: links, key: link, value: .Boolean(true))
        let mood = try document.container("mood", of: Self.lisbon)
        let rain = try document.putObject(obj: mood, key: "rain", ty: .Map)
        try document.put(obj: rain, key: inner, value: .Int(1))
        try document.put(obj: rain, key: "both", value: .String(inner))
      }
    }
    let one = try imported("notes", Self.january, actor: 3, edit: make("A", "x"))
    let other = try imported("notes", Self.january, actor: 9, edit: make("B", "y"))
    let (document, report) = try unified("notes", Self.january, one, other)
    #expect(try document.keys(obj: document.container("links", of: Self.lisbon)) == ["A", "B"])
    let mood = try document.container("mood", of: Self.lisbon)
    guard case .Object(let rain, .Map)? = try document.get(obj: mood, key: "rain") else {
      Issue.record("no map")
      return
    }
    #expect(document.keys(obj: rain) == ["both", "x", "y"])
    #expect(report.bases[0].differences.contains { $0.field == "mood.rain.both" })
  }

  @Test func `an entity that apps made separately becomes one, by the types of its properties`()
    throws
  {
    func add(_ actor: UInt8, _ body: @escaping (Document, ObjId) throws -> Void) throws -> [UInt8] {
      try imported("notes", "notebooks.automerge", actor: actor) { document in
        try body(document, document.putObject(obj: .ROOT, key: "Garden", ty: .Map))
      }
    }
    let one = try add(3) { document, map in
      try document.put(obj: map, key: "order", value: .Int(3))
      let shared = try document.putObject(obj: map, key: "shared", ty: .List)
      try document.insert(obj: shared, index: 0, value: .String("Ana"))
    }
    let other = try add(9) { document, map in
      try document.put(obj: map, key: "order", value: .Int(9))
      try document.put(obj: map, key: "color", value: .String("green"))
    }
    let (document, report) = try unified("notes", "notebooks.automerge", one, other)
    let garden = try document.entity("Garden")
    #expect(document.keys(obj: garden) == ["color", "order", "shared"])
    #expect(try document.get(obj: garden, key: "order") == .Scalar(.Int(9)))
    #expect(
      report.bases[0].differences.contains {
        $0.entity == .init(kind: "notebook", identity: "Garden") && $0.field == "order"
          && $0.other == .integer(3)
      })
  }

  @Test func `they are found, and kept until the caller wants them brought together`() throws {
    let path = "habits.automerge"
    let folder = try ProfiledFolder(sample: "habits")
    try folder.folder.write(imported("habits", path), to: path)
    try folder.folder.write(
      imported("habits", path, "habits.json", ["\"thu\": true": "\"sun\": true"]),
      to: ProfiledFolder.copy(of: path, " 2"))
    for _ in 0..<2 {
      let report = try folder.merging()
      let finding = try #require(report.findings.first { $0.code == .hiddenObject })
      #expect(finding.severity == .warning && finding.message.hasSuffix(": habit run"))
      #expect(
        finding.command?.words == [
          "merge-conflicts", "--unify", "--profile", "profile.json", folder.folder.path,
        ])
    }
    try folder.merging { $0.unifies = true }
    #expect(try folder.merging().findings.allSatisfy { $0.code != .hiddenObject })
  }

  @Test func `what was made separately from what it is named like waits for the caller`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let made = Document()
    made.actor = ActorId(bytes: [UInt8](repeating: 9, count: 16))
    let map = try made.putObject(obj: .ROOT, key: "Küche", ty: .Map)
    try made.put(obj: map, key: "note", value: .String("only here"))
    let copy = ProfiledFolder.copy(of: "notebooks.automerge", " (conflicted copy 2026-01-06)")
    try folder.folder.write([UInt8](made.save()), to: copy)
    let report = try folder.merging()
    #expect(report.outcomes == [copy: .unrelated])
    let finding = try #require(report.findings.first { $0.code == .unrelatedCopy })
    #expect(finding.message.hasSuffix("holds the same entities: notebook Küche"))
    #expect(try folder.merging { $0.unifies = true }.outcomes == [copy: .merged])
    let document = try Document(Data(folder.folder.bytes("notebooks.automerge")))
    #expect(try document.keys(obj: document.entity("Küche")).contains("note"))
    #expect(try folder.verifying().isSound)
    try folder.expectSettled { $0.unifies = true }
  }

  @Test(arguments: UInt64(1)...20)
  func `three devices that made things separately come to one document in any order`(
    seed: UInt64
  ) throws {
    var random = TestRandom(seed: seed)
    let path = "habits.automerge"
    var versions: [[UInt8]] = []
    for device in 1...3 {
      let folder = try ProfiledFolder(sample: "habits")
      let text = try folder.folder.text("habits.json")
      let days = ["fri", "sat", "sun"].filter { _ in random.number(below: 2) == 0 }
        .map { "\"\($0)\": \(random.number(below: 2))," }.joined()
      try folder.folder.write(
        text.replacing("\"mon\": true", with: "\(days)\"mon\": true"), to: "habits.json")
      try folder.importing()
      versions.append(
        try folder.edited(path) { document in
          document.actor = ActorId(bytes: [UInt8](repeating: UInt8(device), count: 16))
          for name in ["run", "read", "new"] where random.number(below: 2) == 0 {
            if try document.get(obj: .ROOT, key: name) == nil {
              _ = try document.putObject(obj: .ROOT, key: name, ty: .Map)
            }
            let map = try document.entity(name)
            for key in ["a", "schedule", "list"] where random.number(below: 2) == 0 {
              if key == "list" {
                let list = try document.putObject(obj: map, key: key, ty: .List)
                try document.insert(obj: list, index: 0, value: .Int(Int64(device)))
              } else if random.number(below: 2) == 0 {
                let inner = try document.putObject(obj: map, key: key, ty: .Map)
                try document.put(obj: inner, key: "d\(device % 2)", value: .Int(Int64(device)))
              } else {
                try document.put(obj: map, key: key, value: .Int(Int64(device)))
              }
            }
          }
        })
    }
    var results: Set<[ChangeHash]> = []
    for _ in 0..<4 {
      let folder = try ProfiledFolder(sample: "habits")
      let shuffled = versions.shuffled(using: &random)
      try folder.folder.write(shuffled[0], to: path)
      let suffixes = ProfiledFolder.copySuffixes.shuffled(using: &random)
      for (version, suffix) in zip(shuffled.dropFirst(), suffixes) {
        try folder.folder.write(version, to: ProfiledFolder.copy(of: path, suffix))
      }
      if random.number(below: 2) == 0 { try folder.merging() }
      let report = try folder.merging { $0.unifies = true }
      #expect(report.findings.allSatisfy { $0.severity != .error }, "seed \(seed)")
      results.insert(try folder.folder.document(path).heads)
      try folder.expectSettled { $0.unifies = true }
    }
    #expect(results.count == 1, "seed \(seed)")
  }
}
