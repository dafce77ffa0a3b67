import Diagnostics
package import SafeFiles

/// A moment in milliseconds since 1970, read from and written as an RFC 3339 date.
package struct RFC3339: Hashable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  package var milliseconds: Int64
  /// Whether the text had digits below the millisecond that rounding lost.
  package var isPrecisionReduced: Bool

  /// Creates a moment.
  package init(milliseconds: Int64, isPrecisionReduced: Bool = false) {
    self.milliseconds = milliseconds
    self.isPrecisionReduced = isPrecisionReduced
  }

  /// Parses `YYYY-MM-DDTHH:MM:SS`, optionally `.` and 1 to 9 digits, then `Z` or `±HH:MM`.
  ///
  /// `t` and `z` may be lower case. Fractions are rounded half up to milliseconds on their digits,
  /// also before 1970. Second 60, hour 24 and days a month does not have are refused.
  package init?(_ text: Span<UInt8>) {
    guard text.count >= 20,
      let year = Self.number(text, 0, 4), let month = Self.number(text, 5, 2),
      let day = Self.number(text, 8, 2), let hour = Self.number(text, 11, 2),
      let minute = Self.number(text, 14, 2), let second = Self.number(text, 17, 2),
      text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] | 0x20 == UInt8(ascii: "t"),
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      1...12 ~= month, 1...CivilDate.dayCount(year: year, month: month) ~= day,
      hour < 24, minute < 60, second < 60
    else { return nil }

    var position = 19
    var fraction = 0
    var isPrecisionReduced = false
    if text[position] == UInt8(ascii: ".") {
      position += 1
      let first = position
      while position < text.count, text[position] &- UInt8(ascii: "0") < 10 {
        let digit = Int(text[position] &- UInt8(ascii: "0"))
        switch position - first {
        case 0: fraction += digit * 100
        case 1: fraction += digit * 10
        case 2: fraction += digit
        case 3: fraction += digit >= 5 ? 1 : 0
        default: break
        }
        if position - first >= 3, digit != 0 { isPrecisionReduced = true }
        position += 1
      }
      guard 1...9 ~= position - first else { return nil }
    }

    guard let offset = Self.offsetMinutes(text, from: position) else { return nil }
    let days = CivilDate.days(year: year, month: month, day: day)
    let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
    let milliseconds = Int64(seconds * 1000 + fraction)
    guard Self.writable.contains(milliseconds) else { return nil }
    self.init(milliseconds: milliseconds, isPrecisionReduced: isPrecisionReduced)
  }

  /// Parses a string as `init(_:Span<UInt8>)` does.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    self.init(bytes.span)
  }

  private static func number(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> Int? {
    var value = 0
    for index in start..<start + count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    return value
  }

  private static func offsetMinutes(_ text: Span<UInt8>, from start: Int) -> Int? {
    guard start < text.count else { return nil }
    if text[start] | 0x20 == UInt8(ascii: "z") { return start + 1 == text.count ? 0 : nil }
    guard start + 6 == text.count, text[start + 3] == UInt8(ascii: ":"),
      let hours = number(text, start + 1, 2), let minutes = number(text, start + 4, 2),
      hours < 24, minutes < 60
    else { return nil }
    switch text[start] {
    case UInt8(ascii: "+"): return hours * 60 + minutes
    case UInt8(ascii: "-"): return -(hours * 60 + minutes)
    default: return nil
    }
  }
}

// MARK: - Writing

extension RFC3339 {
  private static let widestOffset: Int64 = (23 * 60 + 59) * 60_000
  /// The moments of the years 0000 to 9999 in UTC.
  private static let writableInUTC: Range<Int64> = -62_167_219_200_000..<253_402_300_800_000
  /// The moments that have an RFC 3339 form at all: those of the years 0000 to 9999 somewhere.
  package static let writable: Range<Int64> =
    writableInUTC.lowerBound - widestOffset..<writableInUTC.upperBound + widestOffset

  /// Whether `append(to:)` can write this moment; what the parser returned it always can.
  package var isWritable: Bool { Self.writable.contains(milliseconds) }

