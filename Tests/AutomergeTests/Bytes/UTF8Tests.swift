import Testing

@testable import Automerge

/// What is well-formed UTF-8, held against the standard library's own answer.
@Suite struct UTF8Tests {
  /// Bytes at which an answer may change (The Unicode Standard, table 3-7), and their neighbours.
  private static let boundaries: [UInt8] = [
    0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec,
    0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
  ]

  private func expectAgreement(_ bytes: [UInt8], in range: Range<Int>) {
    let answer = bytes.isValidUTF8(in: range)
    guard answer != (String(validating: bytes[range], as: UTF8.self) != nil) else { return }
    Issue.record("\(Array(bytes[range])) is taken for \(answer ? "well-formed" : "damaged")")
  }

  @Test("every two bytes")
  func pairs() {
    for first in UInt8.min...UInt8.max {
      expectAgreement([first], in: 0..<1)
      for second in UInt8.min...UInt8.max { expectAgreement([first, second], in: 0..<2) }
    }
  }

  @Test("three and four bytes at the boundaries, whole and cut off")
  func boundaries() {
    for first in Self.boundaries where first >= 0xdf {
      for second in Self.boundaries {
        for third in Self.boundaries {
          expectAgreement([first, second, third], in: 0..<3)
          for fourth in [0x00, 0x7f, 0x80, 0xbf, 0xc0] as [UInt8] {
            expectAgreement([first, second, third, fourth], in: 0..<4)
          }
        }
      }
    }
  }

  @Test("a damaged byte is found wherever it stands among letters")
  func places() {
    let scalars: [[UInt8]] = [
      [0x80], [0xc3, 0xa4], [0xe2, 0x82], [0xf0, 0x9f, 0x98, 0x80], [0xff],
    ]
    for before in 0..<20 {
      for after in 0..<20 {
        for scalar in scalars {
          // What stands outside of the range is damaged and is not to be looked at.
          let letters = [UInt8](repeating: 0x61, count: before)
          let rest = [UInt8](repeating: 0x7a, count: after)
          let bytes = [0xff] + letters + scalar + rest + [0xff]
          expectAgreement(bytes, in: 1..<bytes.count - 1)
        }
      }
    }
  }
}
