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
    guard let child = try ChildProcess.start(words, input: list.reader.descriptor) else {
      throw .brokenInvariant("env was found, and is gone")
    }
    var ending = Ending()
    var answered: Set<String> = []
    do throws(MigrationError) {
      let asked = Set(folders)
      try read(child, context) { (lines: [FleetResult]) throws(MigrationError) in
        // Whatever a host prints when somebody logs in is no result of ours.
        let lines = lines.filter { asked.contains($0.folder) && $0.isOf(options.task) }
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

  private func read(
    _ child: ChildProcess, _ context: RunContext,
    _ body: ([FleetResult]) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    var splitter = LineSplitter(limit: FleetResult.longestLine)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      child.waitForOutput(isInterrupted: context.isInterrupted)
      let count = try MigrationError.wrapping { () throws(FileError) in
        try child.output.readSome(into: &buffer, at: 0..<buffer.count)
      }
      if count == 0 { return }
      var lines: [FleetResult] = []
      splitter.take(buffer[..<count]) { line in
        if let result = FleetResult(line) { lines.append(result) }
      }
      try body(lines)
    }
  }
}
