import Automerge
import Foundation
import Testing

/// Merging and handing on changes, as laws that hold for every history.
@Suite struct DocumentExchangeTests {
  private func document(_ changes: [ForgedChange]) throws -> Document {
    try Document(Data(changes.flatMap(\.bytes)))
  }

  private func state(_ document: Document) throws -> JSONTree {
    try TypedRendering(document: document).state()
  }

  private func forks(_ golden: GoldenCase) throws -> [Document] {
    try Fixtures.names(in: golden.name).filter { $0.hasPrefix("actor-") }
      .map { try Document(Data(try Fixtures.bytes("\(golden.name)/\($0)"))) }
  }

  @Test(arguments: GoldenCase.fuzz)
  func `merging is commutative, associative and idempotent`(golden: GoldenCase) throws {
    let forks = try forks(golden)
    let expected = try Fixtures.tree(golden.expected)
    let forwards = Document()
    for fork in forks { try forwards.merge(other: fork) }
    let backwards = Document()
    for fork in forks.reversed() { try backwards.merge(other: fork) }
    let paired = forks[0].fork()
    let rest = forks[1].fork()
    for fork in forks.dropFirst(2) { try rest.merge(other: fork) }
    try paired.merge(other: rest)
    for merged in [forwards, backwards, paired] {
      #expect(merged.heads() == forwards.heads())
      #expect(try state(merged).firstDifference(from: expected) == nil)
      let before = merged.save()
      for fork in forks { try merged.merge(other: fork) }
      try merged.merge(other: merged.fork())
      #expect(merged.save() == before)
    }
  }

  @Test(arguments: GoldenCase.fuzz)
  func `changes in pieces give what they give at once`(golden: GoldenCase) throws {
    let document = Document()
    for path in try golden.changePaths() {
      try document.applyEncodedChanges(encoded: Data(try Fixtures.bytes(path)))
    }
    #expect(try state(document).firstDifference(from: Fixtures.tree(golden.expected)) == nil)
    let late = Document()
    for path in try golden.changePaths().reversed() {
      try late.applyEncodedChanges(encoded: Data(try Fixtures.bytes(path)))
    }
    #expect(late.heads() == document.heads())
    #expect(try state(late) == state(document))
  }

  @Test(arguments: GoldenCase.fuzz, 1...3)
  func `a fork in the past reads like the past`(golden: GoldenCase, point: Int) throws {
    let document = try Document(Data(try golden.bytes()))
    let heads = Set(
      try Fixtures.lines("\(golden.name)/at-\(point).heads").compactMap(ChangeHash.init(hex:)))
    let fork = try document.forkAt(heads: heads)
    #expect(fork.heads() == heads)
    let expected = try Fixtures.tree("\(golden.name)/at-\(point).json")
    #expect(try state(fork).firstDifference(from: expected) == nil)
    // What the fork lacks brings it back to the present.
    try fork.applyEncodedChanges(encoded: document.encodeChangesSince(heads: heads))
    #expect(fork.heads() == document.heads())
    #expect(try state(fork) == state(document))
  }

  @Test func `the first export after loading is the whole history, the next is empty`() throws {
    let document = try document(SampleHistory.changes)
    #expect(Array(document.encodeNewChanges()) == SampleHistory.changes.flatMap(\.bytes))
    #expect(document.encodeNewChanges().isEmpty)
    try document.applyEncodedChanges(
      encoded: Data(SampleHistory.second.followed(by: .set("new", .null)).bytes))
    #expect(!document.encodeNewChanges().isEmpty)
    _ = document.save()
    #expect(document.encodeNewChanges().isEmpty)
  }

  @Test func `a document may stand anywhere in a file and more than once`() throws {
    let whole = SampleHistory.document.bytes
    let first = ForgedDocument([SampleHistory.first]).bytes
    let expected = try document(SampleHistory.changes).heads()
    for file in [
      whole + whole, first + whole, whole + first, SampleHistory.first.bytes + whole,
      SampleHistory.second.bytes + whole + SampleHistory.concurrent.bytes,
      first + SampleHistory.concurrent.bytes + SampleHistory.second.bytes + first,
    ] {
      let document = try Document(Data(file))
      #expect(document.heads() == expected)
      #expect(document.getHistory().count == 3)
    }
  }

  @Test func `applying twice changes nothing`() throws {
    let document = try document(SampleHistory.changes)
    let before = document.save()
    try document.applyEncodedChanges(encoded: Data(SampleHistory.changes.flatMap(\.bytes)))
    #expect(document.save() == before)
  }

  @Test func `a change that contradicts the history leaves the document as it was`() throws {
    let document = try document(SampleHistory.changes)
    let before = document.save()
    var twin = SampleHistory.second
    twin.time += 1
    let good = SampleHistory.second.followed(by: .set("new", .null))
    #expect(throws: DocError.self) {
      try document.applyEncodedChanges(encoded: Data(good.bytes + twin.bytes))
    }
    #expect(document.save() == before)
    var other = SampleHistory.first
    other.time += 1
    let stranger = try self.document([other])
    #expect(throws: DocError.self) { try document.merge(other: stranger) }
    #expect(document.save() == before)
  }

  @Test func `what precedes a bad chunk is applied`() throws {
    let document = try document([SampleHistory.first])
    let error = #expect(throws: DocError.self) {
      try document.applyEncodedChanges(
        encoded: Data(SampleHistory.second.bytes + SampleHistory.concurrent.bytes.dropLast()))
    }
    #expect(error?.isPartlyApplied == true)
    #expect(document.getHistory().count == 2)
  }

  @Test func `forks have actors of their own`() throws {
    let document = try document(SampleHistory.changes)
    let fork = document.fork()
    #expect(fork.actor != document.actor)
    #expect(fork.actor.bytes.count == 16)
    #expect(fork.save() == document.save())
    #expect(throws: DocError.self) {
      try document.forkAt(heads: [#require(ChangeHash(hex: String(repeating: "0", count: 64)))])
    }
  }
}