  /// Appends `YYYY-MM-DDTHH:MM:SSZ`, with three digits of fraction unless they are zero.
  ///
  /// The few moments whose year is outside 0000 to 9999 only in UTC get the offset `±23:59`.
  /// Returns `false`, and appends nothing, for a moment without an RFC 3339 form.
  @discardableResult
  package func append(to bytes: inout [UInt8]) -> Bool {
    guard isWritable else { return false }
    var local = milliseconds
    var suffix: StaticString = "Z"
    if local < Self.writableInUTC.lowerBound {
      local += Self.widestOffset
      suffix = "+23:59"
    } else if local >= Self.writableInUTC.upperBound {
      local -= Self.widestOffset
      suffix = "-23:59"
    }
    let (days, rest) = Self.dividing(Int(local), by: 86_400_000)
    let (year, month, day) = CivilDate.date(days: days)
    Self.append(year, width: 4, to: &bytes)
    Self.append(month, width: 2, after: "-", to: &bytes)
    Self.append(day, width: 2, after: "-", to: &bytes)
    Self.append(rest / 3_600_000, width: 2, after: "T", to: &bytes)
    Self.append(rest / 60_000 % 60, width: 2, after: ":", to: &bytes)
    Self.append(rest / 1000 % 60, width: 2, after: ":", to: &bytes)
    if rest % 1000 != 0 { Self.append(rest % 1000, width: 3, after: ".", to: &bytes) }
    bytes.append(contentsOf: suffix.description.utf8)
    return true
  }

  /// Divides rounding down, also below zero.
  private static func dividing(_ value: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func append(
    _ value: Int, width: Int, after separator: Unicode.Scalar? = nil, to bytes: inout [UInt8]
  ) {
    if let separator { bytes.append(UInt8(ascii: separator)) }
    var divisor = 1
    for _ in 1..<width { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
      divisor /= 10
    }
  }
}

extension RFC3339 {
  /// The local date and time in UTC, for names: `YYYY-MM-DD_HHmmss`, or `nil` outside 0000 to 9999.
  package var utcName: [UInt8]? {
    guard Self.writableInUTC.contains(milliseconds) else { return nil }
    var text: [UInt8] = []
    append(to: &text)
    return Array(text[0..<10]) + [UInt8(ascii: "_")]
      + [text[11], text[12], text[14], text[15], text[17], text[18]]
  }
}

extension RFC3339: CustomStringConvertible {
  package var description: String {
    var bytes: [UInt8] = []
    return append(to: &bytes)
      ? String(decoding: bytes, as: UTF8.self) : "\(milliseconds) ms since 1970"
  }
}

/// Days and dates of the proleptic Gregorian calendar, without a time zone or a locale.
enum CivilDate {
  /// Returns the number of days from 1970-01-01 to a date; the month is 1 to 12.
  ///
  /// The year begins in March here, so that the leap day is its last day (Howard Hinnant,
  /// "chrono-Compatible Low-Level Date Algorithms").
  static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Returns the date that lies `days` after 1970-01-01.
  static func date(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthIndex + 2) / 5 + 1)
  }

  /// Returns the number of days of a month.
  static func dayCount(year: Int, month: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}

/// Times as reports and file names show them: UTC, proleptic Gregorian, no locale, whole seconds.
///
/// What lies outside the years 0000 to 9999, the only ones that have this form, is their first or
/// last second.
package enum UTCText {
  /// Returns `2026-01-06T12:00:00Z`.
  package static func long(_ time: FileTime) -> String {
    let seconds = min(max(Int64(time.seconds), -62_167_219_200), 253_402_300_799)
    return RFC3339(milliseconds: seconds * 1000).description
  }

  /// Returns `20260106T120000Z`, which every file system takes.
  package static func compact(_ time: FileTime) -> String {
    long(time).filter { $0 != "-" && $0 != ":" }
  }

  /// How long ago a moment of a report was at another one, in seconds since 1970: `3 days`,
  /// `2 hours`, `just now`; empty if the text is no moment.
  package static func age(of moment: String, at now: Int) -> String {
    guard let moment = RFC3339(moment) else { return "" }
    let age = now - Int(moment.milliseconds / 1000)
    if age < 60 { return age < 0 ? "in the future" : "just now" }
    if age < 3_600 { return (age / 60).counted("minute") }
    if age < 86_400 { return (age / 3_600).counted("hour") }
    return (age / 86_400).counted("day")
  }
}
