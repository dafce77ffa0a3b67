import Automerge
import FileFaults
import Folders
import Foundation
import Testing

@testable import FolderDocuments
@testable import MigrationCore

/// Random histories on several devices, as conflict copies in random names and orders.
@Suite struct MergeLawTests {
  private static let names = [
    "01 2", "01 3", "01 (1)", "01.Conflict", "01 [conflicted]", "01-LAPTOP",
    "01 (Anna's conflicted copy 2026-01-06)", "01.Conflict.Conflict", "01_conf(2)",
  ]

  @Test(arguments: UInt64(1)...12)
  func `order does not matter, nothing is lost, and a second run changes nothing`(
    seed: UInt64
  ) throws {
    var random = TestRandom(seed: seed)
    let origin = try DocumentMergeTests.folder()
    let start = try origin.document(DocumentMergeTests.base)
    var documents = [start]
    for device in 1...(2 + random.number(below: 4)) {
      // A device goes on from what another one had.
      var state = documents[random.number(below: documents.count)]
      for step in 0..<(1 + random.number(below: 3)) {
        let number = 1 + random.number(below: 3)
        let text = "device \(device), step \(step)"
        state = try AppDocument.editing(state, actor: UInt8(device)) { editor in
          let identity = try DocumentMergeTests.identity(number)
          if DocumentRoot(editor.state).entities.contains(where: {
            $0.identity == identity && $0.map != nil
          }) {
            if text.hasSuffix("2") {
              try editor.delete(identity)
            } else {
              try editor.set("comment", of: identity, to: text)
            }
          } else {
            editor.make(identity, "comment", text)
          }
        }
      }
      documents.append(state)
    }
    var heads: Set<[ChangeHash]> = []
    for _ in 0..<3 {
      let folder = try TestFolder()
      let shuffled = documents.shuffled(using: &random)
      let names = Self.names.shuffled(using: &random)
      try folder.write(shuffled[0].encoded(), to: DocumentMergeTests.base)
      for (document, name) in zip(shuffled.dropFirst(), names) {
        try folder.write(document.encoded(), to: "records/2024/\(name).automerge")
      }
      let before = try folder.files()
      let report = try folder.merging()
      #expect(report.count(.merged) + report.count(.redundant) == documents.count - 1, "\(seed)")
      let merged = try folder.document(DocumentMergeTests.base)
      heads.insert(merged.heads)
      for document in documents {
        #expect(document.allHashes.allSatisfy(merged.contains), "seed \(seed)")
      }
      let quarantined = try folder.quarantined()
      for (name, bytes) in before where name != DocumentMergeTests.base {
        #expect(quarantined[name] == bytes, "seed \(seed): \(name)")
      }
      try folder.expectSettled()
    }
    #expect(heads.count == 1, "seed \(seed)")
  }

  @Test(arguments: UInt64(1)...20)
  func `every value of legacy copies is in the base, in the report or in quarantine`(
    seed: UInt64
  ) throws {
    var random = TestRandom(seed: seed)
    func entity(_ number: Int) -> String {
      var members: [String] = []
      for field in ["comment", "extra", "nested"] where random.number(below: 3) > 0 {
        let value = random.number(below: 3)
        members.append(
          field == "nested" ? "\"nested\":{\"n\":[\(value)]}" : "\"\(field)\":\"\(value)\"")
      }
      return Legacy.tag(number, name: "tag", members.joined(separator: ","))
    }
    let folder = try TestFolder()
    let names = ["tags.json", "tags 2.json", "tags 3.json", "tags (conflicted copy).json"]
    for name in names {
      let numbers = (1...5).filter { _ in random.number(below: 3) > 0 }.shuffled(using: &random)
      let tags = numbers.map(entity).joined(separator: ", ")
      try folder.write("{\"tags\": [\(tags)]}\n", to: name)
    }
    let before = try folder.files()
    let report = try folder.merging()
    #expect(report.count(.merged) + report.count(.redundant) == 3, "seed \(seed)")
    let merged = try Self.tags(folder.bytes("tags.json"))
    let differences = report.bases[0].differences
    for (name, bytes) in before {
      for (id, tag) in try Self.tags(bytes) {
        for (field, value) in tag {
          let isMerged = merged[id]?[field] == value
          let isTold = differences.contains {
            $0.entity.identity == id && $0.field == field && $0.source == name
          }
          #expect(isMerged || isTold, "seed \(seed): \(name) \(id) \(field)")
          if name == "tags.json" { #expect(isMerged, "seed \(seed)") }
        }
      }
      if name != "tags.json" { #expect(try folder.quarantined()[name] == bytes) }
    }
    try folder.expectSettled()
  }

  /// The fields of each tag as sorted JSON.
  private static func tags(_ bytes: [UInt8]) throws -> [String: [String: String]] {
    let tags = try JSONEquality.object(bytes)["tags"] as? [[String: Any]] ?? []
    var result: [String: [String: String]] = [:]
    for tag in tags {
      guard let id = tag["id"] as? String else { continue }
      result[id] = try tag.mapValues {
        String(
          decoding: try JSONSerialization.data(
            withJSONObject: $0, options: [.sortedKeys, .fragmentsAllowed]), as: UTF8.self)
      }
    }
    return result
  }
}
