import Runs
import SafeFiles

/// One turn of every folder that is left.
struct FleetPass {
  /// What came of it.
  struct Ending {
    /// The folders that have a result that needs no further turn.
    var settled: Set<String> = []
    /// Whether the scheduler says that jobs failed.
    var hasFailed = false
    /// Whether there are folders that no job came to.
    var hasUnbegun = false
  }

  private let folders: [String]
  private let batch: Int
  private let keepsBusy: Bool

  /// Creates a turn.
  ///
  /// - Parameters:
  ///   - batch: how many folders a job gets.
  ///   - keepsBusy: whether the result of a folder that was busy is kept: it gets no further turn.
  init(_ folders: [String], batch: Int, keepsBusy: Bool) {
    self.folders = folders
    self.batch = batch
    self.keepsBusy = keepsBusy
  }

  /// Runs the jobs and appends each result as it comes.
  ///
  /// - Parameter tell: called with how many folders have a result now.
  func run(
    _ options: FleetOptions, into results: FleetResults, _ context: RunContext,
    tell: (Int) -> Void
  ) throws(MigrationError) -> Ending {
    let list = try MigrationError.wrapping { () throws(FileError) in
      let list = try NamelessFile(in: context.temporaryDirectory, operations: context.operations)
      try list.writer.write(folders.flatMap { Array($0.utf8) + [0] })
      return list
    }
    let job = options.jobWords + ["--job", options.task.encoded, "--"]
    let words = options.scheduler.words(running: job, batch: batch)
    guard let child = try ChildProcess.start(words, input: .descriptor(list.reader.descriptor))
    else {
      throw .brokenInvariant("env was found, and is gone")
    }
    var ending = Ending()
    var answered: Set<String> = []
    do throws(MigrationError) {
      let asked = Set(folders)
      var splitter = LineSplitter(limit: FleetResult.longestLine)
      try child.read(isInterrupted: context.isInterrupted) {
        (piece: ArraySlice<UInt8>) throws(MigrationError) in
        var lines: [FleetResult] = []
        splitter.take(piece) { line in
          // Whatever a host prints when somebody logs in is no result of ours.
          guard let result = FleetResult(line), asked.contains(result.folder),
            result.isOf(options.task)
          else { return }
          lines.append(result)
        }
        answered.formUnion(lines.map(\.folder))
        let kept = lines.filter { keepsBusy || $0.outcome != .busy }
        try results.append(kept)
        ending.settled.formUnion(kept.map(\.folder))
        tell(ending.settled.count)
      }
    } catch {
      // Nobody keeps what further jobs do; those at work end what they are doing.
      child.abandon()
      throw error
    }
    ending.hasFailed = child.wait() != .exited(0)
    ending.hasUnbegun = answered.count < folders.count
    return ending
  }
}
