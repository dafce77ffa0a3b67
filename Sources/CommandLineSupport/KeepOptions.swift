package import ArgumentParser
package import Backups
package import Folders

/// Which backups stay: what the rules of a `RetentionPolicy` are on a command line.
package struct KeepOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Keep the newest n backups; the newest verified ones and those a purge relied on stay in any \
      case.
      """,
      valueName: "n"))
  package var keep: Int?

  @Option(
    help: ArgumentHelp("Keep the backups that are no older: 12h, 30d, 8w.", valueName: "age"))
  package var keepWithin: Age?

  @Option(
    help: ArgumentHelp(
      "Keep the newest backup of each of the last n days that have one, in UTC.", valueName: "n"))
  package var keepDaily: Int?

  @Option(
    help: ArgumentHelp(
      "Keep the newest backup of each of the last n months that have one, in UTC.",
      valueName: "n"))
  package var keepMonthly: Int?

  @Option(
    help: ArgumentHelp(
      "Then drop the oldest until all that stay have no more bytes: 500M, 2G.",
      valueName: "size"))
  package var keepSize: ByteSize?

  /// Creates the options as they are without arguments.
  package init() {}

  /// The policy they make; without any of them everything stays.
  package var policy: RetentionPolicy {
    var policy = RetentionPolicy()
    (policy.count, policy.within, policy.byteCount) = (keep, keepWithin, keepSize?.byteCount)
    (policy.dayCount, policy.monthCount) = (keepDaily, keepMonthly)
    return policy
  }

  /// Whether none of them is there.
  package var isEmpty: Bool { policy.isEmpty }

  /// Refuses rules that keep nothing.
  package func validate() throws {
    for (name, count) in [
      ("--keep", keep), ("--keep-daily", keepDaily), ("--keep-monthly", keepMonthly),
    ] where count.map({ $0 < 1 }) ?? false {
      throw ValidationError("\(name) must be at least 1")
    }
    if keepWithin?.seconds == 0 { throw ValidationError("--keep-within must be more than nothing") }
    if keepSize?.byteCount == 0 { throw ValidationError("--keep-size must be more than nothing") }
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
