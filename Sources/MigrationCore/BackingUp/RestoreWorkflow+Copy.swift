import Backups
import Diagnostics
import Folders
import Runs
import SafeFiles
import SwiftDataStores

// Bringing back a store from the copy that its app made of it: files, and no archive. The copy is
// packed in a private place first, as any store is, so that what is brought back was proven.
extension RestoreWorkflow {
  /// Whether the backup is a store and not an archive.
  func isCopyOfApp() throws(MigrationError) -> Bool {
    if options.backup.hasSuffix(".tar") || options.backup.hasSuffix(".tar.zst") { return false }
    let files = try copyFiles()
    return try MigrationError.wrapping { () throws(FileError) in
      guard try files.directory.stateIfPresent(of: files.name)?.kind == .regular else {
        return false
      }
      if StoreSource.hasNameOfStore(files.name) { return true }
      return try StoreSource.isDatabase(files.name, in: files.directory)
    }
  }

  /// Returns the files of the copy.
  func listCopy(_ clock: RunClock) throws(MigrationError) -> RestoreReport {
    var report = RestoreReport()
    let files = try copyFiles()
    try MigrationError.wrapping { () throws(FileError) in
      for name in [files.name, files.logName, files.journalName].compactMap({ $0 }) {
        guard let state = try files.directory.stateIfPresent(of: name) else { continue }
        report.entries.append(
          .init(path: name.description, byteCount: Int(clamping: state.size)))
      }
    }
    report.seconds = clock.seconds
    return report
  }

  /// Returns whether the copy can be read whole.
  func checkCopy(_ clock: RunClock) throws(MigrationError) -> RestoreReport {
    let files = try copyFiles()
    let content = try openCopy(files, of: files.name)
    var report = try listCopy(clock)
    report.isCopyOfApp = true
    report.outcome = .checked
    report.findings += content.store.findings
    report.seconds = clock.seconds
    return report
  }

  /// Returns what `performCopy` would restore.
  func planCopy() throws(MigrationError) -> RestoreReport {
    _ = try storeName()
    let folder = try OutputPlace.openDirectory(
      parentPath, context: context, isDryRun: true, unfinishedRestore: .expected)
    var report = try checkCopy(RunClock())
    report.finishedEarlierRestore = try folder.map(isUnfinished) ?? false
    report.outcome = .planned
    report.isDryRun = true
    return report
  }

  /// Restores the store, or unpacks it for a later run.
  func performCopy() throws(MigrationError) -> RestoreReport {
    let clock = RunClock()
    let name = try storeName()
    let content = try openCopy(try copyFiles(), of: name)
    let place: PrivatePlace
    do throws(StoreError) { place = try context.storeOpener().makePlace() } catch {
      throw MigrationError(error)
    }
    var summary = try StoreSummary(of: content.store)
    summary.name = String(decoding: name.bytes, as: UTF8.self)
    let backup: VerifiedBackup
    do throws(BackupError) {
      var packer = try BackupPacker(
        storeContent: content.directory, origin: Array(options.backup.utf8), created: clock.begin,
        store: summary, context: BackupContext(context, phase: .packing))
      backup = try packer.pack(into: place.directory, isCompressed: false, names: ["copy.tar"])
    } catch {
      throw MigrationError(error)
    }
    defer { withExtendedLifetime((place, content)) {} }
    var report = try performStore(backup, summary, clock)
    report.isCopyOfApp = true
    report.findings = (content.store.findings + report.findings).inReportOrder()
    return report
  }

  private func copyFiles() throws(MigrationError) -> StoreFiles {
    let (directory, name) = try FolderAccess.openParent(ofPath: options.backup, context: context)
    return StoreFiles(in: directory, name: name, path: options.backup)
  }

  private func openCopy(
    _ files: StoreFiles, of name: FileName
  ) throws(MigrationError) -> StoreContent {
    do throws(StoreError) { return try context.storeOpener().openCopy(files, of: name) } catch {
      throw MigrationError(error)
    }
  }

  /// The name that the store gets; a copy does not tell what its store was called.
  private func storeName() throws(MigrationError) -> FileName {
    guard options.only.isEmpty, options.replaced == nil else {
      throw .underlying(
        Diagnostic(
          .conflictsWithData, subject: options.backup,
          problem: "is a store, which is restored as a whole",
          remedy: "leave out --only and --replacing"))
    }
    let name = options.folder.split(separator: "/").last.flatMap { FileName(String($0)) }
    guard let name, StoreSource.hasNameOfStore(name) else {
      throw .underlying(
        Diagnostic(
          .conflictsWithData, subject: options.backup,
          problem: "is a copy that its app made, and does not tell what the store is called",
          remedy: "give the path of the store with --into, as in --into Library/CloudKit.store"))
    }
    return name
  }
}
