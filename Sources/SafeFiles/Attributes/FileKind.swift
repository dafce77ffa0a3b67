#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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
