import SafeFiles

/// What of a folder stays where it is while a restore moves its entries, as the restore's run says it:
/// whoever finishes the restore, or undoes it, may not have been told the profile.
///
/// An empty file in the run has the lock in its name, `keeping-LOCK`, so that it is there whole or not
/// at all; of an app without a lock nothing follows. Without such a file the lock is the one of the
/// built-in profile.
enum RestoreScope {
  private static let prefix: StaticString = "keeping-"

  /// Whether a name is that of such a file.
  static func isNote(_ name: FileName) -> Bool { name.hasPrefix(prefix) }

  /// Says it, before the restore is decided, and takes what is to stay out of the content that moves in:
  /// a backup that was made without the profile holds the lock as a file.
  static func note(
    _ scope: BackupScope, in run: Directory, of content: Directory
  ) throws(FileError) {
    guard scope != .minuta else { return }
    if let lock = scope.lock, let state = try content.stateIfPresent(of: lock) {
      if state.kind == .directory {
        try content.removeOwnTree(lock)
      } else {
        try content.removeFile(lock, ifUnchangedSince: state)
      }
    }
    guard let name = FileName(Array(prefix.description.utf8) + (scope.lock?.bytes ?? [])) else {
      throw .invalidPath(path: run.path)
    }
    if try run.stateIfPresent(of: name) == nil { _ = try run.createFile(name) }
    try run.synchronize()
  }

  /// Returns what a run says.
  static func noted(in run: Directory) throws(BackupError) -> BackupScope {
    do throws(FileError) {
      guard let note = try run.entries().map(\.name).first(where: isNote) else { return .minuta }
      let lock = note.bytes.dropFirst(prefix.utf8CodeUnitCount)
      return BackupScope(profile: "", lock: FileName(Array(lock)))
    } catch {
      throw .file(error)
    }
  }

  /// Takes the file away, once nothing moves any more.
  static func forget(_ scope: BackupScope, in run: Directory) throws(FileError) {
    guard scope != .minuta else { return }
    for entry in try run.entries() where isNote(entry.name) { try forget(entry.name, in: run) }
  }

  /// Takes a file of that name away.
  static func forget(_ note: FileName, in run: Directory) throws(FileError) {
    try run.removeFile(note, ifUnchangedSince: run.state(of: note))
  }
}
