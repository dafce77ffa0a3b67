/// The unit in which text is counted; a property of the open document, never stored.
public enum TextEncoding: Sendable {
  case graphemeCluster
  case unicodeScalar
  case utf8
  case utf16
}

extension TextEncoding {
  /// Returns the number of units of the UTF-8 in `range`, which must be well-formed.
  func width(of bytes: [UInt8], _ range: Range<Int>) -> Int {
    switch self {
    case .utf8:
      return range.count
    case .graphemeCluster:
      return String(decoding: bytes[range], as: UTF8.self).count
    case .unicodeScalar, .utf16:
      var width = 0
      for index in range {
        let byte = bytes[index]
        if byte & 0xc0 != 0x80 { width &+= 1 }
        // A scalar of four bytes is a surrogate pair.
        if byte >= 0xf0, self == .utf16 { width &+= 1 }
      }
      return width
    }
  }
}
