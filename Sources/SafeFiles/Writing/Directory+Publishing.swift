import Crypto

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Directory {
  /// Publishes a whole file: temporary name, synchronize, rename, synchronize the directory.
  ///
  /// A reader sees the old file or the new one, at any instant and after any crash. The mode of a
  /// replaced file is kept; run by root, a new file gets the owner of the folder.
  package func publish(
    _ bytes: [UInt8], as name: FileName, replacing replacement: Replacement = .anything
  ) throws(FileError) {
    try stage(bytes, as: name, replacing: replacement).publish()
    try synchronize()
  }

  /// Writes and synchronizes a file under a temporary name, reads it back and compares it;
  /// `StagedFile.publish(_:)` publishes many of them with one synchronization per directory.
  ///
  /// Throws `writtenBytesDiffer` if the disk did not keep what it was given.
  package func stage(
    _ bytes: [UInt8], as name: FileName, replacing replacement: Replacement = .anything,
    asPrivateAs privacy: Privacy? = nil
  ) throws(FileError) -> StagedFile {
    var pieces = [bytes]
    return try stage(as: name, replacing: replacement, asPrivateAs: privacy) {
      () throws(FileError) in pieces.popLast()
    }
  }

  /// The same with bytes that come piece by piece, until there is none.
  package func stage(
    as name: FileName, replacing replacement: Replacement = .anything,
    asPrivateAs privacy: Privacy? = nil, pieces next: () throws(FileError) -> [UInt8]?
  ) throws(FileError) -> StagedFile {
    let writer = try stageFile(as: name, replacing: replacement, asPrivateAs: privacy)
    do throws(FileError) {
      var hash = SHA256()
      while let piece = try next() {
        try writer.write(piece)
        hash.update(piece, 0..<piece.count)
      }
      var staged = try writer.finish()
      try staged.prove(ContentHash(hash.finalize()))
      return staged
    } catch {
      writer.discard()
      throw error
    }
  }

  /// Creates a file under a temporary name to be written in pieces.
  ///
  /// A copy of somebody's content is never wider than `privacy`, whatever it replaces.
  package func stageFile(
    as name: FileName, replacing replacement: Replacement = .anything,
    asPrivateAs privacy: Privacy? = nil
  ) throws(FileError) -> FileWriter {
    let old = try stateIfPresent(of: name)
    if let old {
      guard old.kind == .regular else {
        throw .inTheWay(path: path(of: name), found: old.kind)
      }
      switch replacement {
      case .nothing: throw .alreadyExists(path: path(of: name))
      case .unchanged(let version) where !old.isUnchanged(since: version.state):
        throw .changedSince(path: path(of: name))
      case .anything, .unchanged: break
      }
    }
    let newMode = privacy.map { $0.fileMode(group: $0.owner.group) } ?? 0o666
    let (descriptor, temporary) = try createTemporary(
      for: name, mode: old == nil ? newMode : 0o600)
    let staged = StagedFile(
      directory: self, name: name, temporaryName: temporary, replacement: replacement)
    let writer = FileWriter(
      descriptor: descriptor, path: path(of: name), operations: operations, staged: staged)
    do throws(FileError) {
      // A sweep that saw it before it was locked has taken it for what a dead run left.
      guard try stateIfPresent(of: temporary) != nil else {
        return try stageFile(as: name, replacing: replacement, asPrivateAs: privacy)
      }
      try give(descriptor, to: old?.owner ?? folderOwner, path: path(of: name))
      if let old {
        do { try operations.setMode(old.mode, of: descriptor) } catch {
          throw FileError(error, .setAttributes, path(of: name))
        }
      }
      if let privacy {
        try narrow(descriptor, path: path(of: name)) { privacy.fileMode(group: $0) }
      }
    } catch {
      writer.discard()
      throw error
    }
    return writer
  }

  /// Creates a file under its own name in a place nobody reads yet; throws `alreadyExists`.
  package func createFile(_ name: FileName) throws(FileError) -> FileWriter {
    do {
      let descriptor = try operations.create(
        name, in: self.descriptor, flags: O_WRONLY | O_EXCL, mode: 0o600)
      return FileWriter(
        descriptor: descriptor, path: path(of: name), operations: operations, staged: nil)
    } catch {
      throw FileError(error, .create, path(of: name))
    }
  }

  /// Creates a symbolic link in a place nobody reads yet; throws `alreadyExists`.
  package func createSymbolicLink(
    _ name: FileName, target: [UInt8], modified: FileTime, owner: FileOwner?
  ) throws(FileError) {
    guard !target.isEmpty, !target.contains(0) else { throw .invalidPath(path: path(of: name)) }
    do {
      try operations.makeSymbolicLink(name, in: descriptor, target: target)
      try operations.setModified(modified, ofLink: name, in: descriptor)
      if let owner, geteuid() == 0 { try operations.setOwner(owner, ofLink: name, in: descriptor) }
    } catch {
      throw FileError(error, .create, path(of: name))
    }
  }

  /// Gives a file of our own its modification time.
  package func setModified(_ time: FileTime, of name: FileName) throws(FileError) {
    do { try operations.setModified(time, ofLink: name, in: descriptor) } catch {
      throw FileError(error, .setAttributes, path(of: name))
    }
  }

  /// Gives this directory its permissions, modification time and, if root runs us, its owner.
  package func setAttributes(mode: UInt16, modified: FileTime, owner: FileOwner?)
    throws(FileError)
  {
    try operations.setAttributes(
      of: descriptor, mode: mode, modified: modified, owner: owner, path: path)
  }

  /// Adds one line to the file `name` with a single write, creating the file if it is missing.
  ///
  /// With line feeds in it, it is several. A last line that an earlier crash tore is ended first, so
  /// that it spoils itself only.
  ///
  /// A file that has another name, too, gets one of its own: what has the other name may be a copy
  /// of the folder, which is not to be written to.
  package func appendLine(_ line: [UInt8], to name: FileName) throws(FileError) {
    let lineFeed = UInt8(ascii: "\n")
    if let there = try stateIfPresent(of: name), there.kind == .regular, there.linkCount > 1 {
      try publish(contents(of: name), as: name)
    }
    let file: Int32
    do {
      file = try operations.create(
        name, in: descriptor, flags: O_RDWR | O_APPEND | O_NONBLOCK, mode: 0o666)
    } catch {
      throw FileError(error, .open, path(of: name))
    }
    defer { close(file) }
    do throws(SystemCallError) {
      let state = try operations.state(of: file)
      guard state.kind == .regular else { throw SystemCallError(number: EINVAL) }
      var bytes = line + [lineFeed]
      if state.size == 0 {
        // A log that stays root's is still a log; the owner is not worth failing for.
        try? giveToFolderOwner(file, path: path(of: name))
      } else {
        var last: [UInt8] = [0]
        guard lseek(file, -1, SEEK_END) >= 0 else { throw SystemCallError.last }
        if try operations.read(into: &last, at: 0, count: 1, from: file) == 1, last[0] != lineFeed {
          bytes.insert(lineFeed, at: 0)
        }
      }
      try operations.append(bytes, to: file)
      try operations.synchronize(file)
    } catch {
      throw FileError(error, .write, path(of: name))
    }
  }

  private func createTemporary(for name: FileName, mode: UInt16) throws(FileError)
    -> (Int32, FileName)
  {
    var temporary = TemporaryName.make(for: name)
    do throws(SystemCallError) {
      do throws(SystemCallError) {
        return (try create(temporary, mode: mode), temporary)
      } catch {
        // Encrypting file systems take shorter names than the usual 255 bytes.
        guard error.number == ENAMETOOLONG else { throw error }
        temporary = TemporaryName.make(for: "t")
        return (try create(temporary, mode: mode), temporary)
      }
    } catch {
      throw FileError(error, .create, path(of: name))
    }
  }

  private func create(_ name: FileName, mode: UInt16) throws(SystemCallError) -> Int32 {
    try operations.create(name, in: descriptor, flags: O_WRONLY | O_EXCL, mode: mode)
  }
}
