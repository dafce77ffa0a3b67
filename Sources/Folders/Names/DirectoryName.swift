/// What the name of a directory below `records` or `images` means.
///
/// iCloud renames the loser of a conflict, directories included, by appending a space and a number
/// from 2: `records 2/2024 3/01 2` is overlaid on `records/2024/01`.
package enum DirectoryName {
  /// Returns whether a name is `base` or `base N`.
  package static func isBase(_ base: String, _ name: Span<UInt8>) -> Bool {
    NameText.isEqual(name.extracting(0..<lengthWithoutCopyNumber(name)), base)
  }

  /// Returns the year of `YYYY` or `YYYY N`.
  package static func year(_ name: Span<UInt8>) -> Int? {
    let length = lengthWithoutCopyNumber(name)
    return length == 4 ? NameText.number(name, 0..<4) : nil
  }

  /// Returns the month of `M`, `MM`, `M N` or `MM N`.
  package static func month(_ name: Span<UInt8>) -> Int? {
    let length = lengthWithoutCopyNumber(name)
    guard length == 1 || length == 2, let month = NameText.number(name, 0..<length),
      1...12 ~= month
    else { return nil }
    return month
  }

  /// Returns the length of a name without the ` N` of a copy, N being 2 to 999 without zeros in front.
  package static func lengthWithoutCopyNumber(_ name: Span<UInt8>) -> Int {
    var digits = 0
    while digits < name.count, name[name.count - 1 - digits] &- UInt8(ascii: "0") < 10 {
      digits += 1
    }
    let space = name.count - 1 - digits
    guard 1...3 ~= digits, space > 0, name[space] == UInt8(ascii: " "),
      name[space + 1] != UInt8(ascii: "0"),
      let number = NameText.number(name, space + 1..<name.count), number >= 2
    else { return name.count }
    return space
  }
}
