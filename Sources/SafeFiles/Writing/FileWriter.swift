#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is being written in pieces.
///
/// Made by `Directory.stageFile` it has a temporary name and becomes a `StagedFile` with `finish()`;
/// given up without that, it is removed. Made by `Directory.createFile` it has its own name.
/// While it is open it is locked, so that a sweep can tell it from what a dead run left; the staged
/// file keeps it open.
package final class FileWriter: Sendable {
  /// The path in display form, for messages.
  package let path: String

  /// The open descriptor, for those who write to a descriptor; valid as long as the writer is kept.
  package let descriptor: Int32
  private let operations: any FileOperations
  private let staged: StagedFile?

  init(descriptor: Int32, path: String, operations: any FileOperations, staged: StagedFile?) {
    self.descriptor = descriptor
    self.path = path
    self.operations = operations
    self.staged = staged
    // The file is new; who has it locked is a sweep, which takes an instant. Not every file system
    // has locks.
    _ = flock(descriptor, LOCK_EX)
  }

  deinit { close(descriptor) }

  /// Writes all of the bytes at the end of what was written so far.
  package func write(_ bytes: [UInt8]) throws(FileError) {
    try write(bytes, 0..<bytes.count)
  }

  /// Writes a part of the bytes at the end of what was written so far.
  package func write(_ bytes: [UInt8], _ range: Range<Int>) throws(FileError) {
    try write(bytes, range, at: nil)
  }

  /// Writes all of the bytes a library lends, at the end of what was written so far.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    // SAFETY: the bytes are used before the call returns.
    do { unsafe try operations.writeAll(bytes, to: descriptor) } catch {
      throw FileError(error, .write, path)
    }
  }

  /// Writes a part of the bytes at `offset` from the start of the file; several threads may.
  package func write(_ bytes: [UInt8], _ range: Range<Int>, at offset: Int64) throws(FileError) {
    try write(bytes, range, at: .some(offset))
  }

  private func write(_ bytes: [UInt8], _ range: Range<Int>, at offset: Int64?) throws(FileError) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    var failure: SystemCallError?
    // SAFETY: the range was checked above; the array outlives the closure.
    unsafe bytes.withUnsafeBytes { bytes in
      do throws(SystemCallError) {
        let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
        unsafe try operations.writeAll(part, to: descriptor, at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw FileError(failure, .write, path) }
  }

  /// Returns what is known about the file now.
  package func state() throws(FileError) -> FileState {
    do { return try operations.state(of: descriptor) } catch {
      throw FileError(error, .inspect, path)
    }
  }

  /// Gives the file its permissions, modification time and, if root runs us, its owner.
  package func setAttributes(mode: UInt16, modified: FileTime, owner: FileOwner?)
    throws(FileError)
  {
    try operations.setAttributes(
      of: descriptor, mode: mode, modified: modified, owner: owner, path: path)
  }

  /// Makes the bytes last.
  package func synchronize() throws(FileError) {
    do { try operations.synchronize(descriptor) } catch {
      throw FileError(error, .synchronize, path)
    }
  }

  /// Synchronizes a file made by `stageFile` and returns it, ready to get its name.
  package func finish() throws(FileError) -> StagedFile {
    guard var staged else { throw .invalidPath(path: path) }
    do throws(FileError) { try synchronize() } catch {
      discard()
      throw error
    }
    staged.writer = self
    return staged
  }

  /// Lets others lock the file who rely on it, and still nobody alone.
  func share() { _ = flock(descriptor, LOCK_SH | LOCK_NB) }

  /// Removes a file made by `stageFile`.
  package func discard() { staged?.discard() }

  /// Lets another handle read what was written so far.
  package func reader(in directory: Directory) throws(FileError) -> FileReader {
    guard let staged else { throw .invalidPath(path: path) }
    return try directory.openForReading(staged.temporaryName)
  }
}
