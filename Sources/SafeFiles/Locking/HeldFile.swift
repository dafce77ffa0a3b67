#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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
        throw .lockTimeout(path: directory.path(of: name), seconds: timeoutSeconds)
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
