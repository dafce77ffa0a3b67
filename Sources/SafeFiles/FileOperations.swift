#if canImport(Glibc)
  import CLinux
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system calls, one method each: retried after signals, failing where a `FaultPlan` says so.
struct FileOperations: Sendable {
  let faults: FaultPlan?

  // MARK: Calls that change something

  func create(_ name: FileName, in directory: Int32, flags: Int32, mode: mode_t)
    throws(SystemCallError) -> Int32
  {
    try checkedChange {
      name.withCString {
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        unsafe openat(directory, $0, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode)
      }
    }
  }

  func makeDirectory(_ name: FileName, in directory: Int32, mode: mode_t) throws(SystemCallError) {
    // SAFETY: the strings and structures outlive the call, which keeps no pointer.
    _ = try checkedChange { name.withCString { unsafe mkdirat(directory, $0, mode) } }
  }

  func synchronize(_ descriptor: Int32) throws(SystemCallError) {
    #if canImport(Darwin)
      // fsync on macOS leaves the data in the drive's cache; not every file system knows more.
      if try checkedChange({ fcntl(descriptor, F_FULLFSYNC) == -1 ? fsync(descriptor) : 0 }) == 0 {
        return
      }
    #else
      _ = try checkedChange { fsync(descriptor) }
    #endif
  }

  func synchronizeFileSystem(_ descriptor: Int32) throws(SystemCallError) {
    #if canImport(Darwin)
      sync()
      try synchronize(descriptor)
    #else
      _ = try checkedChange { syncfs(descriptor) }
    #endif
  }

