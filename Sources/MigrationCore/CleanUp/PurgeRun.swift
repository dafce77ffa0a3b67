import Backups
import Diagnostics
import Folders
import SafeFiles

/// One purge of the quarantine from beginning to end.
struct PurgeRun {
  private let options: PurgeOptions
  private let context: RunContext
  private let clock = RunClock()
  private var report: CleanUpReport
  private var buffer: [UInt8] = []

  init(_ options: PurgeOptions, context: RunContext, isDryRun: Bool) {
    self.options = options
    self.context = context
    report = CleanUpReport(.purge, isDryRun: isDryRun)
  }

  mutating func run() throws(MigrationError) -> CleanUpReport {
    let folder = try FolderAccess.open(options.folder, context: context)
    var backup: VerifiedBackup?
    if let path = options.backup { backup = try BackupAccess.verify(path, context: context) }
    guard !report.isDryRun else {
      try purge(folder, backup: backup, writing: nil)
      return finished()
    }
    guard let backup else {
      throw .optionMissing(
        option: "--backup", reason: "nothing is unlinked without a backup that holds it")
    }
    return try WritingRun.perform(in: folder, clock: clock, context: context) {
      writing throws(MigrationError) in
      writing.relies(on: backup)
      try purge(folder, backup: backup, writing: writing)
      return finished()
    }
  }

  private mutating func finished() -> CleanUpReport {
    report.findings = report.findings.inReportOrder()
    report.seconds = clock.seconds
    return report
  }

  private mutating func purge(
    _ folder: Directory, backup: VerifiedBackup?, writing: WritingRun?
  ) throws(MigrationError) {
    for run in try Quarantine.runs(of: folder) {
      guard let begun = Quarantine.time(of: run.name) else { continue }
      guard clock.begin.seconds - begun >= Int64(options.minimumAgeSeconds) else { continue }
      try purge(run.directory, RelativePath.folder, of: run, backup: backup, writing: writing)
    }
    guard writing != nil else { return }
    try MigrationError.wrapping { () throws(FileError) in try Quarantine.sweep(folder) }
  }

  private mutating func purge(
    _ directory: Directory, _ path: RelativePath, of run: Quarantine.Run, backup: VerifiedBackup?,
    writing: WritingRun?
  ) throws(MigrationError) {
    let entries = try MigrationError.wrapping { () throws(FileError) in try directory.entries() }
    for entry in entries {
      if context.isInterrupted() { throw .interrupted }
      let entryPath = path.appending(entry.name)
      if entry.kind == .directory {
        let child = try MigrationError.wrapping { () throws(FileError) in
          try directory.openDirectory(entry.name)
        }
        try purge(child, entryPath, of: run, backup: backup, writing: writing)
      } else {
        do throws(FileError) {
          try purgeFile(entry, in: directory, entryPath, of: run, backup: backup, writing: writing)
        } catch {
          throw MigrationError(error)
        }
      }
    }
    guard writing != nil else { return }
    try MigrationError.wrapping { () throws(FileError) in try directory.synchronize() }
  }

  private mutating func purgeFile(
    _ entry: DirectoryEntry, in directory: Directory, _ path: RelativePath,
    of run: Quarantine.Run, backup: VerifiedBackup?, writing: WritingRun?
  ) throws(FileError) {
    let shown = run.path.appending(path).description
    guard entry.kind == .regular else { return keep(shown, 0, because: "it is no file") }
    let state = try directory.read(entry.name, into: &buffer)
    let size = Int(clamping: state.size)
    if let backup {
      guard let held = backup.manifest.entry(at: path), held.kind == .file else {
        return keep(shown, size, because: "the backup does not hold it")
      }
      guard held.hash == ContentHash(of: buffer) else {
        return keep(shown, size, because: "the backup holds it with other bytes")
      }
    }
    if let writing {
      writing.beginWriting()
      try directory.removeFile(entry.name, ifUnchangedSince: state)
    }
    report.files.append(CleanUpReport.File(path: shown, outcome: .purged, byteCount: size))
  }

  private mutating func keep(_ path: String, _ byteCount: Int, because reason: String) {
    report.files.append(CleanUpReport.File(path: path, outcome: .kept, byteCount: byteCount))
    report.findings.append(
      Finding(
        .kept, .warning, path: path, message: "stays in quarantine: \(reason)",
        next: "name the backup that was made before the clean-up"))
  }
}
