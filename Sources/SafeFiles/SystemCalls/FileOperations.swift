#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system calls this module makes, one method each. Any of them may fail with EINTR.
///
/// A `Directory` carries one, tries its calls again after signals (`RetriedOperations`), and hands it
/// on to everything opened through it. Programs run on `SystemFileOperations`; tests put a
/// `FaultPlan` or an `OperationRecorder` before it.
package protocol FileOperations: Sendable {
  // MARK: Calls that change something

  /// Creates a file if it is missing and opens it, not through a link.
  func create(_ name: FileName, in directory: Int32, flags: Int32, mode: UInt16)
    throws(SystemCallError) -> Int32
  /// Creates a directory.
  func makeDirectory(_ name: FileName, in directory: Int32, mode: UInt16) throws(SystemCallError)
  /// Creates a symbolic link.
  func makeSymbolicLink(_ name: FileName, in directory: Int32, target: [UInt8])
    throws(SystemCallError)
  /// Writes what one call takes, at `offset` or at the end of what was written so far.
  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64?)
    throws(SystemCallError) -> Int
  /// Makes the bytes of a file, or the names in a directory, last.
  func synchronize(_ descriptor: Int32) throws(SystemCallError)
  /// Makes everything on the file system of an open file last.
  func synchronizeFileSystem(_ descriptor: Int32) throws(SystemCallError)
  /// Renames; what had the new name is gone.
  func rename(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  /// Renames without ever replacing anything; not every file system can.
  func renameExclusively(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  /// Lets two entries change places in one step; not every file system can.
  func exchange(
    _ one: FileName, in directory: Int32, with other: FileName, in otherDirectory: Int32
  ) throws(SystemCallError)
  /// Gives a file a second name, without ever replacing anything.
  func link(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  /// Removes a name of a file or, with `AT_REMOVEDIR`, an empty directory.
  func unlink(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError)
  /// Sets the permissions of an open file.
  func setMode(_ mode: UInt16, of descriptor: Int32) throws(SystemCallError)
  /// Sets the owner of an open file.
  func setOwner(_ owner: FileOwner, of descriptor: Int32) throws(SystemCallError)
  /// Sets the owner of an entry that may be a link.
  func setOwner(_ owner: FileOwner, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)
  /// Sets when an open file was last changed.
  func setModified(_ time: FileTime, of descriptor: Int32) throws(SystemCallError)
  /// Sets when an entry that may be a link was last changed.
  func setModified(_ time: FileTime, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)

  // MARK: Calls that only look

  /// Opens an entry, not through a link.
  func open(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError) -> Int32
  /// Opens a path of the user's, following links.
  func openPath(_ path: [UInt8], flags: Int32) throws(SystemCallError) -> Int32
  /// Returns the state of an entry; a link's own, not its target's.
  func state(of name: FileName, in directory: Int32) throws(SystemCallError) -> FileState
  /// Returns the state of an open file.
  func state(of descriptor: Int32) throws(SystemCallError) -> FileState
  /// Reads what one call gives; no bytes mean the end of the file.
  func read(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32)
    throws(SystemCallError) -> Int
}

extension FileOperations {
  /// Writes all bytes, at `offset` or at the end of what was written so far.
  func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64? = nil
  ) throws(SystemCallError) {
    var written = 0
    while written < bytes.count {
      // SAFETY: the slice keeps within the caller's buffer, which outlives the call.
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = unsafe try write(rest, to: descriptor, at: offset.map { $0 + Int64(written) })
      // A device that takes nothing and reports nothing would be asked for ever.
      guard count > 0 else { throw SystemCallError(number: EIO) }
      written += count
    }
  }

  /// Appends bytes with one write: all of them or an error.
  func append(_ bytes: [UInt8], to descriptor: Int32) throws(SystemCallError) {
    var failure: SystemCallError?
    // SAFETY: the array outlives the closure.
    let count = unsafe bytes.withUnsafeBytes { bytes in
      do throws(SystemCallError) {
        return unsafe try write(bytes, to: descriptor, at: nil)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    if count < bytes.count { throw SystemCallError(number: ENOSPC) }
  }

  /// Reads up to the buffer's size; fewer bytes mean the end of the file.
  func readFully(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32)
    throws(SystemCallError) -> Int
  {
    var filled = 0
    while filled < buffer.count {
      // SAFETY: the slice keeps within the caller's buffer, which outlives the call.
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = unsafe try read(rest, from: descriptor)
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Reads up to `count` bytes into `buffer[position...]` and returns how many there were.
  func read(into buffer: inout [UInt8], at position: Int, count: Int, from descriptor: Int32)
    throws(SystemCallError) -> Int
  {
    precondition(position >= 0 && count >= 0 && position + count <= buffer.count)
    // SAFETY: the range was checked above; the pointer stays inside the closure.
    return try unsafe Self.filling(&buffer, position..<position + count) {
      target throws(SystemCallError) in
      unsafe try readFully(target, from: descriptor)
    }
  }

  /// Reads what there is into `buffer[range]` without waiting for all of it to fill; zero is the end.
  func readSome(into buffer: inout [UInt8], at range: Range<Int>, from descriptor: Int32)
    throws(SystemCallError) -> Int
  {
    precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count)
    // SAFETY: the range was checked above; the pointer stays inside the closure.
    return try unsafe Self.filling(&buffer, range) { target throws(SystemCallError) in
      unsafe try read(target, from: descriptor)
    }
  }

  /// Reads what is left of a regular file into `buffer[position...]` and returns how many bytes there
  /// were: as many as expected, more if there are more, fewer if it ends before.
  ///
  /// One byte more than expected is asked for. A read that leaves it unfilled has met the end, so no
  /// other call needs to ask for that. The buffer must reach to `position + expected + 1`.
  func readToEnd(
    into buffer: inout [UInt8], at position: Int, expecting expected: Int,
    from descriptor: Int32
  ) throws(SystemCallError) -> Int {
    var filled = 0
    repeat {
      let count = try readSome(
        into: &buffer, at: position + filled..<position + expected + 1, from: descriptor)
      if count == 0 { break }
      filled += count
    } while filled < expected
    return filled
  }

  /// Hands out a part of an array; the closures of arrays throw no typed errors themselves.
  private static func filling(
    _ buffer: inout [UInt8], _ range: Range<Int>,
    _ read: (UnsafeMutableRawBufferPointer) throws(SystemCallError) -> Int
  ) throws(SystemCallError) -> Int {
    var failure: SystemCallError?
    // SAFETY: the caller checked the range; the pointer stays inside the closure.
    let count = unsafe buffer.withUnsafeMutableBytes { bytes -> Int in
      do throws(SystemCallError) {
        return unsafe try read(UnsafeMutableRawBufferPointer(rebasing: bytes[range]))
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return count
  }

  /// Renames without ever replacing anything, on every file system.
  func move(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  {
    do throws(SystemCallError) {
      try renameExclusively(from, in: source, to: name, in: target)
    } catch {
      guard [EINVAL, ENOSYS, ENOTSUP].contains(error.number) else { throw error }
      try moveByLink(from, in: source, to: name, in: target)
    }
  }

  /// For file systems without an exclusive rename: a hard link never replaces anything. Directories
  /// cannot be linked; a rename onto one replaces it only while it is empty.
  private func moveByLink(
    _ from: FileName, in source: Int32, to name: FileName, in target: Int32
  ) throws(SystemCallError) {
    if try state(of: from, in: source).kind == .directory {
      return try renameIfFree(from, in: source, to: name, in: target)
    }
    do throws(SystemCallError) {
      try link(from, in: source, to: name, in: target)
    } catch {
      // No hard links either (FAT): look, then rename. The gap is as small as it gets there.
      guard [EPERM, ENOTSUP, ENOSYS].contains(error.number) else { throw error }
      return try renameIfFree(from, in: source, to: name, in: target)
    }
    try unlink(from, in: source, flags: 0)
  }

  private func renameIfFree(
    _ from: FileName, in source: Int32, to name: FileName, in target: Int32
  ) throws(SystemCallError) {
    do { _ = try state(of: name, in: target) } catch {
      guard error.number == ENOENT else { throw error }
      return try rename(from, in: source, to: name, in: target)
    }
    throw SystemCallError(number: EEXIST)
  }

  /// Gives an open file its permissions, modification time and, if root runs us, its owner.
  func setAttributes(
    of descriptor: Int32, mode: UInt16, modified: FileTime, owner: FileOwner?, path: String
  ) throws(FileError) {
    do throws(SystemCallError) {
      // The owner first: changing it clears bits of the mode.
      if let owner, geteuid() == 0 {
        do throws(SystemCallError) { try setOwner(owner, of: descriptor) } catch {
          // File systems without owners refuse; the content matters more.
          guard [EPERM, EINVAL, ENOTSUP, ENOSYS].contains(error.number) else { throw error }
        }
      }
      try setMode(mode, of: descriptor)
      try setModified(modified, of: descriptor)
    } catch {
      throw FileError(error, .setAttributes, path)
    }
  }
}

/// Lends bytes as a zero-terminated C string.
enum CString {
  /// Safe to call: the pointer is only unsafe to use, which the closure has to say.
  @safe static func with<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result)
    -> Result
  {
    // SAFETY: the buffer has room for all bytes and the zero; it is filled completely before the
    // body sees it, does not outlive this call, and has an address because it is not empty.
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
      for position in bytes.indices {
        unsafe buffer[position] = CChar(bitPattern: bytes[position])
      }
      unsafe buffer[bytes.count] = 0
      return unsafe body(UnsafePointer(buffer.baseAddress.unsafelyUnwrapped))
    }
  }
}

extension FileName {
  /// Lends the name as a zero-terminated C string.
  @safe func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    CString.with(bytes, body)
  }
}
