#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One name in a directory, with what the listing says it is.
package struct DirectoryEntry: Hashable, Sendable {
  /// The name.
  package let name: FileName
  /// What it is; never looked at through a link.
  package let kind: FileKind

  /// Creates an entry.
  package init(name: FileName, kind: FileKind) {
    self.name = name
    self.kind = kind
  }
}

extension Directory {
  /// Returns every entry but `.` and `..`, ascending by the bytes of the names.
  ///
  /// One pass over the directory; an entry is inspected only where the file system does not say
  /// in the listing what it is.
  package func entries() throws(FileError) -> [DirectoryEntry] {
    var names: [UInt8] = []
    var found: [Raw] = []
    do { try list(into: &names, &found) } catch {
      // It is open, so it is a directory, and neither gone nor a link.
      throw [ENOENT, ENOTDIR, ELOOP].contains(error.number)
        ? .system(path: path, action: .list, number: error.number)
        : FileError(error, .list, path)
    }
    // SAFETY: offsets and lengths were taken while the names were appended to this array.
    unsafe names.withUnsafeBytes { names in
      guard let start = names.baseAddress else { return }
      found.sort { left, right in
        let order = unsafe memcmp(
          start + left.offset, start + right.offset, min(left.length, right.length))
        return order != 0 ? order < 0 : left.length < right.length
      }
    }
    var entries: [DirectoryEntry] = []
    entries.reserveCapacity(found.count)
    for raw in found {
      let name = FileName(trusted: Array(names[raw.offset..<raw.offset + raw.length]))
      var kind = raw.kind
      if kind == .unknown {
        // An entry that is gone by now was not there when this listing is looked at.
        do { kind = try operations.state(of: name, in: descriptor).kind } catch {
          if error.number == ENOENT { continue }
          throw FileError(error, .inspect, path(of: name))
        }
      }
      entries.append(DirectoryEntry(name: name, kind: kind))
    }
    return entries
  }

  private struct Raw {
    var offset: Int
    var length: Int
    var kind: FileKind
  }

  private func list(into names: inout [UInt8], _ found: inout [Raw]) throws(SystemCallError) {
    // A descriptor of its own, because reading moves a position that threads would share.
    let own = try operations.open(
      FileName(trusted: [UInt8(ascii: ".")]), in: descriptor, flags: O_RDONLY | O_DIRECTORY)
    // SAFETY: fdopendir takes over the descriptor; closedir below closes both.
    guard let stream = unsafe fdopendir(own) else {
      let error = SystemCallError.last
      close(own)
      throw error
    }
    // SAFETY: the stream is open and not used after this.
    defer { unsafe closedir(stream) }
    let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    while true {
      errno = 0
      // SAFETY: the entry stays valid until the next call on this stream, which is in the next
      // turn of this loop; only bytes inside the entry are read, up to the zero that ends its name.
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw .last }
        return
      }
      // SAFETY: as above.
      let name = unsafe UnsafeRawPointer(entry) + nameOffset
      // SAFETY: as above.
      let length = unsafe strlen(name.assumingMemoryBound(to: CChar.self))
      // SAFETY: as above.
      let bytes = unsafe UnsafeRawBufferPointer(start: name, count: length)
      if unsafe bytes[0] == UInt8(ascii: "."),
        unsafe length == 1 || (length == 2 && bytes[1] == UInt8(ascii: "."))
      {
        continue
      }
      // SAFETY: as above.
      let kind = unsafe FileKind(entryType: entry.pointee.d_type)
      found.append(Raw(offset: names.count, length: length, kind: kind))
      unsafe names.append(contentsOf: bytes)
    }
  }
}

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

  /// Whether this process may change what is in it, as far as permissions and its file system say.
  package var isWritable: Bool {
    // SAFETY: the name is only read inside of the call.
    unsafe faccessat(descriptor, ".", W_OK, AT_EACCESS) == 0
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
