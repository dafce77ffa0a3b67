import Automerge
import Foundation

/// A scalar as it is stored (format.md 2.6), so that two are equal only if nothing tells them
/// apart: not a composed from a decomposed letter, not one NaN from another.
struct ModelScalar: Hashable {
  var typeCode: UInt8
  var bytes: [UInt8]

  init(typeCode: UInt8, bytes: [UInt8]) {
    self.typeCode = typeCode
    self.bytes = bytes
  }

  init(_ value: ScalarValue) {
    switch value {
    case .Null: self.init(typeCode: 0, bytes: [])
    case .Boolean(let value): self.init(typeCode: value ? 2 : 1, bytes: [])
    case .Uint(let value): self.init(typeCode: 3, bytes: ForgedNumber.uleb(value))
    case .Int(let value): self.init(typeCode: 4, bytes: ForgedNumber.sleb(value))
    case .F64(let value):
      self.init(
        typeCode: 5,
        bytes: (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) })
    case .String(let text): self.init(typeCode: 6, bytes: Array(text.utf8))
    case .Bytes(let data): self.init(typeCode: 7, bytes: Array(data))
    case .Counter(let value): self = .counter(value)
    case .Timestamp(let date):
      // What is read is a quotient of the milliseconds, which a product need not give back.
      self.init(
        typeCode: 9,
        bytes: ForgedNumber.sleb(Int64((date.timeIntervalSince1970 * 1000).rounded())))
    case .Unknown(let code, let data): self.init(typeCode: code, bytes: Array(data))
    }
  }

  static let null = ModelScalar(typeCode: 0, bytes: [])

  static func counter(_ value: Int64) -> ModelScalar {
    ModelScalar(typeCode: 8, bytes: ForgedNumber.sleb(value))
  }

  var isNull: Bool { typeCode == 0 }
  var isString: Bool { typeCode == 6 }
  var isCounter: Bool { typeCode == 8 }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The number that is stored, of a counter, an integer or a timestamp.
  var number: Int64 {
    var value: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      value |= UInt64(byte & 0x7f) << UInt64(7 * index)
    }
    let bits = UInt64(7 * bytes.count)
    let isNegative = typeCode != 3 && bits < 64 && (bytes.last ?? 0) & 0x40 != 0
    return Int64(bitPattern: isNegative ? value | ~0 << bits : value)
  }

  /// Whether writing `other` over this value would change nothing. NaN equals nothing, and zero
  /// equals its negative (format.md 6.2).
  func isElided(by other: ModelScalar) -> Bool {
    guard typeCode == 5, other.typeCode == 5 else { return self == other }
    return double == other.double
  }

  /// The number that is stored, of a float.
  var double: Double {
    Double(bitPattern: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }
}

extension ModelScalar: CustomStringConvertible {
  var description: String {
    isString ? text.debugDescription : "\(typeCode):\(hexadecimal(bytes))"
  }
}
