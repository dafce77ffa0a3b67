#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The exclusive lock every writer of a folder holds, the app included.
///
/// Released when the last reference goes or the process ends, so a dead process never blocks
/// anyone. The lock file is never removed.
package final class FolderLock: Sendable {
  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Waits for the lock at most `timeoutSeconds`.
  ///
  /// Gives up early, as if the time were over, once `isInterrupted` answers true. `tell` is called once,
  /// if it takes so long that people begin to wonder.
  ///
  /// With `creating`, a missing lock file is made with mode 0666; without, a missing one means that
  /// there is nothing to lock and nil is returned.
  package static func acquire(
    in folder: Directory, name: FileName, timeoutSeconds: Double, creating: Bool,
    isInterrupted: () -> Bool = { false }, telling tell: (LockWait) -> Void = { _ in }
  ) throws(FileError) -> FolderLock? {
    var patience = Patience(seconds: timeoutSeconds)
    while true {
      guard let file = try open(name, in: folder, creating: creating) else { return nil }
      // Closed by deinit on every way out but the one that returns it.
      let lock = FolderLock(descriptor: file)
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        // Somebody may have put another file in its place between opening and locking.
        if try lock.isFile(name, in: folder) { return lock }
        continue
      }
      if let error = FileError.ofLocking(folder.path(of: name)) { throw error }
      guard !isInterrupted(), patience.wait() else {
        throw .lockTimeout(
          path: folder.path(of: name), seconds: timeoutSeconds, holder: lock.holder?.description)
      }
      if patience.isTimeToTell() {
        tell(
          LockWait(
            path: folder.path(of: name), holder: lock.holder, secondsLeft: patience.secondsLeft))
      }
    }
  }

  /// Who holds it, if the system says so.
  private var holder: LockHolder? {
    do throws(SystemCallError) {
      return LockHolder.find(of: try SystemFileOperations().state(of: descriptor))
    } catch {
      // Who it is is a word to people only.
      return nil
    }
  }

  private static func open(_ name: FileName, in folder: Directory, creating: Bool)
    throws(FileError) -> Int32?
  {
    let operations = folder.operations
    do throws(SystemCallError) {
      // Reading is enough to lock, and the file may belong to another user.
      return try operations.open(name, in: folder.descriptor, flags: O_RDONLY | O_NONBLOCK)
    } catch {
      guard error.number == ENOENT else { throw FileError(error, .open, folder.path(of: name)) }
    }
    return creating ? try create(name, in: folder) : nil
  }

  private static func create(_ name: FileName, in folder: Directory) throws(FileError) -> Int32? {
    let file: Int32
    do throws(SystemCallError) {
      file = try folder.operations.create(
        name, in: folder.descriptor, flags: O_RDWR | O_EXCL, mode: 0o666)
    } catch {
      if error.number == EEXIST { return try open(name, in: folder, creating: false) }
      throw FileError(error, .create, folder.path(of: name))
    }
    do throws(FileError) {
      // Whatever the umask: every user of the folder must be able to lock it.
      do throws(SystemCallError) { try folder.operations.setMode(0o666, of: file) } catch {
        throw FileError(error, .setAttributes, folder.path(of: name))
      }
      try folder.giveToFolderOwner(file, path: folder.path(of: name))
    } catch {
      close(file)
      throw error
    }
    return file
  }

  private func isFile(_ name: FileName, in folder: Directory) throws(FileError) -> Bool {
    do {
      let held = try folder.operations.state(of: descriptor)
      return try folder.operations.state(of: name, in: folder.descriptor).isSameFile(as: held)
    } catch {
      if error.number == ENOENT { return false }
      throw FileError(error, .inspect, folder.path(of: name))
    }
  }
}

extension Directory {
  /// Takes the lock on this directory that tells others it is in use; false if somebody else has it.
  /// Whoever needs that, and not only a word to others, is told where there are no locks.
  package func lockIfFree() throws(FileError) -> Bool {
    if tryLock() { return true }
    if let error = FileError.ofLocking(path) { throw error }
    return false
  }
}

extension FileError {
  /// What the last attempt to lock something says; nil if somebody else has the lock, or a signal came.
  fileprivate static func ofLocking(_ path: @autoclosure () -> String) -> FileError? {
    switch errno {
    case EWOULDBLOCK, EINTR: nil
    case ENOLCK, ENOTSUP, ENOSYS, EINVAL: .lockingUnsupported(path: path())
    default: FileError(.last, .lock, path())
    }
  }
}

