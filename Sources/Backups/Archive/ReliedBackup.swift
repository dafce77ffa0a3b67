package import SafeFiles

/// Keeps a verified backup from being dropped, as long as there is a copy of the value.
package struct BackupHold: Sendable {
  /// Where it is.
  package let archive: BackupArchive
  /// The hash of its manifest.
  package let manifestHash: ContentHash
  let held: HeldFile
}

/// A backup whose every byte was read, and that a change relies on: of its manifest only the files are
/// kept.
package struct ReliedBackup: Sendable {
  /// What keeps others from dropping it.
  package let hold: BackupHold
  /// What it holds.
  package let files: BackedUpFiles

  /// Where it is.
  package var archive: BackupArchive { hold.archive }
  /// The state of the file when it was verified.
  package var state: FileState { hold.held.state }

  /// Takes what is needed of a verified backup.
  package init(_ backup: consuming VerifiedBackup) {
    hold = backup.hold
    files = BackedUpFiles(backup.takeManifest())
  }

  /// Throws if the file is not in its place any more, or is not the one that was verified.
  ///
  /// Asked right before each step that cannot be undone without the backup.
  package func requireInPlace() throws(FileError) { try hold.held.requireInPlace() }
}
