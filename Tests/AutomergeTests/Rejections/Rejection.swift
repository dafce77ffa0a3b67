@testable import Automerge
import Testing

/// One malformed input and the fact that must be reported about it.
struct Rejection: Sendable, CustomTestStringConvertible {
  let defect: String
  let bytes: [UInt8]
  let fact: FormatError.Fact

  init(_ defect: String, _ fact: FormatError.Fact, _ bytes: [UInt8]) {
    self.defect = defect
    self.fact = fact
    self.bytes = bytes
  }

  var testDescription: String { defect }

  /// Loads the input and records everything that is not the expected refusal.
  func check(sourceLocation: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: FormatError.self, sourceLocation: sourceLocation) {
      _ = try DocumentState(loading: bytes)
    }
    guard let error else { return }
    #expect(error.fact == fact, sourceLocation: sourceLocation)
    #expect((0...bytes.count).contains(error.offset), sourceLocation: sourceLocation)
    #expect(!error.problem.isEmpty, sourceLocation: sourceLocation)
  }
}
