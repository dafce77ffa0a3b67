import Backups
import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles

/// A folder and the places where its backups are.
struct BackedUpFolder {
  let directory: Directory
  /// The last name of its real path.
  let name: String
  /// The path of the place, as a command would take it.
  let place: String
  /// The steps of plans that were done over its JSON files, once they were looked for.
  private(set) var steps: [NotedStep] = []
  /// What a run did to its JSON files that is at a step, or was stopped; nil if none was, or nobody has looked.
  private(set) var stopped: StoppedFileStep?
  /// What is told of places that could not be looked at, and of backups that nobody could assign since.
  var findings: [Finding] { unlisted + content.findings + unread }

  private let operations: any FileOperations
  private let formerPlaces: [Directory]
  private let unlisted: [Finding]
  private var unread: [Finding] = []
  private let content: SharedContent

  /// What a backup holds in the place of some files.
  var standIns: StandIns { stopped?.standIns ?? StandIns() }

  /// Looks for the steps of plans that were done over its JSON files. A damaged record of them is told, and
  /// is no reason to make no backup.
  mutating func lookForSteps() throws(MigrationError) {
    do throws(MigrationError) {
      let log = FileStepLog(directory)
      let records = try log.records()
      stopped = try log.stopped(among: records)
      steps = try log.noted(among: records, after: stopped)
    } catch {
      guard error.diagnostic.kind == .damagedInput else { throw error }
      unread.append(
        Finding(
          .damaged, .warning, path: SchemaLog.path.description,
          message:
            "cannot be read, so the backup does not say which steps were done to what it holds: "
            + error.diagnostic.problem,
          next: error.diagnostic.remedy))
    }
  }

  /// Finds the places of a folder's backups.
  ///
  /// - Parameter findsFormerPlaces: whether those are looked for that have a former name of the folder.
  init(
    _ options: PackOptions, findsFormerPlaces: Bool = true, context: RunContext
  ) throws(MigrationError) {
    directory = try FolderAccess.open(options.folder, context: context)
    operations = context.operations
    content = SharedContent(of: directory, context: context)
    let path: String
    do {
      path = String(decoding: try directory.canonicalPath(), as: UTF8.self)
    } catch {
      throw MigrationError(error)
    }
    name = path.split(separator: "/").last.map(String.init) ?? "folder"
    place = options.backupDirectory ?? path + FolderNames.backupsSuffix
    guard findsFormerPlaces, options.backupDirectory == nil else {
      (formerPlaces, unlisted) = ([], [])
      return
    }
    do throws(FileError) {
      formerPlaces = try Self.formerPlaces(beside: directory, named: name)
      unlisted = []
    } catch {
      formerPlaces = []
      unlisted = [
        Finding(
          .notLookedAt, .error, path: error.path,
          message: "whether there are backups under a former name of the folder is not known: "
            + error.diagnostic.problem,
          next: "name their place with --backup-dir")
      ]
    }
  }

  /// Opens the places of backups that lie beside the folder and belong to no folder there: the folder
  /// may have had that name.
  private static func formerPlaces(
    beside folder: Directory, named name: String
  ) throws(FileError) -> [Directory] {
    let parent = try folder.parentDirectory()
    let suffix = Array(FolderNames.backupsSuffix.utf8)
    var places: [Directory] = []
    for entry in try parent.entries() where entry.kind == .directory {
      let former = entry.name.bytes.dropLast(suffix.count)
      guard entry.name.bytes.suffix(suffix.count).elementsEqual(suffix),
        let owner = FileName(Array(former)), !former.elementsEqual(name.utf8),
        try parent.stateIfPresent(of: owner) == nil
      else { continue }
      places.append(try parent.openDirectory(entry.name))
    }
    return places
  }

  /// Opens the places; nil if there is none and none is to be created.
  func store(isCreating: Bool) throws(BackupError) -> BackupStore? {
    var places = formerPlaces
    do throws(FileError) {
      places.insert(try open(isCreating: isCreating), at: 0)
    } catch {
      guard case .missing = error, !isCreating else { throw .file(error) }
    }
    guard let first = places.first else { return nil }
    let content = content
    let bond = try FolderBond(of: directory, FolderIdentifier(of: directory)) {
      archive throws(BackupError) in try content.compare(archive, archive.manifest())
    }
    return try BackupStore(
      first, besides: Array(places.dropFirst()), for: directory, named: name, bond: bond)
  }

  /// Returns the archives that lie in the directory around the folder, and in the places of its backups,
  /// whatever they are called; notes a directory that cannot be listed.
  func neighbours(noting findings: inout [Finding]) -> [BackupArchive] {
    var found: [BackupArchive] = []
    func add(_ open: () throws(FileError) -> Directory) {
      do throws(FileError) {
        let place = try open()
        found += try place.entries().filter {
          $0.kind == .regular && ($0.name.hasSuffix(".tar") || $0.name.hasSuffix(".tar.zst"))
        }.map { BackupArchive(directory: place, name: $0.name) }
      } catch {
        if case .missing = error { return }
        findings.append(Self.notLookedAt(error, "whether there are backups"))
      }
    }
    add { () throws(FileError) in try directory.parentDirectory() }
    add { () throws(FileError) in try open(isCreating: false) }
    for place in formerPlaces { add { place } }
    return found
  }

  /// Returns whether an archive is a backup of the folder: it has its number, or holds something it
  /// holds. Of what is no backup, or a damaged one, nothing is known.
  func isRelated(
    _ archive: BackupArchive, noting findings: inout [Finding]
  ) throws(BackupError) -> Bool {
    do throws(BackupError) {
      let manifest = try archive.manifest()
      if try FolderIdentifier(of: directory).isKnown(manifest.summary.folderNumber) { return true }
      return try content.compare(archive, manifest) == .shared
    } catch {
      switch error {
      case .interrupted: throw error
      case .file(let error): findings.append(Self.notLookedAt(error, "whether it is a backup"))
      default: break
      }
      return false
    }
  }

