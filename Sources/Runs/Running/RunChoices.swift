import Diagnostics
package import Folders

extension NextCommand {
  /// Returns what tells a command what dates count that are numbers.
  package static func options(numericDates: NumericDates?) -> [String] {
    numericDates.map { ["--numeric-dates", $0.rawValue] } ?? []
  }
}

/// Where documents are put.
package enum LayoutChoice: String, CaseIterable, Hashable, Sendable {
  /// The layout of the documents already there, else monthly.
  case auto
  /// One document for each month.
  case monthly
  /// One document for each record.
  case perRecord = "per-record"
}

/// What kind of history an import writes.
package enum HistoryChoice: String, CaseIterable, Hashable, Sendable {
  /// Small changes for each entity that are the same on every device.
  case convergent
  /// One change for each document.
  case plain
}

/// What a date that is written as a number counts.
package enum NumericDateChoice: String, CaseIterable, Hashable, Sendable {
  /// Seconds since 2001-01-01, as Swift's default encoder writes them.
  case reference
  /// Seconds since 1970-01-01.
  case unix
  /// Milliseconds since 1970-01-01.
  case unixMilliseconds = "unix-ms"
}
