package import Diagnostics
package import SafeFiles

/// Why a backup was not made, not trusted, or not restored. Paths are in display form.
package enum BackupError: DiagnosableError, Hashable {
  /// The file system refused.
  case file(FileError)
  /// The caller asked to stop; nothing was published.
  case interrupted
  /// The backup would be part of the folder it holds.
  case insideFolder(path: String, folder: String)
  /// An entry of the folder changed while the backup was made.
  case folderChanged(path: String)
  /// The file is no backup of ours.
  case notABackup(path: String, problem: String)
  /// The manifest was written by a later version.
  case laterVersion(path: String, version: String)
  /// The manifest cannot be read; the offset is inside the manifest.
  case damagedManifest(path: String, offset: Int, problem: String)
  /// An entry is not what the manifest says, or must not be in a backup.
  case badEntry(path: String, entry: String, problem: String)
  /// The archive holds more than is accepted.
  case tooLarge(path: String, problem: String)
  /// The archive ends early, or the archive library cannot go on.
  case unreadableArchive(path: String, problem: String)
  /// The library that reads and writes archives is not there.
  case noLibrary(path: String, problem: String)
  /// Bytes read back from disk differ from those written.
  case writtenBytesDiffer(path: String, entry: String)
  /// The backup holds no such entry; some of those it holds are called like it.
  case noSuchEntry(path: String, entry: String, near: [String] = [])
  /// Two entries are one name on the volume they would be restored to.
  case nameCollision(path: String, entry: String, other: String)
  /// Another restore of this folder is at work.
  case restoreAtWork(path: String)
  /// A restore, or the undoing of one, cannot go on: entries of the folder have moved.
  case restoreStopped(FileError, folder: String)
  /// A restore could not move an entry of the folder, and put back what it had moved.
  case restoreUndone(FileError)
  /// An earlier restore of this folder was interrupted.
  case unfinishedRestore(path: String, folder: String)

  package var diagnostic: Diagnostic {
    switch self {
    case .file(let error):
      error.diagnostic
    case .interrupted:
      Diagnostic(
        .busy, subject: "", problem: "interrupted", remedy: "run the same command again")
    case .insideFolder(let path, let folder):
      Diagnostic(
        .usage, subject: path, problem: "lies inside the folder it would be a backup of: \(folder)",
        remedy: "choose a place beside the folder")
    case .folderChanged(let path):
      Diagnostic(
        .busy, subject: path, problem: "changed while the backup was made",
        remedy: "wait until the app and the sync service are done, then run again")
    case .notABackup(let path, let problem):
      Diagnostic(
        .damagedInput, subject: path, problem: "is no backup made by pack-backup: \(problem)",
        remedy: "give a file that pack-backup wrote")
    case .laterVersion(let path, let version):
      Diagnostic(
        .featureAbsent, subject: path, problem: "was made by a later version: \(version)",
        remedy: "install a version that reads it, or extract it with tar")
    case .damagedManifest(let path, let offset, let problem):
      Diagnostic(
        .damagedInput, subject: path, offset: offset,
        problem: "the manifest is damaged: \(problem)",
        remedy: "use another backup")
    case .badEntry(let path, let entry, let problem):
      Diagnostic(
        .damagedInput, subject: path, problem: "\(entry): \(problem)",
        remedy: "use another backup; nothing was restored")
    case .tooLarge(let path, let problem):
      Diagnostic(.damagedInput, subject: path, problem: problem)
    case .unreadableArchive(let path, let problem):
      Diagnostic(
        .damagedInput, subject: path, problem: "cannot be read as an archive",
        remedy: "use another backup", cause: problem)
    case .noLibrary(let path, let problem):
      Diagnostic(
        .featureAbsent, subject: path,
        problem: "libarchive is not there, which reads and writes it",
        remedy: "install libarchive (Debian: libarchive13), then run the same command again",
        cause: problem)
    case .writtenBytesDiffer(let path, let entry):
      Diagnostic(
        .inputOutput, subject: path, problem: "\(entry) reads back with other bytes than written",
        remedy: "check the disk; nothing was replaced")
    case .noSuchEntry(let path, let entry, let near):
      Diagnostic(
        .missingInput, subject: path, problem: "holds no entry \(entry)",
        remedy: near.isEmpty
          ? "restore-backup --list shows what it holds"
          : "it holds \(near.joined(separator: ", "))",
        command: near.isEmpty ? .restoring(path, "--list") : nil)
    case .nameCollision(let path, let entry, let other):
      Diagnostic(
        .conflictsWithData, subject: path,
        problem: "cannot hold both \(other) and \(entry), which are one name there",
        remedy: "restore to another volume, or only one of them with --only")
    case .restoreAtWork(let path):
      Diagnostic(
        .busy, subject: path, problem: "another restore is at work",
        remedy: "wait until it is done, then try again")
    case .restoreStopped(let cause, let folder):
      cause.diagnostic.advising(
        "then finish the restore with restore-backup --finish FOLDER; or put back what it moved with "
          + "restore-backup --abort FOLDER",
        command: .restoring("--finish", folder))
    case .restoreUndone(let cause):
      cause.diagnostic.advising("then restore again; everything was put back where it was")
    case .unfinishedRestore(let path, let folder):
      Diagnostic(
        .busy, subject: path, problem: "an earlier restore was interrupted",
        remedy: "finish it with restore-backup --finish FOLDER, or undo it with restore-backup "
          + "--abort FOLDER; then try again",
        command: .restoring("--finish", folder))
    }
  }
}

extension Diagnostic {
  /// The same with what to do after its own remedy.
  fileprivate func advising(_ remedy: String, command: NextCommand? = nil) -> Diagnostic {
    var diagnostic = self
    diagnostic.command = command
    diagnostic.remedy = (self.remedy ?? "remove what is in the way") + ", " + remedy
    return diagnostic
  }
}

extension NextCommand {
  /// Returns the command with words that are shown; nil if what one of them shows is no text.
  fileprivate static func restoring(_ shown: String...) -> NextCommand? {
    let words = shown.compactMap(DisplayText.word(shownAs:))
    return words.count == shown.count ? NextCommand(.restoreBackup, words) : nil
  }
}
