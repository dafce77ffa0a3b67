import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// Where steps over the JSON files of a folder are noted, and the files as they were.
///
/// What a step is about to change is copied, then noted in a journal, then changed. A run that is stopped
/// in between is undone by the next one, which gives each file back that was changed; so is an undoing
/// finished. `schema.jsonl` says what was done.
struct FileStepStorage {
  let folder: Directory
  /// Where files are that are noted under other paths.
  var moves: [RelativePath: RelativePath] = [:]
  private let context: RunContext

  init(_ folder: Directory, context: RunContext) { (self.folder, self.context) = (folder, context) }

  // MARK: What was done

  var log: FileStepLog { FileStepLog(folder, moves: moves) }

  /// The last line of each run of each step, in the order of the runs.
  func records() throws(MigrationError) -> [(record: FileStepRecord, stage: StepRecord.Stage)] {
    try log.records()
  }

  func lines() throws(MigrationError) -> [SchemaLine] { try log.lines() }

  func contents(of path: RelativePath) throws(MigrationError) -> [UInt8]? {
    try log.contents(of: path)
  }

  /// Notes how far a step is.
  func note(
    _ record: FileStepRecord, _ stage: StepRecord.Stage
  ) throws(MigrationError) {
    guard let line = record.line(stage) else {
      throw .brokenInvariant("a step that cannot be noted")
    }
    try publish(log.read().bytes(adding: line), as: FolderNames.schemaLog)
  }

