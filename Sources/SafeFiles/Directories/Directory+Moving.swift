#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Directory {
  /// Moves an entry to another directory of the same file system, never replacing anything.
  ///
  /// The move lasts once both directories are synchronized.
  package func move(_ name: FileName, to target: Directory, as newName: FileName? = nil)
    throws(FileError)
  {
    do {
      try operations.move(
        name, in: descriptor, to: newName ?? name, in: target.descriptor)
    } catch {
      if error.number == EEXIST || error.number == ENOTEMPTY {
        throw .alreadyExists(path: target.path(of: newName ?? name))
      }
      throw FileError(error, .move, path(of: name))
    }
  }

  /// Renames a file of our own within this directory; what had the new name is gone.
  package func renameOwn(_ name: FileName, to newName: FileName) throws(FileError) {
    do {
      try operations.rename(name, in: descriptor, to: newName, in: descriptor)
    } catch {
      throw FileError(error, .rename, path(of: name))
    }
  }

  /// Removes a file or link for good, if it is still what the caller has proven.
  package func removeFile(_ name: FileName, ifUnchangedSince state: FileState) throws(FileError) {
    let now = try self.state(of: name)
    guard now.kind != .directory, now.isUnchanged(since: state) else {
      throw .changedSince(path: path(of: name))
    }
    try unlink(name, flags: 0)
  }

  /// Removes a directory that is empty; throws `alreadyExists` if it is not.
  package func removeEmptyDirectory(_ name: FileName) throws(FileError) {
    try unlink(name, flags: AT_REMOVEDIR)
  }

  /// Removes a directory of our own with everything in it, links as links.
  package func removeOwnTree(_ name: FileName) throws(FileError) {
    let directory = try openDirectory(name)
    try directory.makeWritable()
    for entry in try directory.entries() {
      if entry.kind == .directory {
        try directory.removeOwnTree(entry.name)
      } else {
        try directory.unlink(entry.name, flags: 0)
      }
    }
    try unlink(name, flags: AT_REMOVEDIR)
  }

  /// Takes the lock on this directory that tells others it is in use; false if it is held.
  package func tryLock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Takes a share of that lock, once nobody has it alone, or gives others a share of it. Where there are
  /// no locks nothing happens.
  package func shareLock() { _ = flock(descriptor, LOCK_SH) }

  /// Lets the owner of a directory of our own change it: restored ones may be read-only.
  package func makeWritable() throws(FileError) {
    let mode = try state().mode
    guard mode & 0o700 != 0o700 else { return }
    do { try operations.setMode(mode | 0o700, of: descriptor) } catch {
      throw FileError(error, .setAttributes, path)
    }
  }

  func unlink(_ name: FileName, flags: Int32) throws(FileError) {
    do { try operations.unlink(name, in: descriptor, flags: flags) } catch {
      throw FileError(error, .remove, path(of: name))
    }
  }
}
