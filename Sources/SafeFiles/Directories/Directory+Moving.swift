#if canImport(Glibc)
  import CLinux
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

  /// Lets the directory `name` in this one change places with the one of that name in another directory
  /// of the same file system, in one step; false, and nothing changed, where the file system cannot.
  ///
  /// Lasts once both directories are synchronized.
  package func exchange(_ name: FileName, with target: Directory) throws(FileError) -> Bool {
    do {
      try operations.exchange(name, in: descriptor, with: name, in: target.descriptor)
      return true
    } catch {
      if [EINVAL, ENOSYS, ENOTSUP, EXDEV].contains(error.number) { return false }
      throw FileError(error, .move, path(of: name))
    }
  }

  /// Gives an entry of this directory, which is no directory, a name in another one of the same file
  /// system, too, never replacing anything; false, and nothing changed, where that cannot be done.
  package func addSecondName(
    _ name: FileName, in target: Directory, as newName: FileName? = nil
  ) throws(FileError) -> Bool {
    do {
      try operations.link(name, in: descriptor, to: newName ?? name, in: target.descriptor)
      return true
    } catch {
      if [EPERM, ENOTSUP, ENOSYS, EXDEV, EMLINK].contains(error.number) { return false }
      if error.number == EEXIST { throw .alreadyExists(path: target.path(of: newName ?? name)) }
      throw FileError(error, .move, path(of: name))
    }
  }

  /// Removes the name of an entry here if another directory has the same file under that name.
  ///
  /// - Returns: false, and it stays, if that one has something else, or nothing.
  package func removeSecondName(
    _ name: FileName, alsoIn other: Directory
  ) throws(FileError) -> Bool {
    guard let own = try stateIfPresent(of: name), let there = try other.stateIfPresent(of: name),
      own.isSameFile(as: there), own.kind != .directory
    else { return false }
    try unlink(name, flags: 0)
    return true
  }

  /// Gives this directory, which is of our own, the permissions of another.
  package func takePermissions(of other: FileState) throws(FileError) {
    guard try state().mode != other.mode else { return }
    do { try operations.setMode(other.mode, of: descriptor) } catch {
      throw FileError(error, .setAttributes, path)
    }
  }

  /// Whether anything but names and permissions is said of this directory, such as access lists or what
  /// a sync service notes there. What the system itself says of every file does not count.
  package func hasExtendedAttributes() -> Bool {
    var names = [CChar](repeating: 0, count: 1 << 12)
    // SAFETY: the system is told how long the array is.
    let count = unsafe names.withUnsafeMutableBufferPointer { names in
      #if canImport(Darwin)
        unsafe flistxattr(descriptor, names.baseAddress, names.count, 0)
      #else
        unsafe flistxattr(descriptor, names.baseAddress, names.count)
      #endif
    }
    // Where there are none, nobody can say anything.
    guard count >= 0 else { return errno != ENOTSUP }
    let own = Array("security.".utf8).map { CChar(bitPattern: $0) }
    return names[..<count].split(separator: 0).contains { !$0.starts(with: own) }
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

  /// Moves everything in this directory of our own to another of our own, in the place of files of the
  /// same names.
  package func moveContent(to target: Directory) throws(FileError) {
    for entry in try entries() {
      if let there = try target.stateIfPresent(of: entry.name) {
        if entry.kind == .directory {
          try openDirectory(entry.name).moveContent(to: target.createDirectory(entry.name))
          continue
        }
        try target.removeFile(entry.name, ifUnchangedSince: there)
      }
      try move(entry.name, to: target)
    }
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

/// Removes files of a directory for good, each only if it holds the bytes that may go.
///
/// Programs that take no lock may write at any moment. So a file first moves to a directory beside
/// it, where nobody finds it by its name any more; then its bytes are looked at, and only then it is
/// unlinked. What holds other bytes gets its place back. A run that dies in between leaves the file in
/// that directory, under its own name; `recover(_:)` moves it back.
package struct FileRemoval {
  /// What became of a file.
  package enum Outcome: Hashable, Sendable {
    /// It is gone.
    case removed
    /// It is in its place: it is not what was looked at.
    case stays
    /// It is not what was looked at, and something else has its place: it is beside that.
    case displaced
  }

  /// The name of the directory in which files are looked at.
  package static let place: FileName = ".removing.nosync"

  private let directory: Directory
  private var place: Directory?
  private var hasher = ContentHasher()

  /// Prepares to remove files of a directory.
  package init(in directory: Directory) { self.directory = directory }

  /// Removes a file if it holds what was looked at; lasts once `finish()` was called.
  package mutating func remove(
    _ name: FileName, ifStill version: FileVersion
  ) throws(FileError) -> Outcome {
    guard try directory.stateIfPresent(of: name)?.isUnchanged(since: version.state) ?? false else {
      return .stays
    }
    let place = try openPlace()
    try directory.move(name, to: place)
    if let state = try state(of: name, in: place, ifHolding: version.hash) {
      try place.removeFile(name, ifUnchangedSince: state)
      return .removed
    }
    return try Self.moveBack(name, from: place, to: directory) ? .stays : .displaced
  }

  /// Makes what was removed last, and removes the directory beside it while it is empty.
  package func finish() throws(FileError) {
    guard let place else { return }
    try place.synchronize()
    try Self.removePlace(of: directory)
    try directory.synchronize()
  }

  /// Moves back what a run that died was about to remove; what has no place any more stays.
  package static func recover(_ directory: Directory) throws(FileError) {
    guard let place = try directory.openDirectoryIfPresent(RelativePath(Self.place)) else { return }
    try place.makeWritable()
    for entry in try place.entries() {
      _ = try moveBack(entry.name, from: place, to: directory)
    }
    try removePlace(of: directory)
    try directory.synchronize()
  }

  private mutating func openPlace() throws(FileError) -> Directory {
    if let place { return place }
    // A restore may have set aside a directory nobody writes to.
    try directory.makeWritable()
    let opened = try directory.createDirectory(Self.place, mode: 0o700)
    place = opened
    return opened
  }

  /// Returns the state of a file if it has this hash, nil otherwise.
  private mutating func state(
    of name: FileName, in place: Directory, ifHolding hash: ContentHash
  ) throws(FileError) -> FileState? {
    do throws(FileError) {
      let found = try hasher.hash(name, in: place)
      return found.hash == hash ? found.state : nil
    } catch {
      // It is being written to, or is something else now.
      switch error {
      case .changedWhileRead, .wrongKind: return nil
      default:
        _ = try Self.moveBack(name, from: place, to: directory)
        throw error
      }
    }
  }

  private static func moveBack(
    _ name: FileName, from place: Directory, to directory: Directory
  ) throws(FileError) -> Bool {
    do throws(FileError) {
      try place.move(name, to: directory)
      return true
    } catch {
      guard case .alreadyExists = error else { throw error }
      return false
    }
  }

  private static func removePlace(of directory: Directory) throws(FileError) {
    do throws(FileError) {
      try directory.removeEmptyDirectory(place)
    } catch {
      // What has no place any more stays in it.
      guard case .alreadyExists = error else { throw error }
    }
  }
}