  func rename(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  {
    _ = try checkedChange {
      from.withCString { from in
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        name.withCString { unsafe renameat(source, from, target, $0) }
      }
    }
  }

  /// Appends bytes with one write: all of them or an error.
  func append(_ bytes: [UInt8], to descriptor: Int32) throws(SystemCallError) {
    let count: Int
    var failure: SystemCallError?
    // SAFETY: the array outlives the closure.
    count = unsafe bytes.withUnsafeBytes { bytes in
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

  /// Renames without ever replacing anything.
  func renameExclusively(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  {
    do throws(SystemCallError) {
      _ = try checkedChange {
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
    } catch {
      guard [EINVAL, ENOSYS, ENOTSUP].contains(error.number) else { throw error }
      try renameExclusivelyByLink(from, in: source, to: name, in: target)
    }
  }

  /// For file systems without an exclusive rename: a hard link never replaces anything. Directories
  /// cannot be linked; a rename onto one replaces it only while it is empty.
  private func renameExclusivelyByLink(
    _ from: FileName, in source: Int32, to name: FileName, in target: Int32
  ) throws(SystemCallError) {
    if try state(of: from, in: source).kind == .directory {
      do { _ = try state(of: name, in: target) } catch {
        guard error.number == ENOENT else { throw error }
        return try rename(from, in: source, to: name, in: target)
      }
      throw SystemCallError(number: EEXIST)
    }
    do throws(SystemCallError) {
      _ = try checkedChange {
        from.withCString { from in
          // SAFETY: the strings and structures outlive the call, which keeps no pointer.
          name.withCString { unsafe linkat(source, from, target, $0, 0) }
        }
      }
    } catch {
      // No hard links either (FAT): look, then rename. The gap is as small as it gets there.
      guard [EPERM, ENOTSUP, ENOSYS].contains(error.number) else { throw error }
      do { _ = try state(of: name, in: target) } catch {
        guard error.number == ENOENT else { throw error }
        return try rename(from, in: source, to: name, in: target)
      }
      throw SystemCallError(number: EEXIST)
    }
    try unlink(from, in: source)
  }

  func unlink(_ name: FileName, in directory: Int32, flags: Int32 = 0) throws(SystemCallError) {
    // SAFETY: the strings and structures outlive the call, which keeps no pointer.
    _ = try checkedChange { name.withCString { unsafe unlinkat(directory, $0, flags) } }
  }

  func makeSymbolicLink(_ name: FileName, in directory: Int32, target: [UInt8])
    throws(SystemCallError)
  {
    _ = try checkedChange {
      CString.with(target) { target in
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        name.withCString { unsafe symlinkat(target, directory, $0) }
      }
    }
  }

  func setMode(_ mode: mode_t, of descriptor: Int32) throws(SystemCallError) {
    _ = try checkedChange { fchmod(descriptor, mode) }
  }

  func setOwner(_ owner: FileOwner, of descriptor: Int32) throws(SystemCallError) {
    _ = try checkedChange { fchown(descriptor, owner.user, owner.group) }
  }

  func setOwner(_ owner: FileOwner, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)
  {
    _ = try checkedChange {
      name.withCString {
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        unsafe fchownat(directory, $0, owner.user, owner.group, AT_SYMLINK_NOFOLLOW)
      }
    }
  }

  func setModified(_ time: FileTime, of descriptor: Int32) throws(SystemCallError) {
    let times = [time.timespec, time.timespec]
    // SAFETY: futimens reads the two elements of the array.
    _ = try checkedChange { unsafe futimens(descriptor, times) }
  }

  func setModified(_ time: FileTime, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)
  {
    let times = [time.timespec, time.timespec]
    _ = try checkedChange {
      // SAFETY: the strings and structures outlive the call, which keeps no pointer.
      name.withCString { unsafe utimensat(directory, $0, times, AT_SYMLINK_NOFOLLOW) }
    }
  }

  /// Writes all bytes, at `offset` or at the end of what was written so far.
  func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64? = nil)
    throws(SystemCallError)
  {
    var written = 0
    while written < bytes.count {
      // SAFETY: the slice keeps within the caller's buffer, which outlives the call.
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      written += unsafe try write(rest, to: descriptor, at: offset.map { $0 + Int64(written) })
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64?)
    throws(SystemCallError) -> Int
  {
    func call(_ count: Int) -> Int {
      // SAFETY: at most `bytes.count` bytes are read from the caller's buffer.
      if let offset {
        unsafe pwrite(descriptor, bytes.baseAddress, count, off_t(offset))
      } else {
        unsafe Self.write(descriptor, bytes.baseAddress, count)
      }
    }
    let count = bytes.count
    while true {
      var wanted = count
      if let faults {
        switch faults.nextFault() {
        case .failure(let number): throw SystemCallError(number: number)
        case .stop:
          _ = call(count / 2)
          throw SystemCallError(number: FaultPlan.deadNumber)
        case .interruption: continue
        case .shortWrite: wanted = min(1, count)
        case nil: break
        }
      }
      let result = call(wanted)
      if result > 0 || (result == 0 && wanted == 0) { return result }
      // A device that takes nothing and reports nothing would be asked for ever.
      if result == 0 { throw SystemCallError(number: EIO) }
      if errno != EINTR { throw .last }
    }
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

  func open(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError) -> Int32 {
    try checked {
      name.withCString {
        // SAFETY: the strings and structures outlive the call, which keeps no pointer.
        unsafe openat(directory, $0, flags | O_NOFOLLOW | O_CLOEXEC)
      }
    }
  }

  /// Opens a path of the user's, following links.
  func openPath(_ path: [UInt8], flags: Int32) throws(SystemCallError) -> Int32 {
    // SAFETY: the strings and structures outlive the call, which keeps no pointer.
    try checked { CString.with(path) { unsafe openat(AT_FDCWD, $0, flags | O_CLOEXEC) } }
  }

  func state(of name: FileName, in directory: Int32) throws(SystemCallError) -> FileState {
    var state = stat()
    _ = try checked {
      // SAFETY: the strings and structures outlive the call, which keeps no pointer.
      name.withCString { unsafe fstatat(directory, $0, &state, AT_SYMLINK_NOFOLLOW) }
    }
    return FileState(state)
  }

  func state(of descriptor: Int32) throws(SystemCallError) -> FileState {
    var state = stat()
    // SAFETY: fstat fills the structure it is given.
    _ = try checked { unsafe fstat(descriptor, &state) }
    return FileState(state)
  }

  /// Reads up to the buffer's size; fewer bytes mean the end of the file.
  func readFully(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32)
    throws(SystemCallError) -> Int
  {
    guard let start = buffer.baseAddress else { return 0 }
    var filled = 0
    while filled < buffer.count {
      // SAFETY: the rest of the buffer is writable; the kernel is told how long it is.
      let result = unsafe Self.read(descriptor, start + filled, buffer.count - filled)
      if result == 0 { break }
      if result > 0 {
        filled += result
      } else if errno != EINTR {
        throw .last
      }
    }
    return filled
  }

  // MARK: Retrying

  /// Runs a call until it is not interrupted.
  private func checked(_ call: () -> Int32) throws(SystemCallError) -> Int32 {
    while true {
      let result = call()
      if result >= 0 { return result }
      if errno != EINTR { throw .last }
    }
  }

  /// Runs a call that changes something, unless the plan has another idea.
  private func checkedChange(_ call: () -> Int32) throws(SystemCallError) -> Int32 {
    if let faults {
      switch faults.nextFault() {
      case .failure(let number): throw SystemCallError(number: number)
      case .stop: throw SystemCallError(number: FaultPlan.deadNumber)
      case .interruption, .shortWrite, nil: break
      }
    }
    return try checked(call)
  }
}
