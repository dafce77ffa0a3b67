import Backups
import Diagnostics
import FolderState
import Folders
package import Runs
import SafeFiles

/// Moves legacy files to quarantine once documents and a backup are proven to hold them.
///
/// A legacy file moves only if everything in it is proven to be in verified documents, if a backup
/// that was read whole holds the same bytes under the same path, and if nothing says that the file
/// changed since those bytes were read. All of that is done anew, under the lock, in the same run.
package struct CleanUpWorkflow: PlannedWorkflow {
  let options: CleanUpOptions
  let context: RunContext
  let clock = RunClock()
  var report: CleanUpReport

  /// Creates a workflow; nothing is read yet.
  package init(_ options: CleanUpOptions, context: RunContext) {
    self.options = options
    self.context = context
    report = CleanUpReport(.quarantine, isDryRun: false)
  }

  /// Returns which files would move and which would stay; writes nothing.
  package func plan() throws(MigrationError) -> CleanUpReport {
    var run = self
    run.report.isDryRun = true
    return try run.run()
  }

  /// Moves what is proven, under the lock; needs a backup that verifies.
  package func perform() throws(MigrationError) -> CleanUpReport {
    var run = self
    return try run.run()
  }

  private mutating func run() throws(MigrationError) -> CleanUpReport {
    let month = try firstMonthThatStays()
    let folder = try FolderAccess.open(options.folder, context: context)
    try FolderAccess.requireKnownApp(
      folder, at: options.folder, context: context, noting: &report.findings)
    let reader = self
    return try BackupAccess.perform(
      in: folder, relyingOn: options.backup,
      because: "no file moves without a backup that holds it", isDryRun: report.isDryRun,
      clock: clock, context: context,
      reading: { context throws(MigrationError) in
        try reader.verify(folder, for: nil, context: context)
      }
    ) { (found, backup, writing) throws(MigrationError) in
      // What an interrupted run left is not touched before the backup is proven.
      let isTidy = writing == nil || !found.inventory.holdsOwnTemporaries
      let verified = isTidy ? found : try verify(folder, for: writing, context: context)
      FreedMemory.giveBack()
      if let month {
        try setAside(before: month, in: folder, verified, backup: backup, writing: writing)
      } else {
        try clean(folder, verified, backup: backup, writing: writing)
      }
      return report.finished(after: clock)
    }
  }

  private var rules: EntityRules { EntityRules(numericDates: options.numericDates) }

  /// Throws if the backup that the run relies on is not what was verified any more.
  static func require(_ backup: ReliedBackup?) throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in try backup?.requireInPlace() }
  }

  /// What a folder holds, and what of it is proven.
  typealias Verified = (inventory: FolderInventory, result: VerificationRun.Result)

  /// The first month that stays, if only what is before it is asked for.
  private func firstMonthThatStays() throws(MigrationError) -> Month? {
    guard let text = options.monthsBefore else { return nil }
    guard context.kinds.all.contains(where: context.kinds.hasMonths) else {
      throw .notInProfile(
        option: "--months-before", reason: "no kind of the profile has documents by month")
    }
    guard let month = Month(wholeName: text) else {
      throw .optionMissing(option: "--months-before", reason: "\(text) is no month like 2021-01")
    }
    return month
  }

  /// Lists the folder and proves what documents hold of its legacy files.
  func verify(
    _ folder: Directory, for writing: WritingRun?, context: RunContext
  ) throws(MigrationError) -> Verified {
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(
      of: folder, for: writing, context: context, noting: &unlisted)
    try inventory.requireKnownApp(in: folder, at: options.folder, unlisted: unlisted)
    let references = try VerificationReferences.inPlace(folder, inventory, rules: rules)
    var verification = VerificationRun(
      folder, inventory, unlisted: unlisted, against: references,
      withholding: context.kinds.withheld(unlessAsked: false), listsProvenFiles: true,
      context: context)
    return (inventory, try verification.run())
  }

  private mutating func clean(
    _ folder: Directory, _ verified: Verified, backup: ReliedBackup?, writing: WritingRun?
  ) throws(MigrationError) {
    let (inventory, result) = verified
    // What the verification says about entities explains why files stay; the rest is not about them.
    report.findings += result.report.findings.filter {
      $0.severity == .error
        || [.conflictCopy, .misnamedDocument, .notLookedAt, .privateKind].contains($0.code)
    }
    guard result.isComplete else { return }
    if context.endsBatch(after: report.findings) { return report.findings.append(.stopped()) }

    let proven = result.provenFiles
    var next = 0
    var movable = MovableFiles(of: proven, inventory)
    for file in inventory.indices
    where inventory.nominalClass(of: file).isLegacy && !result.rests.contains(file) {
      if context.endsBatch(after: report.findings.suffix(1)) {
        return report.findings.append(.stopped())
      }
      while next < proven.count, proven[next].file < file { next += 1 }
      guard next < proven.count, proven[next].file == file else {
        keep(file, of: inventory, result)
        continue
      }
      let candidate = QuarantinedFile(proven[next], of: inventory)
      // Without a backup this is only a look at what could move.
      if let reason = Self.reason(toKeep: candidate, backup) {
        keep(candidate.path, byteCount: candidate.version.state.size, because: reason)
      } else {
        movable.append(next)
        context.explain(
          candidate.path.description,
          message: "may go: every entity in it is proven to be in a document"
            + (backup == nil ? "" : ", and the backup holds the same bytes"))
      }
    }
    if context.endsBatch(after: report.findings.suffix(1)) {
      return report.findings.append(
        .stopped(leaving: "proven files were not moved, and the rest was"))
    }
    try move(
      movable, in: folder, relyingOn: backup,
      leaving: RestReader(folder, inventory, rules: rules), writing: writing)
  }

  /// Returns why a file stays; nil if the backup holds it as it is, or there is none.
  static func reason(toKeep file: QuarantinedFile, _ backup: ReliedBackup?) -> String? {
    guard let backup else { return nil }
    guard let held = backup.files[file.path] else { return "the backup does not hold it" }
    let version = file.version
    return held.size == version.state.size && held.hash == version.hash ? nil : otherBytes
  }

  /// Why a file stays that a backup holds as it was before.
  static let otherBytes = "the backup holds it with other bytes"

  /// Keeps a file that is not proven. That something of it was left out is no error; what else is wrong
  /// with such a file the verification has told.
  private mutating func keep(
    _ file: Int, of inventory: FolderInventory, _ result: VerificationRun.Result
  ) {
    keep(
      inventory.path(of: file), byteCount: 0,
      because: "not everything in it is proven to be in a document")
    guard result.leftOutFiles.contains(file) else { return }
    let last = report.findings.count - 1
    report.findings[last] = report.findings[last].asInformation
    report.findings[last].next = nil
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
    _ files: MovableFiles, in folder: Directory, relyingOn backup: ReliedBackup?,
    leaving rests: RestReader, writing: WritingRun?
  ) throws(MigrationError) {
    guard !files.isEmpty else { return }
    report.files.reserve(files.count)
    guard let writing else {
      for file in files { noteMoved(file) }
      return
    }
    try Self.require(backup)
    writing.beginWriting()
    let mover = try QuarantineMover(folder, begun: clock.begin)
    try mover.publishManifest(files, of: .legacy, command: context.command)
    var departure = Departure(files, with: mover, context: context)
    report.quarantine = departure.run.path.description
    var (rests, moved, isStopped) = (rests, 0, false)
    do throws(MigrationError) {
      try departure.perform(
        preparing: { () throws(MigrationError) in try Self.require(backup) },
        leaving: { rests.rest(of: $0) },
        { batch in
          let isStaying = note(batch, to: mover.run, moved: &moved)
          context.reportProgress?(RunProgress(.moving, completed: moved, total: files.count))
          if isStaying, context.failsFast { isStopped = true }
          return !isStopped
        })
    } catch {
      // Before the first files were taken nothing has moved.
      guard departure.restCount < files.count else { throw error }
      throw stopped(by: error, movingTo: mover.run, in: folder)
    }
    if context.isInterrupted(), departure.restCount > 0 { throw .interrupted }
    if isStopped, departure.restCount > 0 {
      report.findings.append(
        .stopped(leaving: departure.restCount.counted(of: files.count, "proven file")))
    }
  }

  /// Returns an error that says where files are that had moved when it came: which they are a report
  /// would have told.
  func stopped(
    by error: MigrationError, movingTo run: Quarantine.Run, in folder: Directory
  ) -> MigrationError {
    if error == .interrupted { return error }
    return .stoppedMoving(
      error.diagnostic, run: run.path.description,
      undo: Quarantine.bringingBack(run.name, to: folder, as: context.kinds))
  }

  /// Notes what became of files; returns whether one of them stays where it is, or lost its place.
  private mutating func note(
    _ batch: Departure<MovableFiles>.Batch, to run: Quarantine.Run, moved: inout Int
  ) -> Bool {
    report.findings += batch.findings
    for (file, outcome) in zip(batch.files, batch.outcomes) {
      switch outcome {
      case .moved:
        noteMoved(file)
        moved += 1
      case .stays:
        keep(
          file.path, byteCount: file.version.state.size,
          because: "it changed while this command ran")
      case .displaced:
        noteMoved(file)
        moved += 1
        report.findings.append(run.displaced(file.path))
      }
    }
    return batch.outcomes.contains { $0 != .moved }
  }

  private mutating func noteMoved(_ file: QuarantinedFile) {
    report.files.append(
      CleanUpReport.File(
        path: file.path.description, outcome: .moved,
        byteCount: Int(clamping: file.version.state.size), leavesRest: file.rest != nil))
  }
}

