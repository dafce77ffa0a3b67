import Backups
import Diagnostics
import FolderDocuments
import FolderState
import Folders
package import Runs
import SafeFiles

/// Moves what a run moved to quarantine back to where it was.
///
/// Documents go first, so that a run that dies never leaves JSON in the folder whose document is not
/// there. What moved is not looked at again by the next run, which moves the rest.
package struct BringBackWorkflow: PlannedWorkflow {
  private let options: BringBackOptions
  private let context: RunContext
  private let clock = RunClock()
  private var report: CleanUpReport
  private var hasher = ContentHasher()

  /// A file of the run.
  private struct ReturningFile {
    var path: RelativePath
    var byteCount: Int
    var isDocument: Bool
  }

  /// Creates a workflow; nothing is read yet.
  package init(_ options: BringBackOptions, context: RunContext) {
    self.options = options
    self.context = context
    report = CleanUpReport(.bringBack, isDryRun: false)
  }

  /// Returns what would move back; writes nothing.
  package func plan() throws(MigrationError) -> CleanUpReport {
    var run = self
    run.report.isDryRun = true
    return try run.run()
  }

  /// Moves back, under the lock; nothing in the folder is replaced.
  package func perform() throws(MigrationError) -> CleanUpReport {
    var run = self
    return try run.run()
  }

  private mutating func run() throws(MigrationError) -> CleanUpReport {
    let folder = try FolderAccess.open(options.folder, context: context)
    try FolderAccess.requireKnownApp(
      folder, at: options.folder, context: context, noting: &report.findings)
    guard !report.isDryRun else {
      try bringBack(folder, writing: nil)
      return report.finished(after: clock)
    }
    return try WritingRun.perform(in: folder, clock: clock, context: context) {
      writing throws(MigrationError) in
      try bringBack(folder, writing: writing)
      return report.finished(after: clock)
    }
  }

  private mutating func bringBack(
    _ folder: Directory, writing: WritingRun?
  ) throws(MigrationError) {
    let (run, replaced) = try run(of: folder)
    report.quarantine = run.path.description
    let rests = try MigrationError.wrapping { () throws(FileError) in
      try Quarantine.rests(of: run, in: folder)
    }
    // What a run that died left of files that change places lies in the directories of the folder.
    if let writing, !rests.isEmpty { _ = try writing.inventory(noting: &report.findings) }
    var files: [ReturningFile] = []
    try collect(run.directory, .folder, into: &files, writing)
    files.sort { $0.isDocument == $1.isDocument ? $0.path < $1.path : $0.isDocument }
    var mover = try QuarantineMover(folder, back: run, begun: clock.begin)
    var returned: Set<RelativePath> = []
    for (index, file) in files.enumerated() {
      if context.isInterrupted() {
        try mover.finish()
        throw .interrupted
      }
      // What comes first must be back first, whatever the power does.
      if index > 0, files[index - 1].isDocument, !file.isDocument { try mover.finish() }
      let rest = rests[file.path]
      switch try content(at: file.path, besides: rest, in: run.directory, folder) {
      case .nothing: try bringBack(file, with: &mover, writing)
      case .rest: try bringBack(file, over: rest, with: &mover, writing)
      case .other where rest != nil:
        keep(
          file, because: "what was left of it in the folder has changed since",
          next: "let rollback-folder bring both together, or move what is in its place elsewhere, "
            + "then run again")
      case .other: try bringBackBeside(file, of: run, in: folder, with: &mover, writing)
      }
      if report.files.last?.outcome == .returned { returned.insert(file.path) }
      context.reportProgress?(RunProgress(.moving, completed: returned.count, total: files.count))
    }
    try mover.finish()
    guard writing != nil else { return }
    try MigrationError.wrapping { () throws(FileError) in
      if let replaced {
        report.findings += try Quarantine.sweep(replaced, of: folder)
      } else {
        try settle(returned, from: run, in: folder)
      }
      report.findings += try Quarantine.sweep(folder, as: context.kinds)
    }
  }

  /// Takes what is back off the manifest, and tells what was not there to come back.
  private mutating func settle(
    _ returned: Set<RelativePath>, from run: Quarantine.Run, in folder: Directory
  ) throws(FileError) {
    let isWhole = report.files.count(of: .returned) == report.files.count
    let goneCount = try Quarantine.settleReturned(
      returned, isWhole: isWhole, from: run.name, in: folder)
    if goneCount == 0 { return }
    report.findings.append(
      Finding(
        .missingFile, .warning, path: run.path.description,
        message: goneCount.counted("file that this run moved was", "files that this run moved were")
          + " not there to come back: purged, or removed by somebody else",
        next: "look for " + (goneCount == 1 ? "it" : "them") + " in a backup"))
  }

  /// Finds the run, in the quarantine or in one that a restore has set aside, the last first.
  private mutating func run(
    of folder: Directory
  ) throws(MigrationError) -> (Quarantine.Run, ReplacedContent?) {
    var unlisted: Finding?
    func look(in listing: Quarantine.Listing) -> Quarantine.Run? {
      report.findings += listing.unlisted.map(\.finding)
      unlisted =
        unlisted ?? listing.unlisted.first { $0.name.description == options.run }?.finding
      return listing.runs.first { $0.name.description == options.run }
    }
    if let run = look(in: try Quarantine.listing(of: folder)) { return (run, nil) }
    let replaced = try MigrationError.wrapping { () throws(FileError) in
      try ReplacedContent.all(of: folder)
    }
    for content in replaced.reversed() {
      if let run = look(in: try Quarantine.listing(of: content)) { return (run, content) }
    }
    if let unlisted {
      throw .unlisted(path: "\(options.folder)/\(unlisted.path)", problem: unlisted.message)
    }
    throw .noQuarantineRun(
      path: "\(options.folder)/\(Quarantine.path)/\(options.run)",
      next: NextCommand(.cleanupLegacy, [options.folder, "--list"] + context.kinds.options))
  }

  // MARK: Collecting

  private mutating func collect(
    _ directory: Directory, _ path: RelativePath, into files: inout [ReturningFile],
    _ writing: WritingRun?
  ) throws(MigrationError) {
    if writing != nil {
      // What a purge that died was about to remove.
      try MigrationError.wrapping { () throws(FileError) in try FileRemoval.recover(directory) }
    }
    let entries = try MigrationError.wrapping { () throws(FileError) in try directory.entries() }
    for entry in entries {
      // Somebody else put these there: neither is ever moved to quarantine.
      if path.isFolder, BackupScope(context.kinds).isExcluded(entry.name) { continue }
      let entryPath = path.appending(entry.name)
      if entry.kind == .directory {
        let child = try MigrationError.wrapping { () throws(FileError) in
          try directory.openDirectory(entry.name)
        }
        try collect(child, entryPath, into: &files, writing)
        continue
      }
      let size = try MigrationError.wrapping { () throws(FileError) in
        try directory.state(of: entry.name).size
      }
      let file = ReturningFile(
        path: entryPath, byteCount: Int(clamping: size),
        isDocument: entryPath.isDocument)
      if entry.kind == .regular { files.append(file) } else { keep(file, because: "it is no file") }
    }
  }

  /// What is in the place of a file.
  private enum PlaceContent {
    case nothing
    /// What it left there; or itself, put back by a run that died before it was done.
    case rest
    case other
  }

  private mutating func content(
    at path: RelativePath, besides rest: ContentHash?, in run: Directory, _ folder: Directory
  ) throws(MigrationError) -> PlaceContent {
    do throws(FileError) {
      guard let there = try folder.stateIfPresent(of: path) else { return .nothing }
      guard let rest, there.kind == .regular, let (parent, name) = try folder.openParent(of: path)
      else { return .other }
      if try hasher.hash(name, in: parent).hash == rest { return .rest }
    } catch {
      throw MigrationError(error)
    }
    return try isSame(path, in: run, folder) ? .rest : .other
  }

  private mutating func bringBack(
    _ file: ReturningFile, over rest: ContentHash? = nil, with mover: inout QuarantineMover,
    _ writing: WritingRun?
  ) throws(MigrationError) {
    writing?.beginWriting()
    let isBack = writing == nil ? true : try mover.moveBack(file.path, over: rest)
    if isBack { note(file, .returned) } else { keep(file, because: "its place was taken") }
  }

  // MARK: Places that are taken

  /// Decides about a file in whose place something is: a document comes back beside it, as the
  /// conflict copy that it is, unless it is the same.
  private mutating func bringBackBeside(
    _ file: ReturningFile, of run: Quarantine.Run, in folder: Directory,
    with mover: inout QuarantineMover, _ writing: WritingRun?
  ) throws(MigrationError) {
    guard try !isSame(file.path, in: run.directory, folder) else {
      note(file, .kept)
      report.findings.append(
        Finding(
          .kept, .info, path: file.path.description,
          message: "is in the folder, byte for byte; what is in quarantine stays there"))
      return
    }
    guard file.isDocument, let name = copyName(of: file.path, run) else {
      return keep(file, because: "the folder holds it with other bytes")
    }
    let place = file.path.parent?.appending(name) ?? RelativePath(name)
    writing?.beginWriting()
    let isBack = writing == nil ? true : try mover.moveBack(file.path, as: name)
    guard isBack else {
      return keep(file, because: "\(place) is there, too")
    }
    report.files.append(
      CleanUpReport.File(
        path: place.description, outcome: .returned, byteCount: file.byteCount))
    report.findings.append(
      Finding(
        .conflictCopy, .warning, path: place.description,
        message: "is what was in quarantine; \(file.path) is another version of it",
        next: "bring both together with merge-conflicts"))
  }

  private mutating func isSame(
    _ path: RelativePath, in run: Directory, _ folder: Directory
  ) throws(MigrationError) -> Bool {
    do throws(FileError) {
      guard let (one, name) = try run.openParent(of: path),
        let (other, _) = try folder.openParent(of: path)
      else { return false }
      let there = try other.state(of: name)
      guard there.kind == .regular, try one.state(of: name).size == there.size else { return false }
      let hash = try hasher.hash(name, in: one).hash
      return try hasher.hash(name, in: other).hash == hash
    } catch {
      throw MigrationError(error)
    }
  }

  /// `12 (conflicted copy 20260106T120000Z).automerge`
  private func copyName(of path: RelativePath, _ run: Quarantine.Run) -> FileName? {
    guard let name = path.lastComponent else { return nil }
    let fileExtension = Array(FolderNames.documentExtension.utf8)
    return FileName(
      name.bytes.dropLast(fileExtension.count) + Array(" (conflicted copy \(run.name))".utf8)
        + fileExtension)
  }

  // MARK: Report

  private mutating func note(_ file: ReturningFile, _ outcome: CleanUpReport.File.Outcome) {
    report.files.append(
      CleanUpReport.File(
        path: file.path.description, outcome: outcome, byteCount: file.byteCount))
  }

  private mutating func keep(
    _ file: ReturningFile, because reason: String,
    next: String = "move what is in its place elsewhere, then run again"
  ) {
    note(file, .kept)
    report.findings.append(
      Finding(
        .kept, .error, path: file.path.description, message: "stays in quarantine: \(reason)",
        next: next))
  }
}
