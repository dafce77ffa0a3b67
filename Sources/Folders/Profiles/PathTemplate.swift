package import SafeFiles

/// A path below a folder in which a month may be filled in: of a document, or of a directory.
///
/// It is a `PathPattern` without `*`.
package struct PathTemplate: Hashable, Sendable {
  /// The pattern of what it stands for; nil for the folder itself.
  package let pattern: PathPattern?

  /// Whether a month belongs into it.
  package var hasMonth: Bool { pattern?.hasMonth ?? false }
  /// The template as it is written.
  package var text: [UInt8] { pattern?.text ?? [UInt8(ascii: ".")] }

  /// Parses the template of a document.
  ///
  /// Its names are made of ASCII letters, digits, `-`, `_`, `.` and spaces inside, so that every file
  /// system keeps them as they are.
  package init(ofDocument text: [UInt8]) throws(PathDefect) {
    let pattern = try PathPattern(text)
    if pattern.hasWildcard { throw .wildcard }
    let suffix = FolderNames.documentExtension.utf8
    guard text.count > suffix.count, text.suffix(suffix.count).elementsEqual(suffix),
      text[text.count - suffix.count - 1] != UInt8(ascii: "/")
    else { throw .documentExtension }
    for part in text.split(separator: UInt8(ascii: "/")) where !Self.isPortable(part) {
      throw .notPortable
    }
    self.pattern = pattern
  }

  /// Parses the template of a directory; `.` is the folder itself.
  package init(ofDirectory text: [UInt8]) throws(PathDefect) {
    if text == [UInt8(ascii: ".")] {
      pattern = nil
      return
    }
    let pattern = try PathPattern(text)
    if pattern.hasWildcard { throw .wildcard }
    self.pattern = pattern
  }

  /// Returns the path for a month; nil if one belongs into it and none is given.
  package func path(in month: Month?) -> RelativePath? {
    guard let pattern else { return .folder }
    guard pattern.hasMonth else { return RelativePath(pattern.text) }
    guard let month else { return nil }
    return RelativePath(month.filling(pattern.text))
  }

  /// Returns whether two documents could get one name, on file systems that ignore case, too.
  package func overlaps(_ other: PathTemplate) -> Bool {
    guard let pattern, let others = other.pattern else { return false }
    return pattern.ignoringCase.overlaps(others.ignoringCase)
  }

  private static func isPortable(_ name: ArraySlice<UInt8>) -> Bool {
    let isPlain = name.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: " "), UInt8(ascii: "{"), UInt8(ascii: "}"):
        true
      default: false
      }
    }
    let edges = [UInt8(ascii: " "), UInt8(ascii: ".")]
    return isPlain && name.first != edges[0] && name.last.map(edges.contains) == false
  }
}

extension PathTemplate: CustomStringConvertible {
  /// The template as it is written.
  package var description: String { String(decoding: text, as: UTF8.self) }
}
