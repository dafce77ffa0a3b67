import Folders
import Runs
import SafeFiles
import SchemaMigrations

// What of steps that were done the files still show: a restore takes effects away, and no record.
extension FileStepLog {
  /// Returns those runs of steps that were done of which no file shows anything any more: each file that
  /// they changed is again as it was before, and those that they made are not there.
  ///
  /// - Parameters:
  ///   - all: the runs of all steps, in their order.
  ///   - hashes: what files were when they were read; the others are read.
  func lost(
    among all: [(record: FileStepRecord, stage: StepRecord.Stage)],
    knowing hashes: [RelativePath: ContentHash]
  ) throws(MigrationError) -> [FileStepRecord] {
    let records = all.map(\.record)
    let effects = try records.effects { path throws(MigrationError) in
      try hash(now: path, knowing: hashes)
    }
    return effects.before.subtracting(effects.after).subtracting(effects.edited).sorted()
      .filter { all[$0].stage == .done }.map { records[$0] }
  }

  /// Runs of steps that were undone and that files show again, as after a restore.
  struct Shown {
    /// Those of which every file that is there shows it, or was edited since.
    fileprivate(set) var again: [FileStepRecord] = []
    /// The files of the others that show one, with that.
    fileprivate(set) var strays: [(path: RelativePath, record: FileStepRecord)] = []

    mutating func leaveOut(_ step: MigrationID) {
      again.removeAll { $0.id == step }
      strays.removeAll { $0.record.id == step }
    }
  }

  /// Returns which runs of steps that were undone the files show again.
  ///
  /// - Parameters:
  ///   - all: the runs of all steps, in their order.
  ///   - hashes: what files were when they were read; the others are read.
  func shownAgain(
    among all: [(record: FileStepRecord, stage: StepRecord.Stage)],
    knowing hashes: [RelativePath: ContentHash]
  ) throws(MigrationError) -> Shown {
    var shown = Shown()
    guard all.contains(where: { $0.stage == .undone && !$0.record.hasNoEffect }) else {
      return shown
    }
    var paths: [Int: [RelativePath]] = [:]
    var isBefore: Set<Int> = []
    let runs = all.map(\.record).byPath
    for path in runs.keys.sorted() {
      guard let runs = runs[path],
        let now = try hash(now: path, knowing: hashes)
      else { continue }
      isBefore.formUnion(runs.lazy.filter { $0.entry.before == now }.map(\.number))
      // As it is noted.
      let last = runs.last { all[$0.number].stage == .done }
      if now == last.map({ $0.entry.after }) ?? runs.first?.entry.before { continue }
      // What it is the last one made of what those before it had left.
      var (state, rest) = (now, runs[...])
      while let last = rest.lastIndex(where: { $0.entry.after == state }),
        all[rest[last].number].stage == .undone
      {
        paths[rest[last].number, default: []].append(self.path(now: path))
        guard let before = rest[last].entry.before else { break }
        (state, rest) = (before, rest[..<last])
      }
    }
    for (number, paths) in paths.sorted(by: { $0.key < $1.key }) {
      let record = all[number].record
      if isBefore.contains(number) {
        shown.strays += paths.map { ($0, record) }
      } else {
        shown.again.append(record)
      }
    }
    return shown
  }
}

extension [FileStepRecord] {
  /// Those that come before one of them.
  func before(_ record: FileStepRecord) -> [FileStepRecord] {
    Array(prefix { !$0.isSameRun(as: record) })
  }

  /// What files say of runs, by their numbers.
  struct Effects {
    /// Those after which a file is as they, or later ones, left it.
    fileprivate(set) var after: Set<Int> = []
    /// Those that a file is before which they have changed.
    fileprivate(set) var before: Set<Int> = []
    /// Those of which a file that they have changed says nothing, because it was edited since.
    fileprivate(set) var edited: Set<Int> = []
  }

  /// Returns what files say of these runs. One that is gone says nothing, beside those that are there.
  ///
  /// - Parameter hash: what is under a path at which a file is noted; nil if nothing is.
  func effects(
    of hash: (RelativePath) throws(MigrationError) -> ContentHash?
  ) throws(MigrationError) -> Effects {
    var effects = Effects()
    for (path, runs) in byPath {
      guard let now = try hash(path) else { continue }
      let left = runs.lastIndex { $0.entry.after == now }.map { $0 + 1 }
      let found = runs.lastIndex { $0.entry.before == now }
      if left == nil, found == nil {
        // A state that no step has left or found is an edit.
        effects.edited.formUnion(runs.map(\.number))
        continue
      }
      // What steps have made since that state is gone.
      let start = Swift.max(left ?? 0, found ?? 0)
      effects.after.formUnion(runs[..<start].map(\.number))
      // Of files that a step made alone nobody can tell a restore from a removal.
      effects.before.formUnion(runs[start...].lazy.filter { !$0.entry.isNew }.map(\.number))
    }
    return effects
  }

  /// What they have done to each file, with their numbers, in their order.
  var byPath: [RelativePath: [(number: Int, entry: FileStepRecord.Entry)]] {
    var runs: [RelativePath: [(number: Int, entry: FileStepRecord.Entry)]] = [:]
    for (number, record) in enumerated() {
      for entry in record.entries { runs[entry.path, default: []].append((number, entry)) }
    }
    return runs
  }

  func contains(_ record: FileStepRecord) -> Bool {
    contains { $0.isSameRun(as: record) }
  }

  /// Whether a file is as one of these runs found it, or left it.
  func know(_ path: RelativePath, as hash: ContentHash) -> Bool {
    contains { record in
      record.entries.contains { $0.path == path && ($0.before == hash || $0.after == hash) }
    }
  }
}

extension [(record: FileStepRecord, stage: StepRecord.Stage)] {
  /// The same, of which some were done, whatever is noted.
  func standing(_ done: [FileStepRecord]) -> Self {
    map { record, stage in (record, done.contains(record) ? .done : stage) }
  }
}

extension FileStepRecord {
  /// Whether a file was as another run had left it, or as others since, when this one changed it.
  ///
  /// - Parameter earlier: the runs before the other one. What was as one of these found or left it was as
  ///   before that.
  func buildsOn(_ other: FileStepRecord, behind earlier: [FileStepRecord]) -> Bool {
    entries.contains { entry in
      guard !entry.isNew, let former = other.entries.first(where: { $0.path == entry.path }) else {
        return false
      }
      guard let found = entry.before else { return true }
      return former.before != found && !earlier.know(entry.path, as: found)
    }
  }
}
