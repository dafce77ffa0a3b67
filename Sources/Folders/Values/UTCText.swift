package import SafeFiles

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
}
