import Diagnostics
package import Runs
import SafeFiles

/// What `sync-folder` is asked to do.
package struct SyncOptions: Sendable {
  /// The folder of this side.
  package var folder: String
  /// Whether only what would be done is told; nothing is written on either side.
  package var isDryRun = false
  /// Whether the other side is to notice when its folder changes.
  package var watches = false
  /// How long nothing may move on the connection before it counts as cut.
  package var silenceSeconds = standardSilenceSeconds

  /// How long that is unless something else is asked for.
  package static let standardSilenceSeconds = 300

  /// Creates options for a folder.
  package init(folder: String) { self.folder = folder }
}

extension SyncOptions {
  /// Throws if two folders are one, or one lies in the other.
  package static func requireApart(
    _ folder: String, _ other: String, context: RunContext
  ) throws(MigrationError) {
    let one = try FolderAccess.open(folder, context: context)
    let two = try FolderAccess.open(other, context: context)
    let overlaps = try MigrationError.wrapping { () throws(FileError) in
      if try one.state().isSameFile(as: two.state()) { return true }
      if try one.isInside(two) { return true }
      return try two.isInside(one)
    }
    guard overlaps else { return }
    throw .underlying(
      Diagnostic(
        .usage, subject: DisplayText.escaping(other.utf8),
        problem: "is the folder \(DisplayText.escaping(folder.utf8)), or one lies in the other",
        remedy: "give two folders that are apart"))
  }
}
