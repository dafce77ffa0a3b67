package import SafeFiles

/// A backup whose every byte was read, and that something relies on: of its manifest only the files are
/// kept.
///
/// As long as there is a copy of the value the file stays open, and no command drops it.
package struct ReliedBackup: Sendable {
  /// Where it is.
  package let archive: BackupArchive
  /// The hash of its manifest.
  package let manifestHash: ContentHash
  /// What it holds.
  package let files: BackedUpFiles
  private let held: HeldFile

  /// The state of the file when it was verified.
  package var state: FileState { held.state }

  /// Takes what is needed of a verified backup.
  package init(_ backup: VerifiedBackup) {
    archive = backup.archive
    manifestHash = backup.manifest.hash
    files = BackedUpFiles(backup.manifest)
    held = backup.held
  }

  /// Throws if the file is not in its place any more, or is not the one that was verified.
  ///
  /// Asked right before each step that cannot be undone without the backup.
  package func requireInPlace() throws(FileError) { try held.requireInPlace() }
}
