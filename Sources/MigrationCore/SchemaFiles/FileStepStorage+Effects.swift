import Runs
import SafeFiles
import SchemaMigrations

// What of steps that were done the files still show: a restore takes effects away, and no record.
extension FileStepStorage {
  /// Returns those runs of steps that were done of which no file shows anything any more: each file that
  /// they changed is again as it was before, and those that they made are not there.
  ///
  /// - Parameter all: the runs of all steps, in their order.
  func lost(
    among all: [(record: FileStepRecord, stage: StepRecord.Stage)]
  ) throws(MigrationError) -> [FileStepRecord] {
    let records = all.map(\.record)
    var runs: [RelativePath: [(record: Int, entry: FileStepRecord.Entry)]] = [:]
    for (place, record) in records.enumerated() {
      for entry in record.entries { runs[entry.path, default: []].append((place, entry)) }
    }
    var shown: Set<Int> = []
    var lost: Set<Int> = []
    for (path, runs) in runs {
      let now = try hash(of: path)
      var start = runs.endIndex
      if let now {
        // What steps have made since that state is gone; one that no step has left or found is an edit.
        let left = runs.lastIndex { $0.entry.after == now }.map { $0 + 1 }
        let found = runs.lastIndex { $0.entry.before == now }
        start = max(left ?? 0, found ?? 0)
        if left == nil, found == nil { start = runs.endIndex }
      } else if runs.allSatisfy(\.entry.isNew) {
        start = 0
      }
      shown.formUnion(runs[..<start].map(\.record))
      // Of files that a step made alone nobody can tell a restore from a removal.
      lost.formUnion(runs[start...].lazy.filter { !$0.entry.isNew }.map(\.record))
    }
    return lost.subtracting(shown).sorted().filter { all[$0].stage == .done }.map { records[$0] }
  }
}

extension [FileStepRecord] {
  /// Those that come before one of them.
  func before(_ record: FileStepRecord) -> [FileStepRecord] {
    Array(prefix { !$0.isSameRun(as: record) })
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