/// A file that somebody relies on: it is kept open, and nobody removes it who asks first.
///
/// Who relies on a file holds it together with others; who wants to remove it must hold it alone
/// (`Directory.removeFile(_:ifUnchangedSince:unlessHeldOr:)`). So the two exclude each other whatever
/// folder they work for, and a process that dies lets go. Where files cannot be locked nothing is
/// removed that way, so that nobody needs the lock to rely on it.
package final class HeldFile: Sendable {
  /// The directory the file is in.
  package let directory: Directory
  /// Its name there.
  package let name: FileName
  /// What was known about it when it was held.
  package let state: FileState

  private let file: FileReader

  private init(_ file: FileReader, _ name: FileName, in directory: Directory, state: FileState) {
    self.file = file
    self.name = name
    self.directory = directory
    self.state = state
  }

  /// Opens and holds a file; waits at most `timeoutSeconds` for who is about to remove it.
  package static func acquire(
    _ name: FileName, in directory: Directory, timeoutSeconds: Double,
    isInterrupted: () -> Bool = { false }
  ) throws(FileError) -> HeldFile {
    var patience = Patience(seconds: timeoutSeconds)
    while true {
      let file = try directory.openForReading(name)
      if try file.share() {
        let state = try file.state()
        // Between opening and locking it may have been removed.
        guard try directory.state(of: name).isSameFile(as: state) else { continue }
        return HeldFile(file, name, in: directory, state: state)
      }
      guard !isInterrupted(), patience.wait() else {
        throw .lockTimeout(
          path: directory.path(of: name), seconds: timeoutSeconds,
          holder: LockHolder.find(of: try file.state())?.description)
      }
    }
  }

  /// Throws `missing` or `changedSince` if the file is not in its place any more, or is not what it
  /// was when it was held.
  package func requireInPlace() throws(FileError) {
    guard try file.state().isUnchanged(since: state),
      try directory.state(of: name).isSameFile(as: state)
    else { throw .changedSince(path: directory.path(of: name)) }
  }

  /// Opens the file once more, to be read from its beginning.
  package func reader() throws(FileError) -> FileReader {
    let reader = try directory.openForReading(name)
    guard try reader.state().isUnchanged(since: state) else {
      throw .changedSince(path: directory.path(of: name))
    }
    return reader
  }
}

extension Directory {
  /// Removes a file for good if it is still what was looked at, and if nobody relies on it; returns
  /// whether it is gone.
  ///
  /// `isNeeded` is asked while nobody can begin to rely on it.
  package func removeFile(
    _ name: FileName, ifUnchangedSince state: FileState,
    unlessHeldOr isNeeded: () throws(FileError) -> Bool
  ) throws(FileError) -> Bool {
    let file = try openToLock(name)
    guard file.tryLock() else { return false }
    defer { withExtendedLifetime(file) {} }
    guard try !isNeeded() else { return false }
    guard try file.state().isSameFile(as: state) else {
      throw .changedSince(path: path(of: name))
    }
    try removeFile(name, ifUnchangedSince: state)
    return true
  }

  /// Opens a file that is to be locked alone: for writing, which network file systems ask for.
  private func openToLock(_ name: FileName) throws(FileError) -> FileReader {
    do throws(SystemCallError) {
      let file = try operations.open(
        name, in: descriptor, flags: O_RDWR | O_NONBLOCK | O_NOCTTY)
      return FileReader(descriptor: file, path: path(of: name), operations: operations)
    } catch {
      guard [EACCES, EPERM, EROFS].contains(error.number) else {
        throw FileError(error, .open, path(of: name))
      }
      return try openForReading(name)
    }
  }
}

/// Waiting for somebody else, a little longer each time, until time is up.
package struct Patience {
  private let start = ContinuousClock.now
  private let deadline: ContinuousClock.Instant
  private var pauseMicroseconds: UInt32 = 500
  private var isTold = false

  /// Begins to count.
  package init(seconds: Double) {
    deadline = start + .seconds(max(0, seconds))
  }

  /// How long it goes on, in seconds.
  package var secondsLeft: Double { max(0, (deadline - ContinuousClock.now) / .seconds(1)) }

  /// Whether it has taken so long that whoever looks on should be told: true once, after half a second.
  package mutating func isTimeToTell() -> Bool {
    guard !isTold, ContinuousClock.now - start > .milliseconds(500) else { return false }
    isTold = true
    return true
  }

  /// Waits a little; returns false, at once, if time is up.
  package mutating func wait() -> Bool {
    guard ContinuousClock.now < deadline else { return false }
    usleep(pauseMicroseconds)
    pauseMicroseconds = min(pauseMicroseconds * 2, 50_000)
    return true
  }
}
