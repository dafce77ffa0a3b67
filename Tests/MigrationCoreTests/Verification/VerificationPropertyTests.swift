import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import SampleFolders
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// Whatever single thing differs between legacy files and documents, a verification says so.
@Suite struct VerificationPropertyTests {
  /// A record that has everything, as JSON text in which one token is replaced.
  static let tokens = [
    "\"\(Legacy.id(1))\"", "\"2024-01-15T09:30:00.250Z\"", "\"2024-01-15T10:30:00+01:00\"",
    "\"\(Legacy.id(9))\"", "\"héllo\"", "[\"a.jpg\",\"b.jpg\"]",
    "[1,-2,18446744073709551615,0.5,1e300,true,null,\"x\",{\"k\":[]}]", "{\"a\":{\"b\":\"c\"}}",
    "\"\"", "1234567",
  ]

  static func record(_ tokens: [String]) -> String {
    """
    {"id":\(tokens[0]),"startTime":\(tokens[1]),"endTime":\(tokens[2]),"tagId":\(tokens[3]),\
    "comment":\(tokens[4]),"images":\(tokens[5]),"list":\(tokens[6]),"map":\(tokens[7]),\
    "empty":\(tokens[8]),"number":\(tokens[9])}
    """
  }

  static let mutations: [(token: Int, text: String)] = [
    (1, "\"2024-01-15T09:30:00.251Z\""), (1, "\"2024-01-15T09:31:00.250Z\""),
    (2, "\"2024-01-15T10:30:00Z\""), (2, "null"), (3, "\"\(Legacy.id(8))\""), (3, "\"\""),
    (3, "null"), (4, "\"hello\""), (4, "\"he\u{301}llo\""), (4, "\"héllo \""), (4, "\"\""),
    (4, "null"), (5, "[\"b.jpg\",\"a.jpg\"]"), (5, "[\"a.jpg\"]"), (5, "[]"), (5, "null"),
    (5, "[\"a.jpg\",\"b.jpg\",\"b.jpg\"]"), (5, "[\"a.jpg\",\"B.jpg\"]"),
    (6, "[1,-2,18446744073709551615,0.5,1e300,true,null,\"x\",{\"k\":{}}]"),
    (6, "[1,-2,18446744073709551614,0.5,1e300,true,null,\"x\",{\"k\":[]}]"),
    (6, "[1,-2,18446744073709551615,0.5,1e301,true,null,\"x\",{\"k\":[]}]"),
    (6, "[1,-2,18446744073709551615,0.25,1e300,true,null,\"x\",{\"k\":[]}]"),
    (6, "[1,-2,18446744073709551615,0.5,1e300,false,null,\"x\",{\"k\":[]}]"),
    (6, "[1,-2,18446744073709551615,0.5,1e300,true,0,\"x\",{\"k\":[]}]"),
    (6, "[1,-2,18446744073709551615,0.5,1e300,true,null,\"x\",{\"l\":[]}]"),
    (6, "[1,-2,18446744073709551615,0.5,1e300,true,null,\"x\"]"),
    (6, "[1.0,-2,18446744073709551615,0.5,1e300,true,null,\"x\",{\"k\":[]}]"),
    (7, "{\"a\":{\"b\":\"d\"}}"), (7, "{\"a\":{}}"), (7, "{\"a\":{\"b\":\"c\",\"d\":null}}"),
    (7, "[]"), (8, "null"), (8, "\" \""), (9, "1234568"), (9, "1234567.0"),
    (9, "\"1234567\""), (9, "12345670000000000000000"),
  ]

  @Test(arguments: mutations)
  func `a field that changed in a legacy file is found`(_ token: Int, _ text: String) throws {
    let folder = try TestFolder()
    try folder.write(Self.record(Self.tokens), to: "records/2024/01/a.json")
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    try folder.importing()
    #expect(try folder.verifying().isSound)
    var tokens = Self.tokens
    tokens[token] = text
    try folder.write(Self.record(tokens), to: "records/2024/01/a.json")
    let report = try folder.verifying()
    #expect(!report.isSound)
    #expect(report.findings.contains { $0.code == .diverged })
    #expect(report.counts.first?.proven == 1)
    #expect(report.counts.first?.equal == 1)
  }

