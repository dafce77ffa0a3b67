import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open file, or any other stream of bytes, read in pieces of the caller's choice.
package final class FileReader: Sendable {
  /// The path or stream in display form, for messages.
  package let path: String

  /// The open descriptor, for those who read from a descriptor; valid as long as the reader is kept.
  package let descriptor: Int32

  private let closes: Bool
  private let operations: any FileOperations

  init(descriptor: Int32, path: String, operations: any FileOperations) {
    self.descriptor = descriptor
    self.path = path
    self.operations = operations
    closes = true
  }

  /// Reads from a descriptor somebody else opened and closes, such as standard input.
  package init(borrowing descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
    operations = RetriedOperations(SystemFileOperations())
    closes = false
  }

  /// Reads from a descriptor somebody else opened, such as a pipe, and closes it in the end.
  package init(owning descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
    operations = RetriedOperations(SystemFileOperations())
    closes = true
  }

  deinit { if closes { close(descriptor) } }

  /// Opens what a path the user gave leads to: links are followed, pipes are read.
  package static func open(path: String) throws(FileError) -> FileReader {
    let bytes = Array(path.utf8)
    let shown = DisplayText.escaping(bytes)
    guard !bytes.isEmpty, !bytes.contains(0) else { throw .invalidPath(path: shown) }
    do {
      let operations = RetriedOperations(SystemFileOperations())
      let descriptor = try operations.openPath(bytes, flags: O_RDONLY | O_NOCTTY)
      return FileReader(descriptor: descriptor, path: shown, operations: operations)
    } catch {
      throw FileError(error, .open, shown)
    }
  }

  /// Returns what is known about the file now.
  package func state() throws(FileError) -> FileState {
    do { return try operations.state(of: descriptor) } catch {
      throw FileError(error, .inspect, path)
    }
  }

  /// Fills `buffer[range]` from the current position and returns how many bytes there were: fewer
  /// than the range mean the end.
  package func read(into buffer: inout [UInt8], at range: Range<Int>) throws(FileError) -> Int {
    do {
      return try operations.read(
        into: &buffer, at: range.lowerBound, count: range.count, from: descriptor)
    } catch {
      throw FileError(error, .read, path)
    }
  }

  /// Fills the whole buffer; see `read(into:at:)`.
  package func read(into buffer: inout [UInt8]) throws(FileError) -> Int {
    try read(into: &buffer, at: 0..<buffer.count)
  }

  /// Reads what there is from a pipe or file without waiting for the whole range to fill; zero is
  /// the end.
  package func readSome(into buffer: inout [UInt8], at range: Range<Int>) throws(FileError) -> Int {
    do {
      return try operations.readSome(into: &buffer, at: range, from: descriptor)
    } catch {
      throw FileError(error, .read, path)
    }
  }

  /// Puts a range of a file into a buffer, in the place of what is there; several threads may. Throws
  /// `changedWhileRead` if the file ends before.
  package func read(_ range: Range<Int>, into buffer: inout [UInt8]) throws(FileError) {
    buffer.removeAll(keepingCapacity: true)
    buffer.append(contentsOf: repeatElement(0, count: range.count))
    var filled = 0
    while filled < range.count {
      // SAFETY: the slice keeps within the buffer, which outlives the closure.
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
        return unsafe pread(
          descriptor, rest.baseAddress, rest.count, off_t(range.lowerBound + filled))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError(.last, .read, path) }
      guard count > 0 else { throw .changedWhileRead(path: path) }
      filled += count
    }
  }

  /// Moves the position of a file to `offset` bytes from its start.
  package func seek(to offset: Int64) throws(FileError) {
    guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else {
      throw FileError(.last, .read, path)
    }
  }

  /// Takes the lock that a writer holds on a file while it is unfinished; false if it is held.
  package func tryLock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Takes that lock together with others who only rely on the file; false if somebody has it alone.
  ///
  /// Where nothing can be locked nobody has it alone.
  func share() throws(FileError) -> Bool {
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return true }
    switch errno {
    case EWOULDBLOCK, EINTR: return false
    case ENOLCK, ENOTSUP, ENOSYS, EINVAL: return true
    default: throw FileError(.last, .lock, path)
    }
  }

  /// Returns whether a writer holds that lock; without working locks nobody can.
  ///
  /// Others who ask at the same time are not told of each other.
  package func isLocked() -> Bool {
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 {
      flock(descriptor, LOCK_UN)
      return false
    }
    return errno == EWOULDBLOCK
  }
}

/// Reading what others may be writing.
package enum SteadyRead {
  /// How often a file that changes while it is read is read again.
  private static let attempts = 3

  /// Returns what `read` returns; calls it again as long as it throws `changedWhileRead`, three times
  /// in all.
  package static func perform<Result>(
    _ read: () throws(FileError) -> Result
  ) throws(FileError) -> Result {
    for _ in 1..<attempts {
      do throws(FileError) {
        return try read()
      } catch {
        guard case .changedWhileRead = error else { throw error }
      }
    }
    return try read()
  }
}
