import Diagnostics

#if canImport(Glibc)
  import CLinux
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open directory; everything below it is reached by names relative to it.
///
/// Symbolic links are never followed below the path given to `open(path:)`, so nothing done through
/// a directory can leave it, whatever is renamed meanwhile. Closed when the last reference goes.
package final class Directory: Sendable {
  /// The path in display form, for messages.
  package let path: String
  /// Who owns the folder that was opened by path; new files belong to them when root runs us.
  package let folderOwner: FileOwner

  let descriptor: Int32
  /// The system calls of this directory and of everything opened through it.
  let operations: any FileOperations

  private init(
    descriptor: Int32, path: String, operations: any FileOperations, folderOwner: FileOwner
  ) {
    self.descriptor = descriptor
    self.path = path
    self.operations = operations
    self.folderOwner = folderOwner
  }

  deinit { close(descriptor) }

  /// Opens the directory at a path the user gave; links in that path are followed.
  package static func open(path: String, operations: any FileOperations = SystemFileOperations())
    throws(FileError) -> Directory
  {
    let bytes = Array(path.utf8)
    let shown = DisplayText.escaping(bytes)
    guard !bytes.isEmpty, !bytes.contains(0) else { throw .invalidPath(path: shown) }
    let operations = RetriedOperations(operations)
    do throws(SystemCallError) {
      let descriptor = try operations.openPath(bytes, flags: O_RDONLY | O_DIRECTORY)
      do throws(SystemCallError) {
        let owner = try operations.state(of: descriptor).owner
        return Directory(
          descriptor: descriptor, path: shown, operations: operations, folderOwner: owner)
      } catch {
        close(descriptor)
        throw error
      }
    } catch {
      if error.number == ENOTDIR || error.number == ELOOP,
        // The numbers say of a directory, too, that it cannot be looked at; an error here says no more.
        let (parent, name) = try? openParent(ofPath: path, operations: operations),
        let found = try? parent.state(of: name), found.kind == .directory
      {
        throw .system(path: shown, action: .open, number: error.number)
      }
      throw FileError(error, .open, shown)
    }
  }

  /// Opens the directory at a path the user gave to write to; nil if nothing is there, and the error
  /// is `inTheWay` if something else is.
  package static func openTarget(
    path: String, operations: any FileOperations = SystemFileOperations()
  ) throws(FileError) -> Directory? {
    do throws(FileError) { return try open(path: path, operations: operations) } catch {
      switch error {
      case .missing: return nil
      case .wrongKind(let path, _, let found): throw .inTheWay(path: path, found: found)
      default: throw error
      }
    }
  }

  /// Opens the directory that holds the entry at a path the user gave, and returns that entry's
  /// name; links in the path of the directory are followed, the entry itself need not exist.
  package static func openParent(
    ofPath path: String, operations: any FileOperations = SystemFileOperations()
  ) throws(FileError)
    -> (directory: Directory, name: FileName)
  {
    var bytes = Array(path.utf8)
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
    let last = slash.map { Array(bytes[($0 + 1)...]) } ?? bytes
    guard let name = FileName(last) else {
      throw .invalidPath(path: DisplayText.escaping(path.utf8))
    }
    let parent =
      switch slash {
      case nil: "."
      case 0: "/"
      case .some(let slash): String(decoding: bytes[..<slash], as: UTF8.self)
      }
    return (try open(path: parent, operations: operations), name)
  }

  /// Opens the directory `name` in this one.
  package func openDirectory(_ name: FileName) throws(FileError) -> Directory {
    do {
      let descriptor = try operations.open(name, in: self.descriptor, flags: O_RDONLY | O_DIRECTORY)
      return Directory(
        descriptor: descriptor, path: path(of: name), operations: operations,
        folderOwner: folderOwner)
    } catch {
      // A link is reported as ENOTDIR or ELOOP, depending on the system.
      if error.number == ENOTDIR || error.number == ELOOP {
        let found: FileKind
        // The numbers say of what is a directory, or of what nobody sees, that it cannot be looked at.
        do { found = try operations.state(of: name, in: self.descriptor).kind } catch {
          throw .system(path: path(of: name), action: .open, number: error.number)
        }
        if found == .directory {
          throw .system(path: path(of: name), action: .open, number: error.number)
        }
        throw .wrongKind(path: path(of: name), expected: .directory, found: found)
      }
      throw FileError(error, .open, path(of: name))
    }
  }

  /// Opens the directory at `path` below this one, name by name; the empty path opens this one.
  package func openDirectory(_ path: RelativePath) throws(FileError) -> Directory {
    var directory = self
    for name in path.components { directory = try directory.openDirectory(name) }
    return directory
  }

  /// Opens the directory at `path` below this one, nil if there is none.
  package func openDirectoryIfPresent(_ path: RelativePath) throws(FileError) -> Directory? {
    do throws(FileError) {
      return try openDirectory(path)
    } catch {
      if case .missing = error { return nil }
      throw error
    }
  }

  /// Opens the directory that holds this one, to look at what lies there; the root holds itself. Steps
  /// out of this one.
  package func parentDirectory() throws(FileError) -> Directory {
    #if canImport(Glibc)
      // Often nobody but root may list the directories around a home. O_PATH needs no permission.
      let flags = Int32(openToLookOnly) | O_DIRECTORY
    #else
      let flags = O_RDONLY | O_DIRECTORY
    #endif
    do throws(SystemCallError) {
      let up = try operations.open(
        FileName(trusted: Array("..".utf8)), in: descriptor, flags: flags)
      return Directory(
        descriptor: up, path: path + "/..", operations: operations, folderOwner: folderOwner)
    } catch {
      throw FileError(error, .open, path + "/..")
    }
  }

  /// Opens the directory that holds `path` and returns the last name, nil for the empty path.
  package func openParent(of path: RelativePath) throws(FileError) -> (Directory, FileName)? {
    guard let parent = path.parent, let name = path.lastComponent else { return nil }
    return (try openDirectory(parent), name)
  }

  /// Creates the directory `name` in this one and opens it; with `orOpen`, opens it if it exists.
  ///
  /// The new name is synchronized before this returns.
  package func createDirectory(_ name: FileName, mode: UInt16 = 0o777, orOpen: Bool = true)
    throws(FileError) -> Directory
  {
    do {
      try operations.makeDirectory(name, in: descriptor, mode: mode)
    } catch {
      guard error.number == EEXIST, orOpen else { throw FileError(error, .create, path(of: name)) }
      do throws(FileError) { return try openDirectory(name) } catch {
        if case .wrongKind(let path, _, let found) = error {
          throw .inTheWay(path: path, found: found)
        }
        throw error
      }
    }
    let created = try openDirectory(name)
    try created.giveToFolderOwner(created.descriptor, path: created.path)
    try synchronize()
    return created
  }

  /// Opens the directory `name` in this one, or creates it; `isNew` says that it was not there.
  package func openOrCreateDirectory(
    _ name: FileName
  ) throws(FileError) -> (directory: Directory, isNew: Bool) {
    do throws(FileError) {
      return (try openDirectory(name), false)
    } catch {
      switch error {
      case .missing: return (try createDirectory(name), true)
      case .wrongKind(let path, _, let found): throw .inTheWay(path: path, found: found)
      default: throw error
      }
    }
  }

  /// Creates the directory `name` in this one, for a copy of somebody's content, and opens it; opens
  /// one that exists, whose permissions are its owner's choice.
  package func createDirectory(
    _ name: FileName, asPrivateAs privacy: Privacy
  ) throws(FileError) -> Directory {
    do throws(FileError) {
      let mode = privacy.directoryMode(group: privacy.owner.group)
      let created = try createDirectory(name, mode: mode, orOpen: false)
      try give(created.descriptor, to: privacy.owner, path: created.path)
      try created.narrow(created.descriptor, path: created.path) {
        privacy.directoryMode(group: $0)
      }
      return created
    } catch {
      guard case .alreadyExists = error else { throw error }
      return try createDirectory(name)
    }
  }

  /// Takes permissions off something open and new that are wider than it may have.
  func narrow(
    _ descriptor: Int32, path: String, to widest: (_ group: UInt32) -> UInt16
  ) throws(FileError) {
    do throws(SystemCallError) {
      let state = try operations.state(of: descriptor)
      let mode = state.mode & widest(state.owner.group)
      if mode != state.mode { try operations.setMode(mode, of: descriptor) }
    } catch {
      throw FileError(error, .setAttributes, path)
    }
  }

  /// Creates the directory `name` in a place nobody reads yet, only for its owner and without
  /// synchronizing it; throws `alreadyExists`.
  package func makeDirectory(_ name: FileName) throws(FileError) {
    do { try operations.makeDirectory(name, in: descriptor, mode: 0o700) } catch {
      throw FileError(error, .create, path(of: name))
    }
  }

  /// Creates the directories of `path` that are missing and opens the last one.
  package func createDirectory(_ path: RelativePath) throws(FileError) -> Directory {
    var directory = self
    for name in path.components { directory = try directory.createDirectory(name) }
    return directory
  }

  /// Makes everything that was created, renamed or removed in this directory last.
  package func synchronize() throws(FileError) {
    do {
      try operations.synchronize(descriptor)
    } catch {
      // Some network and FUSE file systems cannot synchronize directories and say so.
      if error.number == EINVAL || error.number == ENOTSUP { return }
      throw FileError(error, .synchronize, path)
    }
  }

  /// Makes everything on this directory's file system last: one call after thousands of files.
  package func synchronizeFileSystem() throws(FileError) {
    do { try operations.synchronizeFileSystem(descriptor) } catch {
      throw FileError(error, .synchronize, path)
    }
  }

  /// Returns the path of an entry in display form, for messages.
  package func path(of name: FileName) -> String {
    path.hasSuffix("/") ? path + name.description : path + "/" + name.description
  }

  /// Gives an open file to the owner of the folder, if root runs us.
  func giveToFolderOwner(_ descriptor: Int32, path: @autoclosure () -> String) throws(FileError) {
    try give(descriptor, to: folderOwner, path: path())
  }

  /// Gives an open file to somebody, if root runs us.
  func give(_ descriptor: Int32, to owner: FileOwner, path: @autoclosure () -> String)
    throws(FileError)
  {
    guard geteuid() == 0, owner != FileOwner(user: geteuid(), group: getegid()) else { return }
    do { try operations.setOwner(owner, of: descriptor) } catch {
      // File systems without owners (FAT, squashed NFS) refuse; the content matters more.
      if [EPERM, EINVAL, ENOTSUP, ENOSYS].contains(error.number) { return }
      throw FileError(error, .setAttributes, path())
    }
  }
}
