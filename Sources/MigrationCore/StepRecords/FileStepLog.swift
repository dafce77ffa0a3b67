import Backups
import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// What is noted in a folder of steps over its JSON files, and what of it the files show.
struct FileStepLog {
  let folder: Directory
  /// Where files are that are noted under other paths.
  private let moves: [RelativePath: RelativePath]

  /// - Parameter moves: where files are that are noted under other paths.
  init(_ folder: Directory, moves: [RelativePath: RelativePath] = [:]) {
    (self.folder, self.moves) = (folder, moves)
  }

  /// Returns where a file is that is noted under a path.
  func path(now noted: RelativePath) -> RelativePath { moves[noted] ?? noted }

  /// The last line of each run of each step, in the order of the runs: what comes later as before a step
  /// gets it in a run of its own.
  func records() throws(MigrationError) -> [(record: FileStepRecord, stage: StepRecord.Stage)] {
    var records: [(record: FileStepRecord, stage: StepRecord.Stage)] = []
    for line in try lines() {
      guard var record = FileStepRecord(line) else { continue }
      let former = records.firstIndex { $0.record.isSameRun(as: record) }
      if let former, records[former].record.hasNoEffect == record.hasNoEffect {
        records[former] = (record, line.record.stage)
      } else {
        // One that changed nothing has left its directory to the next one. What it saw it has seen.
        if let former { record.sources.formUnion(records.remove(at: former).record.sources) }
        records.append((record, line.record.stage))
      }
    }
    return records
  }

  /// All its lines, in the order in which they were noted.
  func lines() throws(MigrationError) -> [SchemaLine] { try read().lines }

  /// Reads it; throws if a line is none of ours.
  func read() throws(MigrationError) -> SchemaLog {
    let bytes = try contents(of: SchemaLog.path) ?? []
    do throws(SchemaLog.Defect) {
      return try SchemaLog(bytes)
    } catch {
      throw .underlying(
        Diagnostic(
          .damagedInput, subject: folder.path, problem: error.problem, remedy: error.remedy))
    }
  }

  /// Returns what a file holds; nil if there is none.
  func contents(of path: RelativePath) throws(MigrationError) -> [UInt8]? {
    try MigrationError.wrapping { () throws(FileError) in
      try folder.contentsIfPresent(of: path, limit: JSONTape.largestSource)
    }
  }

  /// Returns the hash of a file as it is; nil if there is none.
  func hash(of path: RelativePath) throws(MigrationError) -> ContentHash? {
    try MigrationError.wrapping { () throws(FileError) in
      try folder.versionIfPresent(of: path)?.hash
    }
  }

  /// Returns the hash of a file that is noted under a path, as it is; nil if there is none.
  ///
  /// - Parameter hashes: what files were when they were read; the others are read.
  func hash(
    now noted: RelativePath, knowing hashes: [RelativePath: ContentHash]
  ) throws(MigrationError) -> ContentHash? {
    let path = path(now: noted)
    return if let known = hashes[path] { known } else { try hash(of: path) }
  }

  /// Returns the steps that were done over the files, or undone, each as it was done last: what these show that
  /// was undone counts as done, and what they do not show any more does not.
  ///
  /// - Parameter isWanted: says which steps are asked about, by their names; where there is none no file is
  ///   read.
  func noted(where isWanted: (String) -> Bool) throws(MigrationError) -> [NotedStep] {
    try noted(records(), knowing: [:], where: isWanted)
  }

