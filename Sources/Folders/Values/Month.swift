/// A calendar month: the place where records, their images and their document belong together.
package struct Month: Hashable, Comparable, Sendable {
  private let index: UInt32

  /// Creates a month; returns `nil` unless the year is 0 to 9999 and the month 1 to 12.
  package init?(year: Int, month: Int) {
    guard 0...9999 ~= year, 1...12 ~= month else { return nil }
    index = UInt32(year * 12 + month - 1)
  }

  /// The month of a moment in UTC, given in milliseconds since 1970; outside the years 0 to 9999, where
  /// an offset can lead, the first or the last month of these.
  package init(milliseconds: Int64) {
    let day: Int64 = 86_400_000
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: day)
    let date = CivilDate.date(days: Int(rest < 0 ? days - 1 : days))
    let month = date.year * 12 + date.month - 1
    index = UInt32(clamping: min(max(month, 0), 9999 * 12 + 11))
  }

  /// Parses `YYYY-MM` at the start of a name; whatever follows does not matter.
  package init?(prefixOf name: Span<UInt8>) {
    guard name.count >= 7, name[4] == UInt8(ascii: "-") else { return nil }
    var digits = 0
    for position in [0, 1, 2, 3, 5, 6] {
      let digit = name[position] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      digits = digits * 10 + Int(digit)
    }
    self.init(year: digits / 100, month: digits % 100)
  }

  /// Parses `YYYY-MM` and nothing else.
  package init?(wholeName text: String) {
    let name = Array(text.utf8)
    guard name.count == 7 else { return nil }
    self.init(prefixOf: name.span)
  }

  /// The year, 0 to 9999.
  package var year: Int { Int(index / 12) }
  /// The month of the year, 1 to 12.
  package var month: Int { Int(index % 12) + 1 }
  /// The month after this one, or `nil` after 9999-12.
  package var next: Month? {
    month == 12 ? Month(year: year + 1, month: 1) : Month(year: year, month: month + 1)
  }

  /// The year in four digits.
  package var yearName: String { Self.padded(year, 4) }
  /// The month in two digits.
  package var monthName: String { Self.padded(month, 2) }

  /// Appends the year and the month as the names of two directories, one in the other: `YYYY/MM`.
  package func append(to bytes: inout [UInt8]) {
    let (year, month) = (year, month)
    for digit in [year / 1000, year / 100 % 10, year / 10 % 10, year % 10] {
      bytes.append(UInt8(ascii: "0") + UInt8(digit))
    }
    bytes.append(UInt8(ascii: "/"))
    bytes.append(UInt8(ascii: "0") + UInt8(month / 10))
    bytes.append(UInt8(ascii: "0") + UInt8(month % 10))
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: width - digits.count) + digits
  }

  package static func < (left: Month, right: Month) -> Bool { left.index < right.index }
}

extension Month: CustomStringConvertible {
  /// The month as `YYYY-MM`.
  package var description: String { yearName + "-" + monthName }
}
