import Crypto

#if canImport(Glibc)
  import CLinux
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Directory {
  /// Moves a file or link to a directory that a rename does not reach, never replacing anything.
  ///
  /// The copy is staged, read back and compared, and lasts before the original is removed: dying in
  /// between leaves both, which `isCopy(_:of:in:)` tells. A file with several names is copied for
  /// each of them; what is neither file nor link is refused.
  package func moveByCopying(
    _ name: FileName, to target: Directory, as newName: FileName
  ) throws(FileError) {
    let state = try state(of: name)
    switch state.kind {
    case .regular: try copyFile(name, to: target, as: newName)
    case .symbolicLink:
      try target.createSymbolicLink(
        newName, target: try self.target(ofLink: name), modified: state.modified,
        owner: state.owner)
    default: throw .wrongKind(path: path(of: name), expected: .regular, found: state.kind)
    }
    try target.synchronize()
    try removeFile(name, ifUnchangedSince: state)
  }

  /// Copies a file to a directory, with its mode and time, never replacing anything: it is there whole
  /// or not at all.
  package func copyFile(
    _ name: FileName, to target: Directory, as newName: FileName
  ) throws(FileError) {
    let reader = try openForReading(name)
    let state = try reader.state()
    let writer = try target.stageFile(as: newName, replacing: .nothing)
    do throws(FileError) {
      var buffer = [UInt8](repeating: 0, count: 1 << 18)
      var hash = SHA256()
      while true {
        let count = try reader.read(into: &buffer)
        hash.update(buffer, 0..<count)
        try writer.write(buffer, 0..<count)
        if count < buffer.count { break }
      }
      try writer.setAttributes(mode: state.mode, modified: state.modified, owner: state.owner)
      let staged = try writer.finish()
      guard try target.hash(of: staged.temporaryName) == ContentHash(hash.finalize()) else {
        throw .writtenBytesDiffer(path: target.path(of: newName))
      }
      guard try reader.state().isUnchanged(since: state) else {
        throw .changedWhileRead(path: path(of: name))
      }
      try staged.publish()
    } catch {
      writer.discard()
      throw error
    }
  }

  /// Copies a directory with everything in it to a place nobody reads yet: links as links, with times and
  /// modes, but what is neither file, directory nor link. The copy can be written to.
  package func copyTree(_ name: FileName, to target: Directory) throws(FileError) {
    let source = try openDirectory(name)
    try target.makeDirectory(name)
    let copy = try target.openDirectory(name)
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    try source.copyContent(to: copy, &buffer)
  }

  private func copyContent(to target: Directory, _ buffer: inout [UInt8]) throws(FileError) {
    for entry in try entries() {
      switch entry.kind {
      case .directory:
        try target.makeDirectory(entry.name)
        try openDirectory(entry.name).copyContent(to: target.openDirectory(entry.name), &buffer)
      case .regular: try copyBytes(of: entry.name, to: target, &buffer)
      case .symbolicLink:
        let state = try state(of: entry.name)
        try target.createSymbolicLink(
          entry.name, target: try self.target(ofLink: entry.name), modified: state.modified,
          owner: state.owner)
      default: continue
      }
    }
    let state = try state()
    try target.setAttributes(
      mode: state.mode | 0o700, modified: state.modified, owner: state.owner)
  }

  private func copyBytes(
    of name: FileName, to target: Directory, _ buffer: inout [UInt8]
  ) throws(FileError) {
    let reader = try openForReading(name)
    let state = try reader.state()
    let writer = try target.createFile(name)
    while true {
      let count = try reader.read(into: &buffer)
      try writer.write(buffer, 0..<count)
      if count < buffer.count { break }
    }
    try writer.setAttributes(mode: state.mode, modified: state.modified, owner: state.owner)
    guard try reader.state().isUnchanged(since: state) else {
      throw .changedWhileRead(path: path(of: name))
    }
  }

  /// Whether an entry is what `moveByCopying(_:to:as:)` makes of another: bytes, time and mode.
  package func isCopy(
    _ name: FileName, of other: FileName, in directory: Directory
  ) throws(FileError) -> Bool {
    let (mine, theirs) = (try state(of: name), try directory.state(of: other))
    guard mine.kind == theirs.kind, mine.size == theirs.size, mine.modified == theirs.modified
    else { return false }
    switch mine.kind {
    case .regular:
      guard mine.mode == theirs.mode else { return false }
      return try hash(of: name) == directory.hash(of: other)
    case .symbolicLink: return try target(ofLink: name) == directory.target(ofLink: other)
    default: return false
    }
  }

  /// Removes an entry of which a copy is elsewhere.
  package func removeCopied(_ name: FileName) throws(FileError) {
    try removeFile(name, ifUnchangedSince: state(of: name))
  }

  /// Removes a directory that was emptied; one that something is mounted on stays.
  package func removeEmptiedDirectory(_ name: FileName) throws(FileError) {
    do throws(FileError) { try removeEmptyDirectory(name) } catch {
      guard error.needsCopying else { throw error }
    }
  }

  /// Whether an entry is marked as one that nobody may rename or remove; false where nobody knows.
  package func isImmutable(_ name: FileName) -> Bool {
    #if canImport(Darwin)
      var state = stat()
      // SAFETY: the name outlives the call, which fills the structure it is given.
      let result = unsafe name.withCString {
        unsafe fstatat(descriptor, $0, &state, AT_SYMLINK_NOFOLLOW)
      }
      let marks = UInt32(UF_IMMUTABLE | UF_APPEND | SF_IMMUTABLE | SF_APPEND)
      return result == 0 && state.st_flags & marks != 0
    #else
      // The structure has 256 bytes; the second eight hold the attributes.
      var state = [UInt64](repeating: 0, count: 32)
      // SAFETY: the name outlives the call, which writes no more than the structure has.
      let result = unsafe state.withUnsafeMutableBytes { state in
        name.withCString { name in
          guard let start = state.baseAddress else { return Int32(-1) }
          return unsafe statx(descriptor, name, AT_SYMLINK_NOFOLLOW, 0, start)
        }
      }
      return result == 0 && state[1] & UInt64(attributeImmutable | attributeAppend) != 0
    #endif
  }
}

extension FileError {
  /// Whether an entry cannot be renamed to where it is to go, though it may be copied there: a
  /// directory of a lower layer, another file system, or the place where one is mounted.
  package var needsCopying: Bool {
    guard case .system(_, _, let number) = self else { return false }
    return number == EXDEV || number == EBUSY
  }
}
