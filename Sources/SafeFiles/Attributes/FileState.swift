#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the file system says about an entry at one moment.
package struct FileState: Sendable {
  // In an order that leaves no room between them: there may be one for every file of a folder.

  /// Its length in bytes; for a symbolic link, the length of its target.
  package var size: Int64
  /// The file system it lives on.
  package var device: UInt64
  /// Its number on that file system.
  package var inode: UInt64
  /// How many blocks of 512 bytes hold it; zero with a size above zero is a placeholder on macOS.
  package var allocatedBlocks: Int64
  /// When its content last changed.
  package var modified: FileTime
  /// What it is.
  package var kind: FileKind
  /// Its permission bits, set-user-id, set-group-id and sticky included.
  package var mode: UInt16
  /// When its content, or anything else that is said of it here, last changed: nobody sets that back.
  package let changed: FileTime
  /// How many names it has.
  package var linkCount: UInt32
  /// The numeric user and group.
  package var owner: FileOwner

  init(_ state: stat) {
    kind = FileKind(mode: state.st_mode)
    size = Int64(state.st_size)
    #if canImport(Darwin)
      modified = FileTime(state.st_mtimespec)
      changed = FileTime(state.st_ctimespec)
    #else
      modified = FileTime(state.st_mtim)
      changed = FileTime(state.st_ctim)
    #endif
    mode = UInt16(truncatingIfNeeded: state.st_mode & 0o7777)
    owner = FileOwner(user: state.st_uid, group: state.st_gid)
    device = UInt64(truncatingIfNeeded: state.st_dev)
    inode = UInt64(state.st_ino)
    linkCount = UInt32(clamping: state.st_nlink)
    allocatedBlocks = Int64(state.st_blocks)
  }

  /// The seconds of the latest time of a change.
  var lastTime: Int64 { max(modified.seconds, changed.seconds) }

  /// Returns whether nothing says that the content changed since `earlier`: same file, same size,
  /// same modification time.
  package func isUnchanged(since earlier: FileState) -> Bool {
    kind == earlier.kind && size == earlier.size && modified == earlier.modified
      && isSameFile(as: earlier)
  }

  /// Returns whether nothing at all was done to the file since `earlier`: besides, the time of the last change
  /// of any kind is the same, which nobody sets back. That a file moved or got another name shows here, too.
  package func isUntouched(since earlier: FileState) -> Bool {
    isUnchanged(since: earlier) && changed == earlier.changed
  }

  /// Returns whether both are the same file, whatever its content.
  package func isSameFile(as other: FileState) -> Bool {
    inode == other.inode && device == other.device
  }
}

extension FileState: Hashable {
  /// What is compared: all but the time of the last change, which a link or a move changes, too.
  private var compared: Compared {
    Compared(
      kind: kind, size: size, modified: modified, mode: mode, owner: owner, device: device,
      inode: inode, linkCount: linkCount, allocatedBlocks: allocatedBlocks)
  }

  private struct Compared: Hashable {
    let kind: FileKind
    let size: Int64
    let modified: FileTime
    let mode: UInt16
    let owner: FileOwner
    let device: UInt64
    let inode: UInt64
    let linkCount: UInt32
    let allocatedBlocks: Int64
  }

  package static func == (left: FileState, right: FileState) -> Bool {
    left.compared == right.compared
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(compared) }
}

/// What a directory entry is. Nothing is looked at through a symbolic link.
package enum FileKind: UInt8, Hashable, Sendable {
  case regular
  case directory
  case symbolicLink
  case namedPipe
  case socket
  case characterDevice
  case blockDevice
  case unknown

  /// The kind in words, as messages show it.
  package var name: String {
    switch self {
    case .regular: "file"
    case .directory: "directory"
    case .symbolicLink: "symbolic link"
    case .namedPipe: "named pipe"
    case .socket: "socket"
    case .characterDevice: "character device"
    case .blockDevice: "block device"
    case .unknown: "unknown kind of file"
    }
  }

  init(mode: mode_t) {
    self =
      switch mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFIFO: .namedPipe
      case S_IFSOCK: .socket
      case S_IFCHR: .characterDevice
      case S_IFBLK: .blockDevice
      default: .unknown
      }
  }

  /// Takes `d_type` of a directory entry; some file systems always say unknown.
  init(entryType: UInt8) {
    self =
      switch Int(entryType) {
      case Int(DT_REG): .regular
      case Int(DT_DIR): .directory
      case Int(DT_LNK): .symbolicLink
      case Int(DT_FIFO): .namedPipe
      case Int(DT_SOCK): .socket
      case Int(DT_CHR): .characterDevice
      case Int(DT_BLK): .blockDevice
      default: .unknown
      }
  }
}

/// A point in time as file systems keep it: seconds since 1970 and nanoseconds.
package struct FileTime: Comparable, Hashable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00Z, negative before.
  package var seconds: Int64
  /// Nanoseconds after `seconds`, 0 to 999,999,999.
  package var nanoseconds: Int32

  /// Creates a time from its parts.
  package init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: timespec) {
    seconds = Int64(time.tv_sec)
    nanoseconds = Int32(truncatingIfNeeded: time.tv_nsec)
  }

  var timespec: timespec {
    var time = Self.emptyTimespec
    time.tv_sec = Int(seconds)
    time.tv_nsec = Int(nanoseconds)
    return time
  }

  package static func < (left: FileTime, right: FileTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }

  #if canImport(Glibc)
    private static var emptyTimespec: Glibc.timespec { Glibc.timespec() }
  #elseif canImport(Darwin)
    private static var emptyTimespec: Darwin.timespec { Darwin.timespec() }
  #endif
}

/// The user and group a file belongs to.
package struct FileOwner: Hashable, Sendable {
  /// The numeric user.
  package var user: UInt32
  /// The numeric group.
  package var group: UInt32

  /// Creates an owner from its numbers.
  package init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }
}

/// A file as it was when it was read: what the system said about it, and what it held.
package struct FileVersion: Hashable, Sendable {
  /// What the system said.
  package var state: FileState
  /// The hash of its bytes, which no clock and no program that sets times can keep from changing.
  package var hash: ContentHash

  /// Creates a version from what one read gave.
  package init(state: FileState, hash: ContentHash) {
    self.state = state
    self.hash = hash
  }
}

/// Who may reach what is made of somebody's content: nobody who may not reach that content itself.
package struct Privacy: Hashable, Sendable {
  private var mode: UInt16
  private let isDirectory: Bool
  /// Who owns the content.
  package let owner: FileOwner

  /// The privacy of what has this state: a folder, or a single file.
  package init(of state: FileState) {
    mode = state.mode & 0o777
    isDirectory = state.kind == .directory
    owner = state.owner
  }

  /// The privacy of what is made of this and of something else.
  package func narrowed(by other: Privacy) -> Privacy {
    var narrowed = self
    narrowed.mode &= other.mode
    return narrowed
  }

  /// The widest permissions of a file that belongs to `group`; its owner can always read and write.
  func fileMode(group: UInt32) -> UInt16 { mode(group: group) & 0o666 | 0o600 }

  /// The widest permissions of a directory that belongs to `group`; its owner can always work in it.
  func directoryMode(group: UInt32) -> UInt16 {
    let mode = mode(group: group)
    // Who may read a file may enter a directory of such files.
    return (isDirectory ? mode : mode & 0o666 | (mode & 0o444) >> 2) | 0o700
  }

  /// To another group than that of the content its members are like everybody.
  private func mode(group: UInt32) -> UInt16 {
    group == owner.group ? mode : mode & 0o707 | (mode & 0o007) << 3 & mode
  }
}