/// Files that may move, ascending: which of the proven ones they are. What a quarantine takes is made of
/// each when its turn comes, for there are as many as there are files in the folder.
struct MovableFiles: RandomAccessCollection {
  private let proven: ProvenFiles
  private let inventory: FolderInventory
  private var chosen: [UInt32] = []

  init(of proven: ProvenFiles, _ inventory: FolderInventory) {
    (self.proven, self.inventory) = (proven, inventory)
  }

  var startIndex: Int { 0 }
  var endIndex: Int { chosen.count }

  subscript(position: Int) -> QuarantinedFile {
    QuarantinedFile(proven[Int(chosen[position])], of: inventory)
  }

  /// Adds a proven file by its place among them.
  mutating func append(_ position: Int) { chosen.append(UInt32(position)) }
}

/// Makes what stays of files when their entities are out of them.
private struct RestReader {
  private let inventory: FolderInventory
  private var reader: LegacyReader

  init(_ folder: Directory, _ inventory: FolderInventory, rules: EntityRules) {
    self.inventory = inventory
    reader = LegacyReader(folder, inventory, rules: rules)
  }

  /// Returns what stays of a file that was verified; nil if it is another one by now.
  mutating func rest(of file: QuarantinedFile) -> [UInt8]? {
    guard let number = inventory.file(at: file.path) else { return nil }
    reader.read(number)
    guard let state = reader.state, state.isUnchanged(since: file.version.state) else { return nil }
    return reader.batch.rest()
  }
}

extension QuarantinedFile {
  /// Names a file that a verification has proven.
  init(_ file: ProvenFile, of inventory: FolderInventory) {
    self.init(
      path: inventory.path(of: file.file), version: file.version, content: file.content)
  }
}
