/// Reading what others may be writing.
package enum SteadyRead {
  /// How often a file that changes while it is read is read again.
  private static let attempts = 3

  /// Returns what `read` returns; calls it again as long as it throws `changedWhileRead`, three times
  /// in all.
  package static func perform<Result>(
    _ read: () throws(FileError) -> Result
  ) throws(FileError) -> Result {
    for _ in 1..<attempts {
      do throws(FileError) {
        return try read()
      } catch {
        guard case .changedWhileRead = error else { throw error }
      }
    }
    return try read()
  }
}
