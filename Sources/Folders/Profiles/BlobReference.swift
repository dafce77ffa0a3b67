package import SafeFiles

/// What stands in a document for bytes that are too many for it: `sha256:HEX:SIZE`. They are in the file
/// `blobs/HEX` beside the documents.
package struct BlobReference: Hashable, Sendable {
  /// What the bytes are.
  package let hash: ContentHash
  /// How many they are.
  package let byteCount: Int64

  /// The most bytes that a document has as they are.
  package static let largestInlineCount = 65_536
  /// The directory of the files.
  package static let directory: FileName = "blobs"

  private static let prefix = Array("sha256:".utf8)
  private static let digitCount = 64

  /// Creates a reference to bytes.
  package init(_ hash: ContentHash, byteCount: Int64) {
    self.hash = hash
    self.byteCount = byteCount
  }

  /// Reads a reference; nil for any other text.
  package init?(_ text: Span<UInt8>) {
    let start = Self.prefix.count
    let colon = start + Self.digitCount
    guard text.count > colon + 1, text.count <= colon + 20, text[colon] == UInt8(ascii: ":") else {
      return nil
    }
    let bytes = Array(text)
    guard bytes.starts(with: Self.prefix),
      let hash = ContentHash(hexDigits: bytes[start..<colon]),
      let count = Int64(String(decoding: bytes[(colon + 1)...], as: UTF8.self)), count >= 0
    else { return nil }
    self.init(hash, byteCount: count)
    // One text for one reference.
    guard self.text == bytes else { return nil }
  }

  /// The reference as documents have it.
  package var text: [UInt8] {
    Self.prefix + fileName + [UInt8(ascii: ":")] + Array(String(byteCount).utf8)
  }
  /// The name of the file.
  package var fileName: [UInt8] { Array(hash.description.utf8) }
  /// The path of the file.
  package var path: RelativePath {
    .checked(Self.directory.bytes + [UInt8(ascii: "/")] + fileName)
  }

  /// The directory as attachments have it.
  // It is a path.
  package static let template = try? PathTemplate(ofDirectory: directory.bytes)
}
