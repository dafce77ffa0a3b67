/// Names of image files.
package enum ImageName {
  private static let extensions = [
    ".jpg", ".jpeg", ".png", ".heic", ".heif", ".gif", ".webp", ".tif", ".tiff", ".bmp", ".avif",
  ]

  /// Returns whether a name is the app's `UUID_INDEX.EXTENSION`, or ends as images do.
  package static func isImage(_ name: Span<UInt8>) -> Bool {
    owner(name) != nil || extensions.contains { NameText.hasSuffix(name, ignoringCaseOf: $0) }
  }

  /// Returns the identity in a name of the form `UUID_INDEX.EXTENSION`, whatever the extension.
  package static func owner(_ name: Span<UInt8>) -> Identity? {
    guard name.count >= 40, name[36] == UInt8(ascii: "_"),
      let identity = Identity(name.extracting(0..<36))
    else { return nil }
    var position = 37
    while position < name.count, name[position] &- UInt8(ascii: "0") < 10 { position += 1 }
    guard position > 37, position + 1 < name.count, name[position] == UInt8(ascii: ".") else {
      return nil
    }
    return identity
  }
}
