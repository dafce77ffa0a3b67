import Synchronization

#if canImport(Glibc)
  import CLinux
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The calls as the operating system has them.
package struct SystemFileOperations: FileOperations {
  /// Creates them; there is nothing to choose.
  package init() {}

  // MARK: Calls that change something

  package func create(_ name: FileName, in directory: Int32, flags: Int32, mode: UInt16)
    throws(SystemCallError) -> Int32
  {
    try checked {
      name.withCString {
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        unsafe openat(directory, $0, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
      }
    }
  }

  package func makeDirectory(_ name: FileName, in directory: Int32, mode: UInt16)
    throws(SystemCallError)
  {
    // SAFETY: the strings and structures outlive the call, which keeps no pointer.
    _ = try checked { name.withCString { unsafe mkdirat(directory, $0, mode_t(mode)) } }
  }

  package func synchronize(_ descriptor: Int32) throws(SystemCallError) {
    #if canImport(Darwin)
      // fsync on macOS leaves the data in the drive's cache; not every file system knows more.
      if try checked({ fcntl(descriptor, F_FULLFSYNC) == -1 ? fsync(descriptor) : 0 }) == 0 {
        return
      }
    #else
      _ = try checked { fsync(descriptor) }
    #endif
  }

  package func synchronizeFileSystem(_ descriptor: Int32) throws(SystemCallError) {
    #if canImport(Darwin)
      sync()
      try synchronize(descriptor)
    #else
      _ = try checked { syncfs(descriptor) }
    #endif
  }

  package func rename(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  {
    _ = try checked {
      from.withCString { from in
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        name.withCString { unsafe renameat(source, from, target, $0) }
      }
    }
  }

  package func renameExclusively(
    _ from: FileName, in source: Int32, to name: FileName, in target: Int32
  ) throws(SystemCallError) {
    _ = try checked {
      from.withCString { from in
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        name.withCString { name in
          #if canImport(Darwin)
            unsafe renameatx_np(source, from, target, name, UInt32(RENAME_EXCL))
          #else
            unsafe renameat2(source, from, target, name, UInt32(renameNoReplace))
          #endif
        }
      }
    }
  }

  package func exchange(
    _ one: FileName, in directory: Int32, with other: FileName, in otherDirectory: Int32
  ) throws(SystemCallError) {
    _ = try checked {
      one.withCString { one in
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        other.withCString { other in
          #if canImport(Darwin)
            unsafe renameatx_np(directory, one, otherDirectory, other, UInt32(RENAME_SWAP))
          #else
            unsafe renameat2(directory, one, otherDirectory, other, UInt32(renameExchange))
          #endif
        }
      }
    }
  }

  package func link(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  {
    _ = try checked {
      from.withCString { from in
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        name.withCString { unsafe linkat(source, from, target, $0, 0) }
      }
    }
  }

  package func unlink(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError) {
    // SAFETY: the strings and structures outlive the call, which keeps no pointer.
    _ = try checked { name.withCString { unsafe unlinkat(directory, $0, flags) } }
  }

  package func makeSymbolicLink(_ name: FileName, in directory: Int32, target: [UInt8])
    throws(SystemCallError)
  {
    _ = try checked {
      CString.with(target) { target in
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        name.withCString { unsafe symlinkat(target, directory, $0) }
      }
    }
  }

  package func setMode(_ mode: UInt16, of descriptor: Int32) throws(SystemCallError) {
    _ = try checked { fchmod(descriptor, mode_t(mode)) }
  }

  package func setOwner(_ owner: FileOwner, of descriptor: Int32) throws(SystemCallError) {
    _ = try checked { fchown(descriptor, owner.user, owner.group) }
  }

  package func setOwner(_ owner: FileOwner, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)
  {
    _ = try checked {
      name.withCString {
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        unsafe fchownat(directory, $0, owner.user, owner.group, AT_SYMLINK_NOFOLLOW)
      }
    }
  }

  package func setModified(_ time: FileTime, of descriptor: Int32) throws(SystemCallError) {
    let times = [time.timespec, time.timespec]
    // SAFETY: futimens reads the two elements of the array.
    _ = try checked { unsafe futimens(descriptor, times) }
  }

  package func setModified(_ time: FileTime, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)
  {
    let times = [time.timespec, time.timespec]
    _ = try checked {
      // SAFETY: the strings and structures outlive the call, which keeps no pointer.
      name.withCString { unsafe utimensat(directory, $0, times, AT_SYMLINK_NOFOLLOW) }
    }
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64?
  ) throws(SystemCallError) -> Int {
    // SAFETY: at most `bytes.count` bytes are read from the caller's buffer.
    let result =
      if let offset {
        unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
      } else {
        unsafe Self.write(descriptor, bytes.baseAddress, bytes.count)
      }
    guard result >= 0 else { throw .last }
    return result
  }

  /// The C functions under names that the methods here do not hide.
  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
      // SAFETY: the caller vouches for `count` readable bytes.
      unsafe Darwin.write(descriptor, bytes, count)
    #else
      // SAFETY: the caller vouches for `count` readable bytes.
      unsafe Glibc.write(descriptor, bytes, count)
    #endif
  }

  static func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
      // SAFETY: the caller vouches for `count` writable bytes.
      unsafe Darwin.read(descriptor, bytes, count)
    #else
      // SAFETY: the caller vouches for `count` writable bytes.
      unsafe Glibc.read(descriptor, bytes, count)
    #endif
  }

  // MARK: Calls that only look

  package func open(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError)
    -> Int32
  {
    #if os(Linux)
      if flags & O_ACCMODE == O_RDONLY, flags & Int32(openToLookOnly) == 0 {
        if let file = try openUntouched(name, in: directory, flags: flags) { return file }
      }
    #endif
    return try openAsAsked(name, in: directory, flags: flags)
  }

  private func openAsAsked(
    _ name: FileName, in directory: Int32, flags: Int32
  ) throws(SystemCallError) -> Int32 {
    try checked {
      name.withCString {
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        unsafe openat(directory, $0, flags | O_NOFOLLOW | O_CLOEXEC)
      }
    }
  }

  #if os(Linux)
    /// Opens what keeps the time at which it was read last, so that reading a folder writes nothing to
    /// its disk; nil if the system does that for owners only, or not at all.
    private func openUntouched(
      _ name: FileName, in directory: Int32, flags: Int32
    ) throws(SystemCallError) -> Int32? {
      guard !Self.isTouching.load(ordering: .relaxed) else { return nil }
      do throws(SystemCallError) {
        return try openAsAsked(
          name, in: directory, flags: flags | Int32(openWithoutAccessTime))
      } catch {
        guard [EPERM, EINVAL, ENOTSUP].contains(error.number) else { throw error }
        // Whoever else owns one file of a folder mostly owns them all: none is asked for twice.
        Self.isTouching.store(true, ordering: .relaxed)
        return nil
      }
    }

    private static let isTouching = Atomic(false)
  #endif

  package func openPath(_ path: [UInt8], flags: Int32) throws(SystemCallError) -> Int32 {
    // SAFETY: the strings and structures outlive the call, which keeps no pointer.
    try checked { CString.with(path) { unsafe openat(AT_FDCWD, $0, flags | O_CLOEXEC) } }
  }

  package func state(of name: FileName, in directory: Int32) throws(SystemCallError) -> FileState {
    var state = stat()
    _ = try checked {
      // SAFETY: the strings and structures outlive the call, which keeps no pointer.
      name.withCString { unsafe fstatat(directory, $0, &state, AT_SYMLINK_NOFOLLOW) }
    }
    return FileState(state)
  }

  package func state(of descriptor: Int32) throws(SystemCallError) -> FileState {
    var state = stat()
    // SAFETY: fstat fills the structure it is given.
    _ = try checked { unsafe fstat(descriptor, &state) }
    return FileState(state)
  }

  package func read(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32)
    throws(SystemCallError) -> Int
  {
    // SAFETY: the buffer is writable; the kernel is told how long it is.
    let result = unsafe Self.read(descriptor, buffer.baseAddress, buffer.count)
    guard result >= 0 else { throw .last }
    return result
  }

  private func checked(_ call: () -> Int32) throws(SystemCallError) -> Int32 {
    let result = call()
    guard result >= 0 else { throw .last }
    return result
  }
}
