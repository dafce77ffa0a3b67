#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Directory {
  /// Returns the state of this directory.
  package func state() throws(FileError) -> FileState {
    do { return try operations.state(of: descriptor) } catch {
      throw FileError(error, .inspect, path)
    }
  }

  /// Returns the state of an entry; a link's own, not its target's.
  package func state(of name: FileName) throws(FileError) -> FileState {
    do { return try operations.state(of: name, in: descriptor) } catch {
      throw FileError(error, .inspect, path(of: name))
    }
  }

  /// Returns the state of an entry, nil if there is none.
  package func stateIfPresent(of name: FileName) throws(FileError) -> FileState? {
    do { return try operations.state(of: name, in: descriptor) } catch {
      if error.number == ENOENT { return nil }
      throw FileError(error, .inspect, path(of: name))
    }
  }

  /// Returns the state of what lies at `path` below this directory, nil if nothing does.
  package func stateIfPresent(of path: RelativePath) throws(FileError) -> FileState? {
    do {
      guard let (parent, name) = try openParent(of: path) else { return try state() }
      return try parent.stateIfPresent(of: name)
    } catch FileError.missing {
      return nil
    }
  }

  /// Returns where a symbolic link points, as bytes.
  package func target(ofLink name: FileName) throws(FileError) -> [UInt8] {
    // Linux allows 4095 bytes; a longer answer would be cut, so it is an error.
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let capacity = buffer.count
    // SAFETY: at most `capacity` bytes are written into the buffer, which has them.
    let length = unsafe buffer.withUnsafeMutableBytes { buffer in
      guard let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else {
        return 0
      }
      // SAFETY: as above.
      return name.withCString { unsafe readlinkat(descriptor, $0, start, capacity) }
    }
    guard length >= 0 else { throw FileError(.last, .read, path(of: name)) }
    guard length < capacity else {
      throw .tooLarge(path: path(of: name), size: Int64(length), limit: Int64(capacity - 1))
    }
    buffer.removeLast(capacity - length)
    return buffer
  }

  /// Returns how many bytes the user may still write to this directory's file system.
  package func freeSpace() throws(FileError) -> Int64 {
    var state = statvfs()
    // SAFETY: fstatvfs fills the structure it is given.
    guard unsafe fstatvfs(descriptor, &state) == 0 else { throw FileError(.last, .inspect, path) }
    return Int64(
      clamping: UInt64(state.f_bavail).multipliedReportingOverflow(
        by: UInt64(state.f_frsize)
      ).partialValue)
  }

  /// Throws `notEnoughSpace` if the user may not write so many bytes more to this directory's file
  /// system; asked before the first of them is written, with an estimate that is rather too low.
  package func requireSpace(for byteCount: Int64) throws(FileError) {
    let free = try freeSpace()
    guard free >= byteCount else {
      throw .notEnoughSpace(path: path, needed: byteCount, available: free)
    }
  }

  /// Returns the absolute path of this directory without links, as bytes.
  package func canonicalPath() throws(FileError) -> [UInt8] {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    #if canImport(Darwin)
      // SAFETY: F_GETPATH writes at most PATH_MAX bytes with a zero.
      guard unsafe fcntl(descriptor, F_GETPATH, &buffer) == 0 else {
        throw FileError(.last, .inspect, path)
      }
    #else
      // SAFETY: at most PATH_MAX bytes are written, so a zero always follows.
      let length = unsafe readlink("/proc/self/fd/\(descriptor)", &buffer, Int(PATH_MAX))
      guard length >= 0 else { throw FileError(.last, .inspect, path) }
    #endif
    return buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  }

  /// Returns whether this directory is `other` or lies below it, by identity and not by name.
  package func isInside(_ other: Directory) throws(FileError) -> Bool {
    let wanted = try other.state()
    var current = try state()
    var position = self
    while true {
      if current.isSameFile(as: wanted) { return true }
      let parent = try position.parentDirectory()
      let state = try parent.state()
      if state.isSameFile(as: current) { return false }
      (position, current) = (parent, state)
    }
  }
}
