/// Names that look as if a sync service had made them because of a conflict.
///
/// A name only proposes: whatever it says, a document is judged by its content. So this errs on the
/// side of saying yes, and what it says decides no more than which finding is shown.
package enum ConflictCopyName {
  private static let words = [
    "conflict", "konflikt", "conflit", "conflicto", "conflitto", "conflito", "-safebackup-",
    "case clash",
  ]

  /// Returns whether a name looks like a conflict copy, its extension included.
  package static func isLikely(_ name: Span<UInt8>) -> Bool {
    if lengthWithoutHidingSuffix(name) < name.count { return true }
    let stem = name.extracting(0..<stemLength(name))
    if DirectoryName.lengthWithoutCopyNumber(stem) < stem.count || endsWithCopyNumber(stem) {
      return true
    }
    let text = String(decoding: Array(stem), as: UTF8.self).lowercased()
    return words.contains { text.contains($0) }
  }

  /// Returns the length of a name without `.conflictN` or `..pathN`, which rclone appends after
  /// the extension.
  package static func lengthWithoutHidingSuffix(_ name: Span<UInt8>) -> Int {
    var end = name.count
    while end > 0, name[end - 1] &- UInt8(ascii: "0") < 10 { end -= 1 }
    guard end < name.count else { return name.count }
    for suffix in [".conflict", "..path"] {
      let length = end - suffix.utf8.count
      if length > 0, NameText.hasSuffix(name.extracting(0..<end), ignoringCaseOf: suffix) {
        return length
      }
    }
    return name.count
  }

  /// `NAME (N)`, N from 1 to 999.
  private static func endsWithCopyNumber(_ stem: Span<UInt8>) -> Bool {
    guard stem.count > 4, stem[stem.count - 1] == UInt8(ascii: ")") else { return false }
    var position = stem.count - 2
    while position > 0, stem[position] &- UInt8(ascii: "0") < 10 { position -= 1 }
    return 1...3 ~= stem.count - 2 - position && position > 1
      && stem[position + 1] != UInt8(ascii: "0")
      && stem[position] == UInt8(ascii: "(") && stem[position - 1] == UInt8(ascii: " ")
  }

  /// The length of a name without its last extension.
  private static func stemLength(_ name: Span<UInt8>) -> Int {
    var position = name.count - 1
    while position > 0 {
      if name[position] == UInt8(ascii: ".") { return position }
      position -= 1
    }
    return name.count
  }
}
