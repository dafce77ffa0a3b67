import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// Conflict copies of the documents of apps that only a profile describes.
@Suite struct ProfiledMergeTests {
  private static let january = "documents/2025-01.automerge"
  private static let lisbon = "45C48CCE-2E2D-4FBD-AA1A-FC51C7C60303"

  /// A document of each rule of identity, and what strings a user edits in it.
  private static let documents: [(sample: String, path: String, field: String)] = [
    ("notes", january, "title"), ("notes", "notebooks.automerge", "color"),
    ("notes", "settings.automerge", "theme"), ("habits", "habits.automerge", "unit"),
    ("habits", "log/2025-01.automerge", "note"),
  ]

  /// Edits, deletes and adds entities.
  private static func change(
    _ document: Document, _ field: String, _ text: String, _ random: inout TestRandom
  ) throws {
    let identities = document.keys(obj: .ROOT)
    for step in 0..<(1 + random.number(below: 3)) {
      switch random.number(below: 5) {
      case 0:
        if identities.isEmpty { continue }
        let identity = identities[random.number(below: identities.count)]
        if try document.get(obj: .ROOT, key: identity) != nil {
          try document.delete(obj: .ROOT, key: identity)
        }
      case 1:
        let map = try document.putObject(obj: .ROOT, key: "new \(text) \(step)", ty: .Map)
        try document.put(obj: map, key: field, value: .String(text))
      default:
        if identities.isEmpty { continue }
        let identity = identities[random.number(below: identities.count)]
        guard case .Object(let map, _)? = try document.get(obj: .ROOT, key: identity) else {
          continue
        }
        try document.put(obj: map, key: field, value: .String("\(text) \(step)"))
        for key in ["tags", "body", "links", "schedule", "done"] {
          switch try document.get(obj: map, key: key) {
          case .Object(let list, .List)?:
            try document.insert(obj: list, index: 0, value: .String(text))
          case .Object(let body, .Text)?:
            try document.spliceText(obj: body, start: 0, delete: 0, value: text)
          case .Object(let inner, .Map)?:
            try document.put(obj: inner, key: text, value: .Boolean(true))
          default: break
          }
        }
      }
    }
  }

  @Test(arguments: 0..<5, [UInt64(1), 2, 3])
  func `devices that diverged come to the same document, whatever copy is whose`(
    document: Int, seed: UInt64
  ) throws {
    var random = TestRandom(seed: seed)
    let (sample, path, field) = Self.documents[document]
    let origin = try ProfiledFolder(sample: sample)
    try origin.importing()
    var versions = [try origin.folder.bytes(path)]
    for device in 1...3 {
      // A device goes on from what another one had.
      let state = try Document(Data(versions[random.number(below: versions.count)]))
      state.actor = ActorId(bytes: [UInt8](repeating: UInt8(device), count: 16))
      try Self.change(state, field, "device \(device)", &random)
      versions.append([UInt8](state.save()))
    }
    var results: Set<[ChangeHash]> = []
    for _ in 0..<3 {
      let folder = try origin.copied()
      let shuffled = versions.shuffled(using: &random)
      let suffixes = ProfiledFolder.copySuffixes.shuffled(using: &random)
      try folder.folder.write(shuffled[0], to: path)
      for (version, suffix) in zip(shuffled.dropFirst(), suffixes) {
        try folder.folder.write(version, to: ProfiledFolder.copy(of: path, suffix))
      }
      let before = try folder.files()
      let plan = try folder.merging(isDryRun: true)
      #expect(try folder.files() == before, "seed \(seed)")
      let report = try folder.merging()
      #expect(plan.outcomes == report.outcomes, "seed \(seed)")
      #expect(report.count(.merged) + report.count(.redundant) == 3, "seed \(seed)")
      let merged = try folder.folder.document(path)
      for version in versions {
        let state = try DocumentState(loading: version)
        #expect(state.allHashes.allSatisfy(merged.contains), "seed \(seed)")
      }
      let quarantined = try folder.folder.quarantined()
      for (name, bytes) in before where !name.hasSuffix(".json") && report.outcomes[name] != nil {
        #expect(quarantined[name] == bytes, "seed \(seed): \(name)")
      }
      #expect(try folder.verifying().isSound, "seed \(seed)")
      results.insert(merged.heads)
      try folder.expectSettled()
    }
    #expect(results.count == 1, "seed \(seed)")
  }

