import SafeFiles

/// What tells one copy of a folder from others: random bytes in our own state.
struct FolderIdentity: Hashable {
  static let byteCount = 16

  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Draws a new one.
  static func random() -> FolderIdentity {
    FolderIdentity(
      bytes: Array(ContentHash(of: Entropy.hexDigits(2 * byteCount)).bytes.prefix(byteCount)))
  }

  /// As the name of a file.
  var name: FileName? {
    var digits: [UInt8] = []
    for byte in bytes { HexDigits.append(byte, to: &digits) }
    return FileName(digits)
  }
}
