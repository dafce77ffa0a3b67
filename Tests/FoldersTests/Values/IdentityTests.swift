import FileFaults
import Foundation
import Testing

import Folders

@Suite struct IdentityTests {
  private let canonical = "550E8400-E29B-41D4-A716-446655440000"

  @Test(arguments: [
    "550E8400-E29B-41D4-A716-446655440000", "550e8400-e29b-41d4-a716-446655440000",
    "550e8400-E29B-41d4-A716-446655440000", "{550E8400-E29B-41D4-A716-446655440000}",
    "550E8400E29B41D4A716446655440000", "{550e8400e29b41d4a716446655440000}",
  ])
  func `all written forms are one identity`(text: String) {
    #expect(Identity(text)?.description == canonical)
  }

  @Test(arguments: [
    "", "none", "{}", "550E8400-E29B-41D4-A716-44665544000",
    "550E8400-E29B-41D4-A716-4466554400000",
    "{550E8400-E29B-41D4-A716-446655440000", "550E8400-E29B-41D4-A716-446655440000}",
    "{{550E8400E29B41D4A716446655440000}}", " 550E8400-E29B-41D4-A716-446655440000",
    "550E8400-E29B-41D4-A716-44665544000G", "550E8400E-29B-41D4-A716-446655440000",
    "550E8400--29B-41D4-A716-446655440000", "550E8400-E29B-41D4-A716446655440000-",
    "550E8400-E29B41D4-A716-446655440000", "550E8400_E29B_41D4_A716_446655440000",
    "-550E8400E29B-41D4-A716-446655440000", "550E8400-E29B-41D4-A716-446655440000\u{0}",
    "０50E8400E29B41D4A7164466554400",
  ])
  func `anything else is none`(text: String) {
    #expect(Identity(text) == nil)
  }

  @Test func `identities agree with Foundation and sort by their bytes`() {
    var random = TestRandom(seed: 5)
    var identities: [Identity] = []
    for _ in 0..<1000 {
      let identity = Identity(high: random.next(), low: random.next())
      #expect(UUID(uuidString: identity.description)?.uuidString == identity.description)
      #expect(Identity(identity.description) == identity)
      #expect(Identity(identity.description.lowercased()) == identity)
      identities.append(identity)
    }
    #expect(
      identities.sorted().map(\.description) == identities.map(\.description).sorted())
  }

  @Test func `every single wrong byte is noticed`() {
    for position in canonical.utf8.indices {
      for byte in UInt8(0)...0x7f {
        var bytes = Array(canonical.utf8)
        let index = canonical.utf8.distance(from: canonical.utf8.startIndex, to: position)
        bytes[index] = byte
        let isHyphen = [8, 13, 18, 23].contains(index)
        let isValid =
          isHyphen
          ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit
        #expect((Identity(bytes.span) != nil) == isValid, "byte \(byte) at \(index)")
      }
    }
  }
}
