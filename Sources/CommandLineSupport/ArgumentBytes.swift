/// Carries arguments that are not valid UTF-8 through an argument parser that takes text only.
enum ArgumentBytes {
  private static let firstCarrier: UInt32 = 0x10FF00

  /// Returns the text that stands for these bytes; plain text stands for itself.
  static func encode(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isCarrier) {
      return text
    }
    var text = String.UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.first {
      let length = (1...min(4, rest.count)).first { count in
        guard let scalars = String(validating: rest.prefix(count), as: UTF8.self)?.unicodeScalars,
          let scalar = scalars.first
        else { return false }
        return !isCarrier(scalar)
      }
      if let length {
        text.append(contentsOf: String(decoding: rest.prefix(length), as: UTF8.self).unicodeScalars)
        rest.removeFirst(length)
      } else {
        text.append(carrier(of: first))
        rest.removeFirst()
      }
    }
    return String(text)
  }

  /// Returns the bytes a text stands for.
  static func decode(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      if isCarrier(scalar) {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
    return bytes
  }

  private static func isCarrier(_ scalar: Unicode.Scalar) -> Bool { scalar.value >= firstCarrier }

  private static func carrier(of byte: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(firstCarrier + UInt32(byte)) ?? "\u{FFFD}"
  }
}
