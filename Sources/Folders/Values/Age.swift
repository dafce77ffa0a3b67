/// A length of time as people write it: `30d`, `12h`, `8w`, `90m`, `45s`.
package struct Age: Hashable, Sendable {
  /// The length in seconds.
  package let seconds: Int
  /// The text it was made from.
  package let text: String

  /// Creates an age from its text; nil if it is none.
  package init?(_ text: String) {
    let units: [Character: Int] = ["w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1]
    guard let unit = text.last.flatMap({ units[$0] }),
      let count = Int(text.dropLast()), count >= 0
    else { return nil }
    let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    (self.seconds, self.text) = (seconds, text)
  }
}