  @Test(arguments: mutations)
  func `a field that differs in a document with plain history is found`(
    _ token: Int, _ text: String
  ) throws {
    let folder = try TestFolder()
    var tokens = Self.tokens
    tokens[token] = text
    try folder.write(Self.record(tokens), to: "records/2024/01/a.json")
    try folder.importing { $0.history = .plain }
    #expect(try folder.verifying().isSound)
    try folder.write(Self.record(Self.tokens), to: "records/2024/01/a.json")
    let report = try folder.verifying()
    #expect(!report.isSound)
    #expect(report.findings.contains { $0.code == .diverged })
    #expect(report.counts.first?.proven == 0)
  }

  @Test func `spellings of one value are equal`() throws {
    let folder = try TestFolder()
    try folder.write(
      Legacy.record(
        1, "\"endTime\":\"2024-01-15T10:30:00+01:00\",\"tagId\":\"\(Legacy.id(0xAB).lowercased())\""
      )
      .replacingOccurrences(of: "\"startTime\"", with: "\"start\\u0054ime\""),
      to: "records/2024/01/a.json")
    try folder.importing()
    let other = try TestFolder()
    try other.write(
      "{\"endTime\":\"2024-01-15t09:30:00.0000z\",\"startTime\":\"2024-01-15T09:30:00Z\","
        + "\"tagId\":\"{\(Legacy.id(0xAB))}\",\"comment\":null,\"images\":[],\"id\":\"\(Legacy.id(1))\"}",
      to: "records/2024/01/other.json")
    #expect(try folder.verifying(against: .folder(path: other.path)).isSound)
  }

  @Test func `a missing entity and an extra entity are found`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    let copy = try TestFolder("copy")
    try folder.copy(to: copy)
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    let missing = try folder.verifying()
    #expect(missing.findings.map(\.code) == [.missingEntity])
    #expect(missing.counts.first.map { [$0.reference, $0.documents, $0.proven] } == [2, 1, 1])
    try folder.importing()
    let extra = try folder.verifying(against: .folder(path: copy.path))
    #expect(extra.findings.contains { $0.code == .extraEntity && $0.severity == .error })
  }

  @Test func `an edit in a document is found field by field`() throws {
    for (field, value) in [("comment", "x"), ("tagId", "none"), ("new", "y")] {
      let folder = try TestFolder()
      try folder.write(Self.record(Self.tokens), to: "records/2024/01/a.json")
      try folder.importing()
      try folder.edit("records/2024/01.automerge", actor: 3) {
        try $0.set(field, of: ImportWorkflowTests.first, to: value)
      }
      let report = try folder.verifying()
      #expect(report.findings.contains { $0.code == .editedSince && $0.message.contains(field) })
      #expect(report.counts.first?.proven == 1)
      #expect(report.counts.first?.equal == 0)
      #expect(report.isSound)
    }
  }

  @Test func `a bit flipped anywhere in a document is found`() throws {
    let folder = try TestFolder()
    try folder.write(Self.record(Self.tokens), to: "records/2024/01/a.json")
    try folder.importing()
    let bytes = try folder.bytes("records/2024/01.automerge")
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x10
      try folder.write(damaged, to: "records/2024/01.automerge")
      let report = try folder.verifying()
      #expect(!report.isSound, "byte \(index)")
    }
  }

  @Test func `nothing to compare with is not a success`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    try folder.remove("records/2024/01/a.json")
    let report = try folder.verifying()
    #expect(report.findings.contains { $0.code == .nothingToCompare })
    #expect(!report.isSound)
  }

  @Test func `a backup is as good a reference as the folder it was made of`() throws {
    let folder = try TestFolder()
    try folder.makeSample()
    let backup = try folder.packing().archives[0].path
    try folder.importing()
    try ExportRoundTripTests.removeLegacyFiles(of: folder)
    let report = try folder.verifying(against: .backup(path: backup))
    #expect(report.findings.filter { $0.severity == .error } == [])
    #expect(report.counts.allSatisfy { $0.isEqual && $0.proven == $0.documents })
    #expect(report.isSound)
  }

  @Test func `tags that are nowhere are told in the order of their identities`() throws {
    let folder = try TestFolder()
    for number in 1...8 {
      try folder.write(
        Legacy.record(number, "\"tagId\":\"\(Legacy.id(100 - number))\""),
        to: "records/2024/01/\(number).json")
    }
    try folder.importing()
    let told = try folder.verifying().findings.filter { $0.code == .danglingTag }.map(\.message)
    #expect(
      told == (92...99).map { "the tag \(Legacy.id($0)) is nowhere, and 1 record names it" })
  }

  @Test func `images that are missing, left over or named twice are told`() throws {
    let folder = try TestFolder()
    try folder.write(
      Legacy.record(1, "\"images\":[\"a.jpg\",\"b.jpg\",\"a.jpg\"]"),
      to: "records/2024/01/a.json")
    try folder.write([1], to: "records/2024/01/a.jpg")
    try folder.write([1], to: "images/2024/01/c.jpg")
    try folder.importing()
    let report = try folder.verifying()
    #expect(report.imagesFound == 1)
    #expect(
      Set(report.findings.map(\.code)) == [.missingImage, .duplicateImage, .orphanImage])
  }

  @Test func `any random folder imports and verifies, and any random change is found`() throws {
    for seed in UInt64(1)...6 {
      var random = TestRandom(seed: seed)
      let folder = try TestFolder()
      try folder.makeSample {
        $0.recordCount = 40
        $0.monthCount = 3
        $0.seed = seed
      }
      try folder.importing()
      #expect(try folder.verifying().isSound, "seed \(seed)")
      let names = try folder.files().keys.filter {
        $0.hasPrefix("records") && $0.hasSuffix(".json")
      }.sorted()
      for _ in 0..<20 {
        let name = names[random.number(below: names.count)]
        let original = try folder.bytes(name)
        guard let changed = Self.changed(original, &random) else { continue }
        try folder.write(changed, to: name)
        let report = try folder.verifying()
        #expect(
          !report.isSound, "seed \(seed): \(name): \(String(decoding: changed, as: UTF8.self))")
        try folder.write(original, to: name)
      }
    }
  }

  /// Changes one letter or digit inside a value, so that the JSON stays well-formed.
  static func changed(_ json: [UInt8], _ random: inout TestRandom) -> [UInt8]? {
    guard var object = try? JSONEquality.object(json) else { return nil }
    let keys = object.keys.filter { $0 != "id" && object[$0] is String }.sorted()
    guard !keys.isEmpty else { return nil }
    let key = keys[random.number(below: keys.count)]
    guard let text = object[key] as? String else { return nil }
    if let date = RFC3339(text), JSONEquality.dates.contains(key) {
      object[key] = RFC3339(milliseconds: date.milliseconds + 1).description
    } else {
      object[key] = text + "\u{200b}"
    }
    return (try? JSONSerialization.data(withJSONObject: object)).map { [UInt8]($0) }
  }
}

