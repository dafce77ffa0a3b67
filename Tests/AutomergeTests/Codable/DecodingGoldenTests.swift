import Automerge
import Foundation
import Testing

/// Documents of the reference, read as types.
@Suite struct DecodingGoldenTests {
  private func decoder(_ name: String) throws -> AutomergeDecoder {
    let golden = try #require(GoldenCase.all.first { $0.name == name })
    return AutomergeDecoder(doc: try Document(Data(try golden.bytes())))
  }

  private func expected(_ name: String) throws -> [JSONTree.Member] {
    guard case .object(let members) = try Fixtures.tree("\(name)/expected.json") else {
      throw CocoaError(.coderInvalidValue)
    }
    return members
  }

  private struct Record: Decodable {
    var comment: String?
    var tagId: UUID?
    var startTime: Date
    var endTime: Date?
    var images: [String]
  }

  @Test func `the records of a month are read with all they have`() throws {
    let records = try decoder("minuta-month").decode([String: Record].self)
    let expected = try expected("minuta-month")
    #expect(records.count == expected.count && !records.isEmpty)
    for member in expected {
      let record = try #require(records[String(decoding: member.name, as: UTF8.self)])
      #expect(record.comment == member.value["comment"]?.text)
      #expect(record.tagId == member.value["tagId"]?.text.flatMap(UUID.init(uuidString:)))
      #expect(milliseconds(record.startTime) == member.value["startTime"]?["$timestamp"])
      #expect(record.endTime.map(milliseconds) == member.value["endTime"]?["$timestamp"])
      #expect(record.images == member.value["images"]?.elements.compactMap(\.text))
    }
  }

  private func milliseconds(_ date: Date) -> JSONTree {
    .integer(String(Int64((date.timeIntervalSince1970 * 1000).rounded())))
  }

  @Test(arguments: GoldenCase.readable)
  func `no document traps, whatever type it is read as`(golden: GoldenCase) throws {
    let decoder = AutomergeDecoder(doc: try Document(Data(try golden.bytes())))
    // Every document has a shape, but not every scalar a type in Swift.
    if let value = try? decoder.decode(CodableValue.self) {
      guard case .map(let members) = value else {
        Issue.record("the root is no map")
        return
      }
      #expect(members.count <= Int(decoder.doc.length(obj: .ROOT)))
    }
    #expect(throws: (any Error).self) { try decoder.decode([String].self) }
    #expect(throws: (any Error).self) { try decoder.decode(Box<Box<Int8>>.self) }
  }
}
