import Testing

@testable import Automerge

/// A change may name only operations of its ancestors.
@Suite struct CausalPastTests {
  private let second = SampleHistory.second
  private let concurrent = SampleHistory.concurrent

  /// Overwrites what the concurrent change wrote.
  private func change(on dependencies: [[UInt8]]) -> ForgedChange {
    var change = second.followed(
      by: [UInt8](repeating: 0xef, count: 16),
      .set("a", .null, predecessors: [concurrent.id(0)]))
    change.dependencies = dependencies
    return change
  }

  private func document() throws -> DocumentState {
    var state = DocumentState()
    for change in SampleHistory.changes { try state.applyReadable(change.bytes) }
    return state
  }

  @Test func `an author who has seen an operation may name it`() throws {
    var state = try document()
    try state.applyReadable(change(on: [concurrent.hash]).bytes)
    #expect(state.changeCount == 4)
  }

  @Test(arguments: [1, 2, 3])
  func `one who has not seen it may not, however often a dependency is named`(
    times: Int
  ) throws {
    var state = try document()
    let foreign = change(on: Array(repeating: second.hash, count: times))
    let error = #expect(throws: FormatError.self) { try state.applyReadable(foreign.bytes) }
    #expect(error?.fact == .operationOutsidePast)
    #expect(state.changeCount == 3)
  }

  @Test func `an author's next change has seen no more`() throws {
    var state = try document()
    let own = second.followed(
      by: [UInt8](repeating: 0xef, count: 16), .set("b", .null))
    try state.applyReadable(own.bytes)
    let next = own.followed(by: .set("a", .null, predecessors: [concurrent.id(0)]))
    let error = #expect(throws: FormatError.self) { try state.applyReadable(next.bytes) }
    #expect(error?.fact == .operationOutsidePast)
  }
}
