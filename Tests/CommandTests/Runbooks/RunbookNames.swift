import Foundation

/// The names of runs and backups, which hold the time they were made.
///
/// On a page, backup number 3 was made on 6 January 2026 at three minutes past noon; every other
/// run has a minute of its own from one o'clock on, in the order an example prints them. So a command of a
/// page can name what an earlier one has printed.
struct RunbookNames {
  private var shownByReal: [String: String] = [:]
  private var realByShown: [String: String] = [:]
  private var runCount = 0
  /// What stands on a page for the home of the example.
  private let home: String

  init(home: URL) {
    self.home = home.path
  }

  /// Returns a command of the page as it is typed in the directory of the example.
  func typed(_ command: String) -> String {
    command.replacing(/\d{8}T\d{6}Z(-[0-9a-f]+)?/) { match in
      realByShown[String(match.0)] ?? String(match.0)
    }
  }

  /// Returns what was printed as the page shows it.
  mutating func shown(_ output: String) -> String {
    for match in output.matches(of: /(Minuta-|Greenhouse-|\.store-)?(\d{8}T\d{6}Z)(-[0-9a-f]+)?/)
      .map(
        \.output)
    {
      let real = String(match.2) + (match.3 ?? "")
      guard shownByReal[real] == nil else { continue }
      let shown: String
      if match.1 != nil, let number = match.3.flatMap({ Int($0.dropFirst()) }) {
        shown = Self.time(hour: 12, minute: number) + (match.3 ?? "")
      } else {
        // What tells two runs of one second apart is chance.
        shown = Self.time(hour: 13, minute: runCount) + (match.3?.count == 5 ? "-0001" : "")
        runCount += 1
      }
      shownByReal[real] = shown
      realByShown[shown] = real
    }
    let named = output.replacing(/\d{8}T\d{6}Z(-[0-9a-f]+)?/) { match in
      shownByReal[String(match.0)] ?? String(match.0)
    }
    let today = Self.days
    return named.replacing(home, with: "/home/anna").replacing(
      /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?Z?/
    ) { match in
      // What a folder holds has times of its own.
      today.contains(String(match.0.prefix(10))) ? "2026-01-06T12:00:00Z" : String(match.0)
    }
  }

  private static func time(hour: Int, minute: Int) -> String {
    "20260106T\(hour)\(minute < 10 ? "0" : "")\(minute)00Z"
  }

  /// The days on which an example can have run.
  private static var days: [String] {
    [0, -86_400, 86_400].map {
      String(Date(timeIntervalSinceNow: $0).formatted(.iso8601).prefix(10))
    }
  }

  /// Returns a line without what differs from run to run: durations, and the sizes of archives, which hold times.
  static func withoutMeasures(_ line: String) -> String {
    line.replacing(/\d+\.\d\d s/, with: "T s")
      .replacing(/\d+(\.\d+)? [kMG]?B\b/, with: "SIZE")
      .replacing(/\ {2,}/, with: "  ")
  }
}