  /// Returns the same of runs that are known, of which some may be ended.
  ///
  /// - Parameters:
  ///   - hashes: what files will be; the others are read.
  ///   - step: the step that a run was at, whatever the other files show of it.
  func noted(
    _ all: [(record: FileStepRecord, stage: StepRecord.Stage)],
    knowing hashes: [RelativePath: ContentHash], besides step: MigrationID? = nil,
    where isWanted: (String) -> Bool
  ) throws(MigrationError) -> [NotedStep] {
    guard all.contains(where: { isWanted($0.record.id.rawValue) }) else { return [] }
    var shown = try shownAgain(among: all, knowing: hashes)
    if let step { shown.leaveOut(step) }
    let standing = all.standing(shown.again)
    let lost = try lost(among: standing, knowing: hashes)
    var (done, undone): ([SchemaRecord.Step], [SchemaRecord.Step]) = ([], [])
    for (record, stage) in standing where isWanted(record.id.rawValue) {
      switch stage {
      case .done where !lost.contains(record):
        done.removeAll { $0.id == record.step.id }
        done.append(record.step)
      case .undone:
        undone.removeAll { $0.id == record.step.id }
        if !record.isRestored { undone.append(record.step) }
      default: continue
      }
    }
    let gone = Set(lost.map(\.step.id)).union(done.map(\.id))
    return done.map { NotedStep($0) }
      + undone.filter { !gone.contains($0.id) }.map { NotedStep($0, isUndone: true) }
  }

  /// Returns those that were done alone.
  func done(where isWanted: (String) -> Bool) throws(MigrationError) -> [SchemaRecord.Step] {
    try noted(where: isWanted).filter { !$0.isUndone }.map(\.step)
  }

  /// Returns the entities, as they are told, that a step has seen, and makes others for, or has made.
  func sources(of step: MigrationID) throws(MigrationError) -> Set<String> {
    try records().reduce(into: Set()) { sources, run in
      if run.record.id == step, run.stage == .done {
        sources.formUnion(run.record.sources.union(run.record.made))
      }
    }
  }

  /// Returns the files that are as before steps which were done to others, with the names of these steps: they
  /// are to get them.
  func filesBefore(
    _ steps: [SchemaRecord.Step]
  ) throws(MigrationError) -> [(path: RelativePath, step: String)] {
    var files: [(path: RelativePath, step: String)] = []
    let runs = try records().filter { $0.stage == .done }.map(\.record)
    for (path, entries) in runs.byPath.sorted(by: { $0.key < $1.key }) {
      guard let now = try hash(of: path) else { continue }
      let left = entries.lastIndex { $0.entry.after == now }.map { $0 + 1 } ?? 0
      guard let found = entries.lastIndex(where: { $0.entry.before == now }), found >= left else {
        continue
      }
      let ids = entries[found...].map { runs[$0.number].id.rawValue }
      files += steps.filter { ids.contains($0.id) }.map { (path, $0.id) }
    }
    return files
  }

  /// Returns lines which say that steps were done, or undone, whose files, as they were, are nowhere.
  ///
  /// - Parameters:
  ///   - records: the runs that are noted.
  ///   - files: what files are after those that were done, unless what is in them shows otherwise.
  func lines(
    noting steps: [NotedStep],
    besides records: [(record: FileStepRecord, stage: StepRecord.Stage)] = [],
    leaving files: [FileStepRecord.Entry] = [],
    seeing sources: [String: Set<String>] = [:]
  ) throws(MigrationError) -> [SchemaLine] {
    var taken = Set(records.map(\.record.originals))
    var lines: [SchemaLine] = []
    for noted in steps {
      let step = noted.step
      var number = 1
      while true {
        guard let place = FileStepRecord.originals(of: step.id, number) else {
          throw .brokenInvariant("a step without a place")
        }
        let isFree = try MigrationError.wrapping { () throws(FileError) in
          try folder.stateIfPresent(of: place) == nil
        }
        number += 1
        guard isFree, taken.insert(place).inserted else { continue }
        let record = FileStepRecord(
          id: MigrationID(rawValue: step.id), checksum: step.checksum, originals: place,
          entries: noted.isUndone ? [] : files, made: [], sources: sources[step.id] ?? [])
        guard let line = record.line(noted.isUndone ? .undone : .done) else {
          throw .brokenInvariant("a step that cannot be noted")
        }
        lines.append(line)
        break
      }
    }
    return lines
  }
}
