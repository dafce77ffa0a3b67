import Diagnostics

/// A moment as reports write it, `2026-01-06T12:00:00Z`, for saying how long ago it was.
struct UTCTime {
  /// Seconds since 1970.
  let seconds: Int

  /// Reads the text of a report; nil if it is something else.
  init?(_ text: String) {
    let digits = Array(text.utf8)
    guard digits.count == 20, digits[10] == UInt8(ascii: "T"), digits[19] == UInt8(ascii: "Z")
    else {
      return nil
    }
    func number(_ range: Range<Int>) -> Int? { Int(String(decoding: digits[range], as: UTF8.self)) }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      (1...12).contains(month)
    else { return nil }
    // Years that begin in March have their leap day at the end.
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
  }

  /// How long ago the moment was at another one: `3 days`, `2 hours`, `just now`.
  func age(at now: Int) -> String {
    let age = now - seconds
    if age < 60 { return age < 0 ? "in the future" : "just now" }
    if age < 3_600 { return (age / 60).counted("minute") }
    if age < 86_400 { return (age / 3_600).counted("hour") }
    return (age / 86_400).counted("day")
  }
}
