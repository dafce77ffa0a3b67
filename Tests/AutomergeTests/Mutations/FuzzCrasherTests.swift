import Automerge
import Testing

/// Inputs that once broke something: each is refused, none stops the program.
@Suite struct FuzzCrasherTests {
  static let files = ((try? Fixtures.names(in: "fuzz-crashers")) ?? [])
    .filter { $0.hasSuffix(".automerge") }

  @Test func `the crashers are there`() {
    #expect(!Self.files.isEmpty)
  }

  @Test(arguments: files) func `a crasher is refused`(file: String) throws {
    let bytes = try Fixtures.bytes("fuzz-crashers/\(file)")
    #expect(throws: FormatError.self) { _ = try DocumentState(loading: bytes) }
  }
}
