import Automerge
import FolderDocuments
import Folders
import Foundation
import Testing

/// Each input of the vectors compared with the document that an independent implementation made of it.
@Suite struct DeclaredComparisonGoldenTests {
  /// An entity of a case.
  private struct Entity {
    var kind: EntityKindProfile
    var identity: [UInt8]
    var tape: JSONTape
    var fields: Int
    var document: String { "\(kind.name).automerge" }
  }

  private func profile(of name: String) throws -> Profile {
    try Profile(parsing: Fixtures.bytes("convergent-2/\(name)/profile.json"), of: "profile.json")
  }

  /// The entities of a case that are not refused.
  private func entities(of name: String) throws -> [Entity] {
    let profile = try profile(of: name)
    let expected = try JSONDecoder().decode(
      DeclaredGoldenTests.Expected.self,
      from: Data(Fixtures.bytes("convergent-2/\(name)/expected-hashes.json")))
    let refused = Set(expected.refused.map(\.line))
    let lines = try Fixtures.bytes("convergent-2/\(name)/entities.jsonl")
      .split(separator: UInt8(ascii: "\n"))
    return try lines.enumerated().filter { !refused.contains($0.offset + 1) }.map { _, line in
      var tape = JSONTape()
      // What holds the fields is no level of theirs.
      try tape.parse(line, depthLimit: JSONTape.standardDepth + 1)
      let kindName = try #require(tape.string("kind"))
      let kind = try #require(profile.kind(named: String(decoding: kindName, as: UTF8.self)))
      let id = tape.string("id").map(Array.init) ?? Array("singleton".utf8)
      let identity = LinkSet.identity(id.span, by: kind.identity)
      return Entity(
        kind: kind, identity: try #require(identity), tape: tape,
        fields: try #require(tape.member("fields", of: 0)))
    }
  }

  private func compare(_ entity: Entity, of name: String) throws -> DeclaredComparison {
    let state = try EntityState(
      Fixtures.bytes("convergent-2/\(name)/\(entity.document)"), entity.identity)
    var comparison = try DeclaredComparison(entity.kind, of: profile(of: name))
    let isEqual = comparison.compare(
      entity.fields, on: entity.tape, identity: entity.identity, with: state.map,
      of: state.document)
    #expect(isEqual == comparison.differences.isEmpty)
    return comparison
  }

  @Test(arguments: DeclaredGoldenTests.cases)
  func `every entity of a case equals what its document shows`(name: String) throws {
    let entities = try entities(of: name)
    #expect(!entities.isEmpty)
    for entity in entities {
      let variants = entities.filter {
        $0.identity == entity.identity && $0.kind.name == entity.kind.name
      }
      if variants.count > 1 { continue }
      let comparison = try compare(entity, of: name)
      let id = String(decoding: entity.identity, as: UTF8.self)
      #expect(comparison.differences == [], "\(entity.kind.name) \(id)")
      #expect(comparison.conflicts == [])
    }
  }

  @Test func `of variants of several versions each differs where another one is seen`() throws {
    let found = try entities(of: "variants-of-versions").map {
      try compare($0, of: "variants-of-versions")
    }
    #expect(
      found.map(\.differences) == [
        ["alpha", "apart", "brief", "core", "gone", "second", "tags", "third"],
        ["alpha", "apart", "core", "second", "third"],
        ["brief", "gone"],
      ])
    #expect(found.map(\.besideCount) == [3, 4, 0])
    for comparison in found {
      #expect(comparison.conflicts == ["alpha", "apart", "core", "gone", "second"])
    }
  }

  @Test func `links of two variants are those of both`() throws {
    let entities = try entities(of: "links-of-two")
    let name = "links-of-two"
    let differences = try entities.map { try compare($0, of: name).differences }
    #expect(differences.map { $0.contains("members") } == [true, true])
    #expect(differences.map { $0.contains("name") }.filter(\.self).count == 1)
    for (entity, additional) in zip(entities, ["C", "A"]) {
      let state = try EntityState(
        Fixtures.bytes("convergent-2/\(name)/\(entity.document)"), entity.identity)
      let comparison = try DeclaredComparison(entity.kind, of: profile(of: name))
      let member = try #require(entity.tape.member("members", of: entity.fields))
      let difference = comparison.linkDifference(
        member - 1, named: Array("members".utf8).span, on: entity.tape,
        with: state.group("members"), of: state.document)
      #expect(difference?.missing == [])
      #expect(
        difference?.additional
          == [Array("0000000\(additional)-0000-4000-8000-00000000000\(additional)".utf8)])
    }
  }
}