  private func publish(_ bytes: [UInt8], as name: FileName) throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in
      try folder.createDirectory(FolderNames.state).publish(bytes, as: name)
    }
  }

  // MARK: Doing

  /// Changes files as a step says, all of them or, once the next run has looked, none.
  ///
  /// - Parameters:
  ///   - made: the entities that it makes, as they are told.
  ///   - late: those that it changes or makes, if it runs for those alone that came later.
  ///   - sources: those that it sees, and makes others for.
  func apply(
    _ files: [SteppedFile], of step: EntityStep, making made: Set<String> = [],
    for late: Set<String> = [], seeing sources: Set<String> = []
  ) throws(MigrationError) {
    try sweep(step.id)
    let noted = formerPaths
    let record = FileStepRecord(
      of: step, changing: files, at: try freePlace(of: step.id), formerPaths: noted, making: made,
      for: late, seeing: sources)
    guard !files.isEmpty else { return try note(record, .done) }
    try publish(
      files.compactMap { file in
        file.before.map {
          BuiltDocument(
            path: record.place(of: noted[file.path] ?? file.path) ?? file.path, bytes: $0,
            entitiesAdded: 0,
            changesAdded: 0)
        }
      })
    try writeJournal(of: record, .begun)
    try publish(
      files.map { file in
        BuiltDocument(
          path: file.path, bytes: file.after, replaced: file.version, entitiesAdded: 0,
          changesAdded: 0)
      })
    try note(record, .done)
    try removeJournal()
  }

  private func publish(_ files: [BuiltDocument]) throws(MigrationError) {
    let publisher = DocumentPublisher(folder)
    defer { publisher.discard() }
    try publisher.publish(files, context: context)
  }

  /// Removes copies that a run has made which was stopped: nothing that is noted relies on them.
  private func sweep(_ step: MigrationID) throws(MigrationError) {
    var known: Set<RelativePath> = []
    for line in try lines() where line.record.id == step {
      // A step over places sets aside what is nowhere else.
      guard let record = FileStepRecord(line) else { return }
      known.insert(record.originals)
    }
    try MigrationError.wrapping { () throws(FileError) in
      guard
        let path = RelativePath(
          FileStepRecord.place.bytes + Array("/\(step.rawValue)".utf8)),
        let place = try folder.openDirectoryIfPresent(path)
      else { return }
      for entry in try place.entries()
      where entry.kind == .directory && !known.contains(path.appending(entry.name)) {
        try place.removeOwnTree(entry.name)
      }
    }
  }

  private func freePlace(of step: MigrationID) throws(MigrationError) -> RelativePath {
    // A run that has made files alone has set none aside.
    let taken = Set(
      try records().lazy.map(\.record).filter { $0.id == step && !$0.hasNoEffect }.map(\.originals))
    return try MigrationError.wrapping { () throws(FileError) in
      var number = 1
      while true {
        guard let path = FileStepRecord.originals(of: step.rawValue, number) else {
          throw .invalidPath(path: step.rawValue)
        }
        if !taken.contains(path), try folder.stateIfPresent(of: path) == nil { return path }
        number += 1
      }
    }
  }

  // MARK: Undoing

  /// What an undoing gives back.
  struct Restoration {
    /// The files as they were before the step, those that nobody has changed since.
    fileprivate(set) var files: [BuiltDocument] = []
    /// Those that the step has made, as they are, which go to where the others came from.
    fileprivate(set) var made: [(path: RelativePath, version: FileVersion)] = []
    /// Those that somebody has changed, which stay.
    fileprivate(set) var edited: [RelativePath] = []
    /// Those that are gone, which stay so.
    fileprivate(set) var gone: [RelativePath] = []
  }

  /// Gives back files as they were before a step. Those that are gone are noted, beside what the run is said
  /// to leave.
  func undo(_ record: FileStepRecord, by restoration: Restoration) throws(MigrationError) {
    try writeJournal(of: record, .undoing)
    try carryOut(restoration, of: record)
    try note(record.leaving(record.left.union(restoration.gone)), .undone)
    try removeJournal()
  }

  /// Returns the hash of a file as it is; nil if there is none.
  func hash(of path: RelativePath) throws(MigrationError) -> ContentHash? {
    try log.hash(of: path)
  }

  /// Reads what files were before a run of a step.
  ///
  /// - Parameter earlier: runs before it. What is as one of these found or left it is as before this one.
  func restoration(
    from record: FileStepRecord, behind earlier: [FileStepRecord] = []
  ) throws(MigrationError) -> Restoration {
    var restoration = Restoration()
    for entry in record.entries {
      let path = path(now: entry.path)
      let now = try MigrationError.wrapping { () throws(FileError) in
        try folder.versionIfPresent(of: path)
      }
      if entry.isNew {
        // What is not there was not made, or is away already.
        guard let now else { continue }
        if now.hash == entry.after {
          restoration.made.append((path, now))
        } else {
          restoration.edited.append(path)
        }
        continue
      }
      guard let now else {
        restoration.gone.append(entry.path)
        continue
      }
      let original = try original(of: entry, in: record)
      if now.hash == entry.after {
        restoration.files.append(
          BuiltDocument(
            path: path, bytes: original, replaced: now, entitiesAdded: 0, changesAdded: 0))
      } else if now.hash != ContentHash(of: original), !earlier.know(entry.path, as: now.hash) {
        restoration.edited.append(path)
      }
    }
    return restoration
  }

  /// Returns a file as it was before a step.
  ///
  /// Throws if it is not what was set aside then.
  private func original(
    of entry: FileStepRecord.Entry, in record: FileStepRecord
  ) throws(MigrationError) -> [UInt8] {
    let place = record.place(of: entry.path)
    let bytes = try place.map(contents) ?? nil
    if let bytes, entry.before.map({ $0 == ContentHash(of: bytes) }) ?? true { return bytes }
    throw .underlying(
      Diagnostic(
        .damagedInput, subject: "\(folder.path)/\(place ?? entry.path)",
        problem: bytes == nil
          ? "is not there: it is what \(entry.path) was before \(record.id)"
          : "is not what \(record.id) has set aside of \(entry.path): it was damaged since",
        remedy: "copy \(entry.path) there from the backup that was made before the step, and run "
          + "the command again"))
  }

  /// What would become of files by undoing runs of a step.
  struct Changes {
    /// The files that somebody has changed since.
    fileprivate(set) var edited: [RelativePath] = []
    /// Those that are gone.
    fileprivate(set) var gone: [RelativePath] = []
    /// Those that the step has made and that are gone.
    fileprivate(set) var goneMade: [RelativePath] = []
    /// Those that would be as they were, or would go.
    fileprivate(set) var restored: Set<RelativePath> = []
    /// Whether one of them is there, whatever it is.
    fileprivate(set) var isAnyThere = false

    /// Whether all files of the step are gone that it has changed: nothing shows whether they come back as
    /// after it.
    var isAllGone: Bool { !gone.isEmpty && !isAnyThere }
  }

  /// Returns what undoing runs of a step, in the order of these, would do.
  ///
  /// - Parameter all: the runs of all steps, in their order.
  func changes(
    since records: [FileStepRecord], among all: [FileStepRecord]
  ) throws(MigrationError) -> Changes {
    var changes = Changes()
    // What undoing the later runs leaves of files.
    var left: [RelativePath: ContentHash?] = [:]
    for record in records.reversed() {
      let earlier = all.before(record)
      for entry in record.entries {
        let path = path(now: entry.path)
        let now = if let known = left[path] { known } else { try hash(of: path) }
        guard let now else {
          let isTold = changes.gone.contains(entry.path) || changes.goneMade.contains(entry.path)
          // What an undoing of a later run takes away is not gone.
          if isTold || left.keys.contains(path) { continue }
          if entry.isNew {
            changes.goneMade.append(entry.path)
          } else {
            changes.gone.append(entry.path)
          }
          continue
        }
        changes.isAnyThere = true
        var former: ContentHash?
        if !entry.isNew { former = ContentHash(of: try original(of: entry, in: record)) }
        guard now == entry.after || now == former else {
          if earlier.know(entry.path, as: now) { continue }
          if !changes.edited.contains(path) { changes.edited.append(path) }
          continue
        }
        if now == entry.after { changes.restored.insert(path) }
        left.updateValue(former, forKey: path)
      }
    }
    return changes
  }

  func giveBack(_ record: FileStepRecord) throws(MigrationError) -> [RelativePath] {
    let restoration = try restoration(from: record)
    try carryOut(restoration, of: record)
    return restoration.edited + restoration.gone
  }

  func carryOut(
    _ restoration: Restoration, of record: FileStepRecord
  ) throws(MigrationError) {
    try publish(restoration.files)
    for (path, version) in restoration.made {
      guard let target = record.place(of: path)?.parent, let name = path.lastComponent else {
        throw .brokenInvariant("a file has no name")
      }
      try MigrationError.wrapping { () throws(FileError) in
        guard let (directory, _) = try folder.openParent(of: path),
          try directory.stateIfPresent(of: name)?.isUnchanged(since: version.state) ?? false
        else { throw .changedWhileRead(path: path.description) }
        let place = try folder.createDirectory(target)
        try directory.move(name, to: place)
        try place.synchronize()
        try directory.synchronize()
      }
    }
  }

  // MARK: Journal

  /// The step that a run was at that was stopped; nil if none was.
  func unfinished() throws(MigrationError) -> (record: FileStepRecord, stage: StepRecord.Stage)? {
    try log.journal()
  }

  private func writeJournal(
    of record: FileStepRecord, _ stage: StepRecord.Stage
  ) throws(MigrationError) {
    guard let line = record.line(stage) else {
      throw .brokenInvariant("a step that cannot be noted")
    }
    try publish(line.bytes + [UInt8(ascii: "\n")], as: FolderNames.stepJournal)
  }

  func removeJournal() throws(MigrationError) {
    try folder.removeStepJournal()
  }
}
