import Backups
import Diagnostics
import FolderState
import Folders
package import Runs
import SafeFiles

/// Unlinks old files of the quarantine that a verified backup also holds.
package struct PurgeWorkflow: PlannedWorkflow {
  private let options: PurgeOptions
  private let context: RunContext
  private let clock = RunClock()
  private var report: CleanUpReport
  private var hasher = ContentHasher()
  /// Whether the backup is marked as one that stays.
  private var isBackupMarked = false
  /// The quarantine run of which files went last.
  private var currentRun: FileName?
  /// What is left of each quarantine run.
  private var kept: [FileName: Set<RelativePath>] = [:]

  /// A directory of files that keep the paths they had in the folder.
  private struct Place {
    /// Its own path, relative to the folder.
    var path: RelativePath
    var directory: Directory
    /// The quarantine run it is, unless a restore has set that aside.
    var run: Quarantine.Run?
  }

  /// What all files are asked for.
  private struct Purge {
    var folder: Directory
    var backup: ReliedBackup?
    var writing: WritingRun?
    /// What tells of it afterwards; nil if no command can be told where the backup is.
    var note: PurgedFiles?
  }

  /// Creates a workflow; nothing is read yet.
  package init(_ options: PurgeOptions, context: RunContext) {
    self.options = options
    self.context = context
    report = CleanUpReport(.purge, isDryRun: false)
  }

  /// Returns what would be unlinked; writes nothing.
  package func plan() throws(MigrationError) -> CleanUpReport {
    var run = self
    run.report.isDryRun = true
    return try run.run()
  }

  /// Unlinks, under the lock; needs a backup that verifies.
  package func perform() throws(MigrationError) -> CleanUpReport {
    var run = self
    return try run.run()
  }

  private mutating func run() throws(MigrationError) -> CleanUpReport {
    let folder = try FolderAccess.open(options.folder, context: context)
    try FolderAccess.requireKnownApp(
      folder, at: options.folder, context: context, noting: &report.findings)
    return try BackupAccess.perform(
      in: folder, relyingOn: options.backup,
      because: "nothing is unlinked without a backup that holds it", isDryRun: report.isDryRun,
      clock: clock, context: context, reading: { _ in }
    ) { (_, backup, writing) throws(MigrationError) in
      try purge(folder, backup: backup, writing: writing)
      return report.finished(after: clock)
    }
  }

  private mutating func purge(
    _ folder: Directory, backup: ReliedBackup?, writing: WritingRun?
  ) throws(MigrationError) {
    var purge = Purge(folder: folder, backup: backup, writing: writing)
    do throws(BackupError) {
      purge.note = try backup.flatMap { backup throws(BackupError) in
        String(validating: try backup.archive.absolutePath(), as: UTF8.self).map {
          PurgedFiles(heldBy: $0, byteCount: backup.state.size)
        }
      }
    } catch {
      throw MigrationError(error)
    }
    for run in try Quarantine.runs(of: folder, noting: &report.findings)
    where isOldEnough(run.name) {
      kept[run.name] = []
      try self.purge(
        run.directory, .folder, of: Place(path: run.path, directory: run.directory, run: run), purge
      )
    }
    let replaced = try MigrationError.wrapping { () throws(FileError) in
      try ReplacedContent.all(of: folder)
    }
    for content in replaced where isOldEnough(content.run) {
      for place in try Self.places(in: content) {
        try self.purge(place.directory, .folder, of: place, purge)
      }
      guard writing != nil else { continue }
      try MigrationError.wrapping { () throws(FileError) in
        report.findings += try Quarantine.sweep(content, of: folder)
      }
    }
    guard writing != nil, let backup else { return }
    let kept = kept
    report.findings += try MigrationError.wrapping { () throws(FileError) in
      try Quarantine.settlePurged(
        in: folder, heldBy: backup.files, kept: kept, isOldEnough: isOldEnough)
        + Quarantine.sweep(folder, as: context.kinds)
    }
  }

  /// Whether a run began long enough ago; one whose name does not tell is left alone.
  private func isOldEnough(_ run: FileName) -> Bool {
    guard let begun = Quarantine.time(of: run) else { return false }
    return clock.begin.seconds - begun >= Int64(options.minimumAgeSeconds)
  }

  /// Where files lie that a restore has set aside.
  private static func places(in content: ReplacedContent) throws(MigrationError) -> [Place] {
    try MigrationError.wrapping { () throws(FileError) in
      var places: [Place] = []
      for name in [FolderNames.replacedContent, FolderNames.arrivedContent] {
        guard let old = try content.directory.openDirectoryIfPresent(RelativePath(name)) else {
          continue
        }
        places.append(Place(path: content.path.appending(name), directory: old))
      }
      let quarantine = RelativePath(FolderNames.quarantine)
      if let runs = try content.directory.openDirectoryIfPresent(quarantine) {
        for entry in try runs.entries() where entry.kind == .directory {
          places.append(
            Place(
              path: content.path.appending(FolderNames.quarantine).appending(entry.name),
              directory: try runs.openDirectory(entry.name)))
        }
      }
      return places
    }
  }

  private mutating func purge(
    _ directory: Directory, _ path: RelativePath, of place: Place, _ purge: Purge
  ) throws(MigrationError) {
    let entries = try MigrationError.wrapping { () throws(FileError) in try directory.entries() }
    var removal = FileRemoval(in: directory)
    for entry in entries {
      if context.isInterrupted() { throw .interrupted }
      // What a purge that died was about to remove belongs one directory higher.
      let entryPath = entry.name == FileRemoval.place ? path : path.appending(entry.name)
      if entry.kind == .directory {
        let child = try MigrationError.wrapping { () throws(FileError) in
          try directory.openDirectory(entry.name)
        }
        try self.purge(child, entryPath, of: place, purge)
      } else {
        try self.purge(entry, in: directory, entryPath, of: place, purge, with: &removal)
      }
    }
    let finished = removal
    try MigrationError.wrapping { () throws(FileError) in try finished.finish() }
  }

  private mutating func purge(
    _ entry: DirectoryEntry, in directory: Directory, _ path: RelativePath, of place: Place,
    _ purge: Purge, with removal: inout FileRemoval
  ) throws(MigrationError) {
    let shown = place.path.appending(path).description
    if let run = place.run { kept[run.name]?.insert(path) }
    do throws(FileError) {
      guard entry.kind == .regular else { return keep(shown, 0, because: "it is no file") }
      let state = try directory.state(of: entry.name)
      let size = Int(clamping: state.size)
      if let reason = try reason(toKeep: entry.name, state, in: directory, path, purge.backup) {
        return keep(shown, size, because: reason)
      }
      func note() {
        report.files.append(CleanUpReport.File(path: shown, outcome: .purged, byteCount: size))
      }
      guard let writing = purge.writing, let backup = purge.backup,
        let hash = backup.files[path]?.hash
      else { return note() }
      writing.beginWriting()
      try rely(on: backup)
      if let run = place.run, run.name != currentRun {
        currentRun = run.name
        try PurgedMonths.add(run, of: purge.folder)
        try purge.note?.note(for: run, of: purge.folder)
        try Quarantine.announcePurge(of: run, in: purge.folder)
      }
      switch try removal.remove(entry.name, ifStill: FileVersion(state: state, hash: hash)) {
      case .removed:
        if let run = place.run { kept[run.name]?.remove(path) }
        note()
      case .stays: keep(shown, size, because: "it changed while this command ran")
      case .displaced:
        let aside = place.path.appending(path.parent ?? .folder).appending(FileRemoval.place)
        keep(
          shown, size,
          because: "it changed while this command ran, and lies in \(aside): something else has "
            + "its name by now")
      }
    } catch {
      throw MigrationError(error)
    }
  }

  /// Makes sure that the backup is there, unchanged, and marks it as one that stays, before anything
  /// is unlinked because it holds it.
  private mutating func rely(on backup: ReliedBackup) throws(FileError) {
    try backup.requireInPlace()
    guard !isBackupMarked else { return }
    try KeepMark(of: backup.archive).set()
    isBackupMarked = true
  }

  /// Returns why a file stays, nil if the backup holds its bytes, or if there is no backup to ask.
  private mutating func reason(
    toKeep name: FileName, _ state: FileState, in directory: Directory, _ path: RelativePath,
    _ backup: ReliedBackup?
  ) throws(FileError) -> String? {
    guard let backup else { return nil }
    guard let held = backup.files[path] else {
      return "the backup does not hold it"
    }
    // The largest of files is not read to find out that the backup cannot hold it.
    guard held.size == state.size, try hasher.hash(name, in: directory).hash == held.hash else {
      return CleanUpWorkflow.otherBytes
    }
    return nil
  }

  private mutating func keep(_ path: String, _ byteCount: Int, because reason: String) {
    report.files.append(CleanUpReport.File(path: path, outcome: .kept, byteCount: byteCount))
    report.findings.append(
      Finding(
        .kept, .warning, path: path, message: "stays: \(reason)",
        next: "name a backup that was made before it was set aside"))
  }
}
