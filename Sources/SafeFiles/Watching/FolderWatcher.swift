import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Waits for changes in a folder and in every directory below it.
///
/// Names that start with a dot are not looked at: neither our own state nor lock files and
/// temporaries are news. What changed is not told, because a queue of changes can overflow: whoever
/// is woken looks for himself. Changes from the moment of creation on are seen, also in directories
/// that appear later and in what was put into them before they were noticed.
///
/// On macOS a file that is rewritten in place, without a new name in its directory, is not noticed;
/// a caller looks again now and then.
package final class FolderWatcher {
  /// How many directories one watcher looks at, unless the creator says otherwise.
  package static let defaultDirectoryLimit = 16_384
  /// How long a wait sleeps before it asks again whether it was interrupted: a signal usually ends
  /// the sleep at once, but one that arrives just before it does not.
  private static let longestSleepMilliseconds = 1000

  private let folder: Directory
  private let directoryLimit: Int
  private let isInterrupted: @Sendable () -> Bool
  private let queue: ChangeQueue
  private var watched: Set<ChangeQueue.Watch> = []

  /// Starts watching.
  ///
  /// Throws `watchLimit` with the name of the setting to raise if the folder has more directories
  /// than may be watched.
  package init(
    _ folder: Directory, directoryLimit: Int = defaultDirectoryLimit,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(FileError) {
    self.folder = folder
    self.directoryLimit = directoryLimit
    self.isInterrupted = isInterrupted
    queue = try ChangeQueue(path: folder.path)
    try watchTree()
  }

  /// Waits until something changed, at most so long; nil waits for ever.
  ///
  /// Returns whether something may have changed; false if the time is over or the run was
  /// interrupted. Throws `missing` once the folder itself is gone.
  package func waitForChange(timeoutMilliseconds: Int?) throws(FileError) -> Bool {
    let deadline = timeoutMilliseconds.map { ContinuousClock.now + .milliseconds($0) }
    var left = timeoutMilliseconds ?? .max
    while !isInterrupted() {
      let news: ChangeQueue.News
      do {
        news = try queue.news(waitingMilliseconds: min(left, Self.longestSleepMilliseconds))
      } catch {
        throw FileError(error, .watch, folder.path)
      }
      if news.mayHaveNewDirectories { try watchTree() }
      if news.isChanged { return true }
      if let deadline {
        guard ContinuousClock.now < deadline else { return false }
        left = (deadline - .now).milliseconds
      }
    }
    return false
  }

  /// Watches every directory there is now and forgets those that are gone.
  private func watchTree() throws(FileError) {
    guard try folder.state().linkCount > 0 else { throw .missing(path: folder.path) }
    var found: Set<ChangeQueue.Watch> = []
    try watch(folder, &found)
    for gone in watched.subtracting(found) { queue.remove(gone) }
    watched = found
  }

  private func watch(_ directory: Directory, _ found: inout Set<ChangeQueue.Watch>)
    throws(FileError)
  {
    // First the watch, then the look: what appears between the two is announced.
    do {
      found.insert(try queue.add(directory.descriptor))
    } catch {
      guard let limit = ChangeQueue.limit(behind: error) else {
        throw FileError(error, .watch, directory.path)
      }
      throw .watchLimit(path: directory.path, limit: limit)
    }
    guard found.count <= directoryLimit else {
      throw .watchLimit(
        path: folder.path, limit: directoryLimit.counted("directory", "directories"))
    }
    for entry in try directory.entries()
    where entry.kind == .directory && !entry.name.hasPrefix(".") {
      do throws(FileError) {
        try watch(directory.openDirectory(entry.name), &found)
      } catch {
        switch error {
        // Gone or replaced since it was listed: this directory's own watch announces that.
        case .missing, .wrongKind: continue
        default: throw error
        }
      }
    }
  }
}

extension Duration {
  /// The duration in milliseconds, rounded up so that a wait is never cut into a busy loop.
  fileprivate var milliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }
}

extension ChangeQueue {
  /// What the system's queue of changes has to tell.
  struct News {
    /// Whether anything happened that a reader of the folder may see.
    var isChanged = false
    /// Whether there may be directories that are not watched yet, or watched ones that are gone.
    var mayHaveNewDirectories = false
  }
}
