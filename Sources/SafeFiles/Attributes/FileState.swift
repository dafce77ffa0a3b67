#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the file system says about an entry at one moment.
package struct FileState: Hashable, Sendable {
  /// What it is.
  package var kind: FileKind
  /// Its length in bytes; for a symbolic link, the length of its target.
  package var size: Int64
  /// When its content last changed.
  package var modified: FileTime
  /// Its permission bits, set-user-id, set-group-id and sticky included.
  package var mode: UInt16
  /// The numeric user and group.
  package var owner: FileOwner
  /// The file system it lives on.
  package var device: UInt64
  /// Its number on that file system.
  package var inode: UInt64
  /// How many names it has.
  package var linkCount: Int
  /// How many blocks of 512 bytes hold it; zero with a size above zero is a placeholder on macOS.
  package var allocatedBlocks: Int64

  init(_ state: stat) {
    kind = FileKind(mode: state.st_mode)
    size = Int64(state.st_size)
    #if canImport(Darwin)
      modified = FileTime(state.st_mtimespec)
    #else
      modified = FileTime(state.st_mtim)
    #endif
    mode = UInt16(truncatingIfNeeded: state.st_mode & 0o7777)
    owner = FileOwner(user: state.st_uid, group: state.st_gid)
    device = UInt64(truncatingIfNeeded: state.st_dev)
    inode = UInt64(state.st_ino)
    linkCount = Int(state.st_nlink)
    allocatedBlocks = Int64(state.st_blocks)
  }

  /// Returns whether nothing says that the content changed since `earlier`: same file, same size,
  /// same modification time.
  package func isUnchanged(since earlier: FileState) -> Bool {
    kind == earlier.kind && size == earlier.size && modified == earlier.modified
      && isSameFile(as: earlier)
  }

  /// Returns whether both are the same file, whatever its content.
  package func isSameFile(as other: FileState) -> Bool {
    inode == other.inode && device == other.device
  }
}
