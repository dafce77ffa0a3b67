package import SafeFiles

/// Times as reports and file names show them: UTC, proleptic Gregorian, no locale.
package enum UTCText {
  /// Returns `2026-01-06T12:00:00Z`.
  package static func long(_ time: FileTime) -> String {
    let (year, month, day, hour, minute, second) = parts(time)
    return "\(pad(year, 4))-\(pad(month))-\(pad(day))T\(pad(hour)):\(pad(minute)):\(pad(second))Z"
  }

  /// Returns `20260106T120000Z`, which every file system takes.
  package static func compact(_ time: FileTime) -> String {
    let (year, month, day, hour, minute, second) = parts(time)
    return "\(pad(year, 4))\(pad(month))\(pad(day))T\(pad(hour))\(pad(minute))\(pad(second))Z"
  }

  private static func parts(_ time: FileTime) -> (Int, Int, Int, Int, Int, Int) {
    // Clamped to the years 0000 to 9999, the only ones that have this form.
    let seconds = Int(min(max(time.seconds, -62_167_219_200), 253_402_300_799))
    let days = Int((Double(seconds) / 86_400).rounded(.down))
    let rest = seconds - days * 86_400
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": the year begins in March.
    let shifted = days + 719_468
    let era = Int((Double(shifted) / 146_097).rounded(.down))
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, day, rest / 3_600, rest / 60 % 60, rest % 60)
  }

  private static func pad(_ number: Int, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