  private static func notLookedAt(_ error: FileError, _ question: String) -> Finding {
    Finding(
      .notLookedAt, .error, path: error.path,
      message: "\(question) of this folder is not known: \(error.diagnostic.problem)",
      next: error.diagnostic.remedy)
  }

  private func open(isCreating: Bool) throws(FileError) -> Directory {
    if let there = try Directory.openTarget(path: place, operations: operations) { return there }
    guard isCreating else { throw .missing(path: place) }
    let (parent, name) = try Directory.openParent(ofPath: place, operations: operations)
    // A place that would be part of the backup is not even created.
    guard try !parent.isInside(directory) else { return parent }
    return try parent.createDirectory(name, asPrivateAs: Privacy(of: directory.state()))
  }

  /// Opens what tells how much space there is for a new backup: the place, or the directory in which
  /// it would be created.
  func volume() throws(BackupError) -> Directory {
    do throws(FileError) {
      if let there = try Directory.openTarget(path: place, operations: operations) { return there }
      return try Directory.openParent(ofPath: place, operations: operations).directory
    } catch {
      throw .file(error)
    }
  }
}

/// How a run reaches backups.
package enum BackupAccess {
  /// Reads a whole backup and returns it once everything in it is what its manifest says.
  ///
  /// Who changes a folder because a backup holds something calls this under the lock of the folder,
  /// and keeps the result until the last change.
  static func verify(_ path: String, context: RunContext) throws(MigrationError) -> VerifiedBackup {
    do {
      return try BackupArchive(path: path, operations: context.operations).verify(
        context: BackupContext(context, phase: .checking))
    } catch {
      throw MigrationError(error)
    }
  }

  /// Does the same and keeps what a change of a folder needs of the backup.
  static func rely(on path: String, context: RunContext) throws(MigrationError) -> ReliedBackup {
    ReliedBackup(try verify(path, context: context))
  }

  /// Does the same while something else is read, where there are threads for both; an error of one ends the
  /// other.
  ///
  /// - Parameter read: what is read in the context it is given; it writes nothing.
  private static func verify<Reading>(
    _ path: String, context: RunContext,
    whileReading read: (RunContext) throws(MigrationError) -> Reading
  ) throws(MigrationError) -> (ReliedBackup, Reading) {
    guard context.workerCount > 1 else {
      let backup = try rely(on: path, context: context)
      return (backup, try read(context))
    }
    let (isRead, hasFailed) = (SharedFlag(), SharedFlag())
    var other = context
    other.isInterrupted = { hasFailed.isSet || context.isInterrupted() }
    var quiet = other
    // Of two things at once the reading alone says how far it is.
    if let report = context.reportProgress {
      quiet.reportProgress = { if isRead.isSet { report($0) } }
    }
    var (backup, reading): (ReliedBackup?, Reading?)
    // Each thread has its own: both may fail at once.
    var (backupError, readingError): (MigrationError?, MigrationError?)
    ParallelJobs.run(2, threads: 2, makeState: {}) { (job, _) in
      if job == 0 {
        do throws(MigrationError) { backup = try rely(on: path, context: quiet) } catch {
          backupError = error
          hasFailed.set()
        }
      } else {
        do throws(MigrationError) { reading = try read(other) } catch {
          readingError = error
          hasFailed.set()
        }
        isRead.set()
      }
    }
    // Who was ended by the other says no more than that.
    if let backupError, backupError != .interrupted { throw backupError }
    if let readingError, readingError != .interrupted { throw readingError }
    guard let backup, let reading else { throw .interrupted }
    return (backup, reading)
  }

  /// Does work that relies on a backup, under the lock of the folder; in a dry run without that, and
  /// with the backup only if there is one.
  ///
  /// - Parameters:
  ///   - reason: why nothing is done without a backup.
  ///   - read: reads what the work is about, maybe while the backup is verified; writes nothing.
  static func perform<Report: RunReport, Reading>(
    in folder: Directory, relyingOn path: String?, because reason: String, isDryRun: Bool,
    clock: RunClock, context: RunContext,
    reading read: (RunContext) throws(MigrationError) -> Reading,
    _ work: (Reading, ReliedBackup?, WritingRun?) throws(MigrationError) -> Report
  ) throws(MigrationError) -> Report {
    guard !isDryRun else {
      guard let path else { return try work(try read(context), nil, nil) }
      let (backup, reading) = try verify(path, context: context, whileReading: read)
      return try work(reading, backup, nil)
    }
    guard let path else { throw .optionMissing(option: "--backup", reason: reason) }
    return try WritingRun.perform(in: folder, clock: clock, context: context) {
      writing throws(MigrationError) in
      // Not before the lock: until that is had, anything may happen to the backup.
      let (backup, reading) = try verify(path, context: context, whileReading: read)
      writing.relies(on: backup.hold)
      return try work(reading, backup, writing)
    }
  }
}

extension BackupContext {
  /// The context of a run, as the backup layer takes it.
  init(_ context: RunContext, phase: RunProgress.Phase) {
    self.init(workerCount: context.workerCount, isInterrupted: context.isInterrupted)
    if let report = context.reportProgress {
      reportProgress = { completed, total in
        report(RunProgress(phase, completed: completed, total: total))
      }
    }
  }
}

extension MigrationError {
  /// Wraps an error of the backup layer.
  init(_ error: BackupError) {
    if case .interrupted = error {
      self = .interrupted
    } else {
      self = .underlying(error.diagnostic)
    }
  }
}
