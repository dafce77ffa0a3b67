import Automerge
import Foundation
import Testing

/// Identifiers as a program outside of the package sees them.
@Suite struct IdentifierTests {
  @Test func `an actor is made of a UUID, of up to 128 bytes, or at random`() throws {
    let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    #expect(ActorId(uuid: uuid).description == "00112233445566778899AABBCCDDEEFF")
    #expect(ActorId(data: Data([0xab, 1]))?.description == "AB01")
    #expect(ActorId(data: Data())?.description == "")
    #expect(ActorId(data: Data([0xab, 1]))?.data == Data([0xab, 1]))
    #expect(ActorId().data.count == 16)
    #expect(ActorId(data: Data(repeating: 1, count: 128)) != nil)
    #expect(ActorId(data: Data(repeating: 1, count: 129)) == nil)
    #expect(ActorId(data: Data([9, 1, 2]).dropFirst()) == ActorId(data: Data([1, 2])))
    #expect(ActorId() != ActorId())
    #expect(ActorId().description.count == 32)
    #expect(Set([ActorId(uuid: uuid), ActorId(uuid: uuid)]).count == 1)
  }

  @Test(arguments: [0, 1, 128])
  func `an actor of any length may write`(count: Int) throws {
    let document = Document()
    let actor = try #require(ActorId(data: Data(repeating: 0xee, count: count)))
    document.actor = actor
    let list = try document.putObject(obj: .ROOT, key: "l", ty: .List)
    try document.insert(obj: list, index: 0, value: .Int(1))
    let loaded = try Document(document.save())
    #expect(try loaded.values(obj: list) == [.Scalar(.Int(1))])
    #expect(loaded.heads().first.flatMap { loaded.change(hash: $0) }?.actorId == actor)
    document.expectSound()
  }

  @Test func `an object is the same in every copy of its document`() throws {
    let small = try SmallDocument()
    let loaded = try Document(small.document.save())
    // An actor before the others moves their numbers.
    let fork = small.document.fork(as: 0)
    try fork.put(obj: small.map, key: "k", value: .Int(1))
    try loaded.merge(other: fork)
    for copy in [loaded, fork] {
      #expect(try copy.get(obj: .ROOT, key: "list") == .Object(small.list, .List))
      #expect(try copy.get(obj: small.map, key: "k") == .Scalar(.Int(1)))
    }
    #expect(Set([small.list, small.map, small.text, .ROOT, small.list]).count == 4)
  }

  @Test func `an object describes itself`() throws {
    let small = try SmallDocument()
    #expect(ObjId.ROOT.debugDescription == "ObjId.ROOT")
    let description = small.map.debugDescription
    #expect(description.hasPrefix("ObjId(10"))
    #expect(description.hasSuffix(")"))
    #expect(description != small.list.debugDescription)
  }

  @Test func `hashes are lower-case hexadecimal digits`() throws {
    let document = try SmallDocument().document
    let hash = try #require(document.heads().first)
    #expect(hash.debugDescription.count == 64)
    #expect(hash.debugDescription.allSatisfy { $0.isHexDigit && !$0.isUppercase })
  }

  @Test func `heads are stored as bytes, the greatest first`() throws {
    let small = try SmallDocument()
    for actor: UInt8 in 2...5 {
      let fork = small.document.fork(as: actor)
      try fork.put(obj: .ROOT, key: "k", value: .Int(Int64(actor)))
      try small.document.merge(other: fork)
    }
    let heads = small.document.heads()
    let raw = heads.raw()
    #expect(raw.count == heads.count * 32)
    let pieces = stride(from: 0, to: raw.count, by: 32).map { hexadecimal(raw[$0..<$0 + 32]) }
    #expect(pieces == heads.map(\.debugDescription).sorted(by: >))
    #expect(raw.heads() == heads)
    #expect((Data([0]) + raw).dropFirst().heads() == heads)
    #expect(raw.dropLast().heads() == nil)
    #expect(Data(count: 1).heads() == nil)
    #expect(Data().heads() == [])
    #expect(Set<ChangeHash>().raw().isEmpty)
  }
}
