package import ArgumentParser
package import Backups
package import Folders

// The options that say which backups stay, one by one and not as a group, which costs each start.
extension ArgumentHelp {
  package static var keep: ArgumentHelp {
    ArgumentHelp(
      """
      Keep the newest n backups; the newest verified ones and those a purge relied on stay in any \
      case.
      """,
      valueName: "n")
  }

  package static var keepWithin: ArgumentHelp {
    ArgumentHelp("Keep the backups that are no older: 12h, 30d, 8w.", valueName: "age")
  }

  package static var keepDaily: ArgumentHelp {
    ArgumentHelp(
      "Keep the newest backup of each of the last n days that have one, in UTC.", valueName: "n")
  }

  package static var keepMonthly: ArgumentHelp {
    ArgumentHelp(
      "Keep the newest backup of each of the last n months that have one, in UTC.",
      valueName: "n")
  }

  package static var keepSize: ArgumentHelp {
    ArgumentHelp(
      "Then drop the oldest until all that stay have no more bytes: 500M, 2G.",
      valueName: "size")
  }
}

extension RetentionPolicy {
  /// The policy that options make; without any of them everything stays.
  package init(count: Int?, within: Age?, daily: Int?, monthly: Int?, size: ByteSize?) {
    self.init()
    (self.count, self.within, byteCount) = (count, within, size?.byteCount)
    (dayCount, monthCount) = (daily, monthly)
  }

  /// Refuses rules that keep nothing.
  package func requireKeeping() throws {
    for (name, count) in [
      ("--keep", count), ("--keep-daily", dayCount), ("--keep-monthly", monthCount),
    ] where count.map({ $0 < 1 }) ?? false {
      throw ValidationError("\(name) must be at least 1")
    }
    if within?.seconds == 0 { throw ValidationError("--keep-within must be more than nothing") }
    if byteCount == 0 { throw ValidationError("--keep-size must be more than nothing") }
  }
}

/// A number of bytes as it is written on a command line: `500M`, `2G`, with the units that reports have,
/// of which each is a thousand of the one before.
package struct ByteSize: ExpressibleByArgument, Hashable, Sendable {
  /// The number.
  package let byteCount: Int64

  /// Creates a size from its text; nil if it is none.
  package init?(argument: String) {
    let digits = argument.prefix { $0.isASCII && $0.isWholeNumber }
    let units: [String: Int64] = [
      "": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000, "t": 1_000_000_000_000,
    ]
    var unit = argument.dropFirst(digits.count).lowercased()
    if unit.last == "b" { unit.removeLast() }
    guard let count = Int64(digits), let factor = units[unit] else { return nil }
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    self.byteCount = byteCount
  }
}
