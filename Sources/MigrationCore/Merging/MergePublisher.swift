import Diagnostics
import Folders
package import Runs
import SafeFiles

/// Why one item of a merge was not written.
enum MergeFailure: Error {
  /// The item stays as it was, and the finding says why; others can go on.
  case left(Finding)
  /// Nothing can go on.
  case stopped(MigrationError)
}

/// Puts the results of a merge into their places.
enum MergePublisher {
  /// Gives a copy the name of a base that is not there, in one rename that replaces nothing.
  static func adopt(
    _ copy: MergeFile, as base: RelativePath, in folder: Directory
  ) throws(MergeFailure) {
    do throws(FileError) {
      let ((parent, name), (target, newName)) = (try copy.path.split(), try base.split())
      let source = try folder.openDirectory(parent)
      guard let now = try source.stateIfPresent(of: name),
        now.isUnchanged(since: copy.version.state)
      else { throw .changedSince(path: copy.path.description) }
      let directory = try folder.createDirectory(target)
      try source.move(name, to: directory, as: newName)
      try directory.synchronize()
      try source.synchronize()
    } catch {
      throw failure(error, base)
    }
  }

  /// Publishes new bytes of a base once they were read back from disk, as staging does, and judged.
  static func publish(
    _ result: MergeResult, at base: RelativePath, in folder: Directory
  ) throws(MergeFailure) {
    let defect: String?
    do throws(FileError) {
      let (parent, name) = try base.split()
      let file = try folder.openDirectory(parent)
        .stage(result.bytes, as: name, replacing: .unchanged(result.replaced))
      defect = result.defect(result.bytes)
      if defect == nil { try StagedFile.publish([file]) } else { file.discard() }
    } catch {
      throw failure(error, base)
    }
    guard let defect else { return }
    throw .left(
      Finding(
        .kept, .error, path: base.description, message: "was not merged: \(defect)",
        next: "nothing was changed; report this with the files"))
  }

  /// Returns what a base is now, nil if it is gone.
  static func state(
    of base: RelativePath, in folder: Directory
  ) throws(MergeFailure) -> FileState? {
    do {
      return try folder.stateIfPresent(of: base)
    } catch {
      throw failure(error, base)
    }
  }

  /// What moves under our hands is left to the next run; any other failure stops this one.
  private static func failure(_ error: FileError, _ base: RelativePath) -> MergeFailure {
    switch error {
    case .changedSince, .alreadyExists, .missing:
      .left(
        Finding(
          .changedWhileRead, .error, path: base.description, message: error.diagnostic.problem,
          next: "run the command again"))
    default: .stopped(MigrationError(error))
    }
  }
}

extension RelativePath {
  /// Returns the directory and the name; throws for the folder itself, which has none.
  fileprivate func split() throws(FileError) -> (parent: RelativePath, name: FileName) {
    guard let parent, let lastComponent else { throw .invalidPath(path: description) }
    return (parent, lastComponent)
  }
}

/// Merges the conflict copies of a folder whenever something in it changed and it came to rest.
///
/// What changed is not asked: each run looks at the whole folder, so nothing that arrives while one
/// is at work is missed.
package struct MergeWatch {
  /// How long a folder must be quiet before a run begins: sync services write in bursts.
  private static let quietMilliseconds = 1000
  /// How long a run waits for quiet at most.
  private static let patienceSeconds = 30
  /// When a run that found the folder busy is tried again, unless something changes before.
  private static let pauseMilliseconds = 5000

  private let options: MergeOptions
  private let context: RunContext

  /// Creates a watch; nothing is read yet.
  package init(_ options: MergeOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Merges again and again until the caller interrupts, nobody looks any more, or something is wrong
  /// with the folder.
  ///
  /// An interruption is how a watch ends, and no error unless it stops a run.
  ///
  /// - Parameters:
  ///   - show: called with the report of the first run and of each later one that has something new
  ///     to tell; returns whether to go on.
  ///   - tell: called when somebody else is at work and the run will be tried again.
  package func run(
    showing show: (MergeReport) -> Bool, telling tell: (MigrationError) -> Void
  ) throws(MigrationError) {
    let folder = try FolderAccess.open(options.folder, context: context)
    let isInterrupted = context.isInterrupted
    let watcher = try MigrationError.wrapping { () throws(FileError) in
      try FolderWatcher(folder, isInterrupted: isInterrupted)
    }
    var last: MergeReport?
    while true {
      var pause: Int?
      do throws(MigrationError) {
        let report = try MergeWorkflow(options, context: context).perform()
        if report.isNews(after: last), !show(report) { return }
        last = report
      } catch {
        guard error != .interrupted, error.diagnostic.kind == .busy else { throw error }
        tell(error)
        pause = Self.pauseMilliseconds
      }
      if isInterrupted() { return }
      try MigrationError.wrapping { () throws(FileError) in
        if try watcher.waitForChange(timeoutMilliseconds: pause) { try settle(watcher) }
      }
      if isInterrupted() { return }
    }
  }

  /// Waits until nothing has changed for a while, or for as long as can be asked.
  private func settle(_ watcher: FolderWatcher) throws(FileError) {
    let deadline = ContinuousClock.now + .seconds(Self.patienceSeconds)
    while ContinuousClock.now < deadline,
      try watcher.waitForChange(timeoutMilliseconds: Self.quietMilliseconds)
    {}
  }
}

extension MergeReport {
  /// Whether a run has something to tell that the one before did not.
  fileprivate func isNews(after last: MergeReport?) -> Bool {
    guard let last else { return true }
    if bases.isEmpty, findings.isEmpty { return false }
    return bases != last.bases || findings != last.findings
  }
}