extension VerificationPropertyTests {
  @Test func `a folder of documents is as good a reference as its legacy files`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 40 }
    try folder.importing()
    let copy = try TestFolder("copy")
    try folder.copy(to: copy)
    try ExportRoundTripTests.removeLegacyFiles(of: copy)
    #expect(try folder.verifying(against: .folder(path: copy.path)).isSound)
    let name = try #require(try copy.documents().keys.min())
    let state = try copy.document(name)
    let identity = try #require(DocumentRoot(state).entities.first?.identity)
    try copy.edit(name, actor: 5) { try $0.set("comment", of: identity, to: "changed there") }
    let report = try folder.verifying(against: .folder(path: copy.path))
    #expect(!report.isSound)
    #expect(report.findings.contains { $0.code == .diverged && $0.message.contains("comment") })
  }
}

extension VerificationPropertyTests {
  @Test func `identities that repeat are found whatever they share`() throws {
    var random = TestRandom(seed: 4)
    for _ in 0..<200 {
      let identities = (0..<30).map { _ in
        Identity(high: random.next() % 12, low: random.next() % 3)
      }
      let expected = Set(identities.filter { one in identities.count { $0 == one } > 1 })
      #expect(identities.repeated() == expected)
    }
  }

  @Test func `an entity that two documents show is told once for each further document`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    let bytes = try folder.bytes("records/2024/01.automerge")
    try folder.write(bytes, to: "records/2024/02.automerge")
    try folder.write(bytes, to: "records/2024/01 (1).automerge")
    try folder.write(bytes, to: "records/2024/01/a.automerge")
    let report = try folder.verifying()
    let codes: Set<Finding.Code> = [.duplicateID, .duplicate, .movedMonth]
    #expect(
      report.findings.filter { codes.contains($0.code) }.map { "\($0.code.rawValue) \($0.path)" }
        == [
          "duplicate-id records/2024/01 (1).automerge",
          "duplicate records/2024/01/a.automerge", "moved-month records/2024/02.automerge",
        ])
    #expect(report.findings.filter { $0.severity == .error } == [])
  }
}