  @Test func `what two devices changed in one property is told with its kind, and both stay`()
    throws
  {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let copy = ProfiledFolder.copy(of: "notebooks.automerge", " 2")
    let other = try folder.edited("notebooks.automerge") {
      $0.actor = ActorId(bytes: [UInt8](repeating: 9, count: 16))
      try $0.put(obj: $0.entity("Küche"), key: "color", value: .String("red"))
    }
    try folder.folder.write(other, to: copy)
    try folder.change("notebooks.automerge") {
      $0.actor = ActorId(bytes: [UInt8](repeating: 3, count: 16))
      try $0.put(obj: $0.entity("Küche"), key: "color", value: .String("blue"))
    }
    let report = try folder.merging()
    #expect(report.outcomes == [copy: .merged])
    let difference = try #require(report.bases.first?.differences.first)
    #expect(difference.entity == .init(kind: "notebook", identity: "Küche"))
    #expect(difference.field == "color" && difference.kept == .string("red"))
    #expect(difference.other == .string("blue"))
    #expect(report.bases[0].differences.count == 1)
    #expect(try folder.verifying().isSound)
  }

  @Test func `documents that were imported separately share their changes, and differ by property`()
    throws
  {
    let one = try ProfiledFolder(sample: "notes")
    let other = try ProfiledFolder(sample: "notes")
    let text = try other.folder.text("notes/travel/lisbon.json")
    try other.folder.write(
      text.replacing("\"Lisbon\"", with: "\"Lisboa\"")
        .replacing("\"links\": [", with: "\"links\": [\"D3D94468-02A4-4259-B55D-38E6D1630404\","),
      to: "notes/travel/lisbon.json")
    try one.importing()
    try other.importing()
    let copy = ProfiledFolder.copy(of: Self.january, " 2")
    try one.folder.write(other.folder.bytes(Self.january), to: copy)
    let report = try one.merging()
    #expect(report.outcomes == [copy: .merged])
    let fields = report.bases[0].differences.map(\.field)
    #expect(fields.filter { $0 == "title" }.count == 1 && !fields.contains("links"))
    #expect(report.findings.allSatisfy { $0.code != .hiddenObject })
    // Links of both are there.
    let document = try Document(Data(one.folder.bytes(Self.january)))
    #expect(document.keys(obj: try document.container("links", of: Self.lisbon)).count == 2)
  }

  @Test func `documents of other months and of other kinds are not brought together`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let copies = [
      ProfiledFolder.copy(of: Self.january, " 2"): "documents/2024-12.automerge",
      ProfiledFolder.copy(of: "settings.automerge", " 2"): "notebooks.automerge",
    ]
    for (copy, path) in copies { try folder.folder.write(folder.folder.bytes(path), to: copy) }
    let before = try folder.files()
    for unifies in [false, true] {
      let report = try folder.merging { $0.unifies = unifies }
      #expect(report.outcomes == copies.mapValues { _ in .unrelated })
      #expect(try folder.files() == before)
    }
  }

  @Test func `a document whose base is gone gets its name`() throws {
    let folder = try ProfiledFolder(sample: "habits")
    try folder.importing()
    let expected = try folder.files()
    for path in try folder.documents().keys {
      let copy = ProfiledFolder.copy(of: path, " (conflicted copy 2026-01-06)")
      try folder.folder.write(folder.folder.bytes(path), to: copy)
      try folder.folder.remove(path)
    }
    let report = try folder.merging()
    #expect(report.count(.adopted) == 3)
    #expect(try folder.files() == expected)
  }

  @Test func `what is damaged stays, and so does what it may be a copy of`() throws {
    let folder = try ProfiledFolder(sample: "habits")
    try folder.importing()
    let copy = ProfiledFolder.copy(of: "habits.automerge", " 2")
    var bytes = try folder.folder.bytes("habits.automerge")
    bytes[bytes.count / 2] ^= 0x55
    try folder.folder.write(bytes, to: copy)
    let before = try folder.files()
    let report = try folder.merging()
    #expect(report.outcomes == [copy: .damaged] && report.endsWithDifferences)
    #expect(try folder.files() == before)
  }

  @Test func `files that entities name stay, others go if they are equal`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let plan = try folder.folder.bytes("attachments/plan.txt")
    try folder.folder.write(plan, to: "attachments/plan 2.txt")
    try folder.folder.write(plan, to: "attachments/plan 3.txt")
    try folder.folder.write([1], to: "attachments/plan (conflicted copy 2026-01-06).txt")
    let edited = try folder.edited(Self.january) {
      try $0.insert(
        obj: $0.container("attachments", of: Self.lisbon), index: 0, value: .String("plan 3.txt"))
    }
    try folder.folder.write(edited, to: Self.january)
    let report = try folder.merging()
    #expect(
      report.outcomes == [
        "attachments/plan 2.txt": .redundant, "attachments/plan 3.txt": .kept,
        "attachments/plan (conflicted copy 2026-01-06).txt": .kept,
      ])
    try folder.expectSettled()

    // Of a document that cannot be read nobody knows what it names.
    try folder.folder.write(plan, to: "attachments/plan 2.txt")
    try folder.folder.write([1, 2, 3], to: "documents/2023-05.automerge")
    #expect(try folder.merging().outcomes["attachments/plan 2.txt"] == .kept)
  }
}
