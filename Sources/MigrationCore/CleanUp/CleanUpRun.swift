import Backups
import Diagnostics
import Folders
import SafeFiles

/// One clean-up from beginning to end.
///
/// A legacy file moves only if everything in it is proven to be in verified documents, if a backup
/// that was read whole holds the same bytes under the same path, and if nothing says that the file
/// changed since those bytes were read. All of that is done anew, under the lock, in the same run.
struct CleanUpRun {
  private let options: CleanUpOptions
  private let context: RunContext
  private let clock = RunClock()
  private var report: CleanUpReport

  init(_ options: CleanUpOptions, context: RunContext, isDryRun: Bool) {
    self.options = options
    self.context = context
    report = CleanUpReport(isDryRun: isDryRun)
  }

  mutating func run() throws(MigrationError) -> CleanUpReport {
    let folder = try FolderAccess.open(options.folder, context: context)
    guard !report.isDryRun else {
      try clean(folder, backup: try verifiedBackup(), writing: nil)
      return finished()
    }
    guard let backup = try verifiedBackup() else {
      throw .optionMissing(
        option: "--backup", reason: "no file moves without a backup that holds it")
    }
    return try WritingRun.perform(in: folder, clock: clock, context: context) {
      writing throws(MigrationError) in
      writing.relies(on: backup)
      try clean(folder, backup: backup, writing: writing)
      return finished()
    }
  }

  private func verifiedBackup() throws(MigrationError) -> VerifiedBackup? {
    guard let path = options.backup else { return nil }
    return try BackupAccess.verify(path, context: context)
  }

  private mutating func finished() -> CleanUpReport {
    report.findings = report.findings.inReportOrder()
    report.files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    report.seconds = clock.seconds
    return report
  }

  private mutating func clean(
    _ folder: Directory, backup: VerifiedBackup?, writing: WritingRun?
  ) throws(MigrationError) {
    let inventory = try FolderAccess.inventory(of: folder)
    let rules = EntityRules(numericDates: options.numericDates.map { NumericDates($0) })
    let references = try VerificationReferences.inPlace(folder, inventory, rules: rules)
    var verification = VerificationRun(
      folder, inventory, against: references, listsProvenFiles: true, context: context)
    let result = try verification.run()
    // What the verification says about entities explains why files stay; the rest is not about them.
    report.findings = result.report.findings.filter { $0.severity == .error }

    let proven = result.provenFiles.sorted { $0.file < $1.file }
    var next = 0
    var movable: [ProvenFile] = []
    for file in inventory.indices where inventory.nominalClass(of: file).isLegacy {
      while next < proven.count, proven[next].file < file { next += 1 }
      let candidate = next < proven.count && proven[next].file == file ? proven[next] : nil
      let path = inventory.path(of: file)
      if let reason = reason(toKeep: path, candidate, backup) {
        keep(path, byteCount: candidate?.state.size ?? 0, because: reason)
      } else if let candidate {
        movable.append(candidate)
      }
    }
    try move(movable, of: inventory, in: folder, writing: writing)
  }

  /// Returns why a legacy file stays, nil if it may move.
  private func reason(
    toKeep path: RelativePath, _ proven: ProvenFile?, _ backup: VerifiedBackup?
  ) -> String? {
    guard let proven else { return "not everything in it is proven to be in a document" }
    // Without a backup this is only a look at what could move.
    guard let backup else { return nil }
    guard let entry = backup.manifest.entry(at: path), entry.kind == .file else {
      return "the backup does not hold it"
    }
    guard entry.size == proven.state.size, entry.hash == proven.hash else {
      return "the backup holds it with other bytes"
    }
    return nil
  }

  private mutating func keep(_ path: RelativePath, byteCount: Int64, because reason: String) {
    report.files.append(
      CleanUpReport.File(
        path: path.description, outcome: .kept, byteCount: Int(clamping: byteCount)))
    report.findings.append(
      Finding(
        .kept, .error, path: path.description, message: "stays where it is: \(reason)",
        next: "see verify-counts, or make a new backup"))
  }

  private mutating func move(
    _ files: [ProvenFile], of inventory: FolderInventory, in folder: Directory,
    writing: WritingRun?
  ) throws(MigrationError) {
    guard !files.isEmpty else { return }
    guard let writing else {
      for file in files { noteMoved(file, of: inventory) }
      return
    }
    writing.beginWriting()
    var mover = try QuarantineMover(folder, begun: clock.begin)
    try mover.publishManifest(
      files.lazy.map { QuarantinedFile($0, of: inventory) }, command: context.command)
    report.quarantine = mover.run.path.description
    for (index, file) in files.enumerated() {
      if context.isInterrupted() {
        try mover.finish()
        throw .interrupted
      }
      if try mover.move(inventory.path(of: file.file), ifUnchangedSince: file.state) {
        noteMoved(file, of: inventory)
      } else {
        keep(
          inventory.path(of: file.file), byteCount: file.state.size,
          because: "it changed while this command ran")
      }
      if index.isMultiple(of: 256) {
        context.reportProgress?(RunProgress(.moving, completed: index, total: files.count))
      }
    }
    try mover.finish()
  }

  private mutating func noteMoved(_ file: ProvenFile, of inventory: FolderInventory) {
    report.files.append(
      CleanUpReport.File(
        path: inventory.path(of: file.file).description, outcome: .moved,
        byteCount: Int(clamping: file.state.size)))
  }
}

extension QuarantinedFile {
  fileprivate init(_ file: ProvenFile, of inventory: FolderInventory) {
    self.init(
      path: inventory.path(of: file.file), state: file.state, hash: file.hash,
      identities: file.identities)
  }
}
