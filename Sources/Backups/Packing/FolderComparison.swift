import Crypto
package import SafeFiles
import Synchronization

extension VerifiedBackup {
  /// Returns the first place where the folder holds something else than this backup, nil if it is
  /// equal: the same entries of the same kinds, with the same bytes and link targets.
  ///
  /// Modes and times do not count. Sizes are compared first, so that a folder that obviously
  /// differs is not read.
  package func firstDifference(
    from folder: Directory, context: BackupContext = BackupContext()
  ) throws(BackupError) -> RelativePath? {
    try manifest.firstDifference(from: folder, context: context)
  }
}

extension BackupManifest {
  /// See `VerifiedBackup.firstDifference(from:context:)`.
  ///
  /// - Parameter standIns: what of the folder is compared in the place of some files.
  func firstDifference(
    from folder: Directory, _ standIns: StandIns = StandIns(), context: BackupContext
  ) throws(BackupError) -> RelativePath? {
    let snapshot = try FolderSnapshot(
      of: folder, standIns, summary: summary.withoutCounts, context: context)
    let found = snapshot.manifest
    // What is no file is in no archive, so it is on neither side.
    let (mine, theirs) = (archived, found.archived)
    for (left, right) in zip(mine, theirs) where !isEqual(left, found, right) {
      return path(left)
    }
    if mine.count != theirs.count {
      let shared = min(mine.count, theirs.count)
      return mine.count > shared ? path(mine[shared]) : found.path(theirs[shared])
    }
    let difference = try firstContentDifference(
      from: folder, snapshot, Array(zip(mine, theirs)), context)
    try snapshot.requireUnchanged(context: context)
    return difference.map(found.path)
  }

  /// The numbers of the entries that are in an archive.
  private var archived: [Int] { records.indices.filter { records[$0].kind != .special } }

  private func isEqual(_ position: Int, _ other: BackupManifest, _ otherPosition: Int) -> Bool {
    let (left, right) = (records[position], other.records[otherPosition])
    return left.kind == right.kind && left.size == right.size
      && pool[left.path] == other.pool[right.path]
      && pool[left.target] == other.pool[right.target]
  }

  private func firstContentDifference(
    from folder: Directory, _ snapshot: FolderSnapshot, _ pairs: [(Int, Int)],
    _ context: BackupContext
  ) throws(BackupError) -> Int? {
    let (found, standIns) = (snapshot.manifest, snapshot.standIns)
    let jobs = ArchiveLayout(found, threads: context.workerCount).jobs
    var hashesExpected = [ContentHash](repeating: .zero, count: found.count)
    for (mine, theirs) in pairs { hashesExpected[theirs] = records[mine].hash }
    let expected = hashesExpected
    let lowest = Mutex<Int?>(nil)
    try ParallelJobs.run(
      jobs.count, threads: context.workerCount,
      makeState: { EntryEmitter(folder, found, standIns) }
    ) { (job, emitter) throws(BackupError) in
      if context.isInterrupted() { throw .interrupted }
      let entries = jobs[job].entries
      if let known = lowest.withLock({ $0 }), known < entries.lowerBound { return }
      let hashes = try emitter.emit(entries) { (_, _) throws(BackupError) in }
      let files = entries.filter { found.records[$0].kind == .file }
      for (entry, hash) in zip(files, hashes) where hash != expected[entry] {
        lowest.withLock { lowest in lowest = min(lowest ?? entry, entry) }
        return
      }
      context.reportProgress?(entries.upperBound, count)
    }
    return lowest.withLock { $0 }
  }
}
