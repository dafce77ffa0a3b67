package import SafeFiles

/// The file `BACKUP.keep` beside a backup that must stay: something was unlinked because the backup
/// holds it, and it may be the only place that does.
///
/// It lies with the backups, not in the folder, so that neither a restore nor a sync service can
/// part the two. Whoever removes it says that the backup may go.
package struct KeepMark: Sendable {
  private static let suffix: StaticString = ".keep"

  private let directory: Directory
  private let backup: FileName

  /// The mark of a backup, whether it is there or not.
  package init(of archive: BackupArchive) {
    directory = archive.directory
    backup = archive.name
  }

  /// Whether a name is that of a mark.
  static func isMark(_ name: FileName) -> Bool {
    guard name.hasSuffix(suffix),
      let backup = FileName(Array(name.bytes.dropLast(suffix.utf8CodeUnitCount)))
    else { return false }
    return BackupName(backup) != nil
  }

  /// Whether the backup must stay; anything of that name says so.
  package func isThere() throws(FileError) -> Bool {
    guard let name else { return false }
    return try directory.stateIfPresent(of: name) != nil
  }

  /// Sets the mark, durably.
  ///
  /// The caller holds the backup, so that nobody is about to drop it.
  package func set() throws(FileError) {
    guard let name else { throw .invalidPath(path: directory.path(of: backup)) }
    guard try !isThere() else { return }
    try directory.sweepTemporaries { $0 == name }
    let text = """
      Files were purged because \(backup) holds them. It may be the only place that does, so no \
      command drops it. Remove this file if it may go.

      """
    let privacy = Privacy(of: try directory.state(of: backup))
    try StagedFile.publish([directory.stage(Array(text.utf8), as: name, asPrivateAs: privacy)])
  }

  private var name: FileName? { FileName(backup.bytes + Array(Self.suffix.description.utf8)) }
}
