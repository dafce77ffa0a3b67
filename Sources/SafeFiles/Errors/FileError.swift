package import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why the file system did not do what was asked. Paths are in display form.
package enum FileError: DiagnosableError, Hashable {
  /// There is nothing at this path.
  case missing(path: String)
  /// Something is there, and nothing is ever replaced by this call.
  case alreadyExists(path: String)
  /// What is to be read is of another kind than the call can work with.
  case wrongKind(path: String, expected: FileKind, found: FileKind)
  /// Something of another kind is where a file or directory is to be made.
  case inTheWay(path: String, found: FileKind)
  /// The permissions, or a read-only file system, do not allow it.
  case permissionDenied(path: String, action: FileAction)
  /// A mark of the file system keeps everybody from moving it.
  case immutable(path: String)
  /// No space, quota or file numbers are left.
  case diskFull(path: String, action: FileAction)
  /// What is to be written would take more space than there is; nothing of it was written.
  case notEnoughSpace(path: String, needed: Int64, available: Int64)
  /// The file would be longer than the file system or a limit of the process allows.
  case tooLargeToWrite(path: String)
  /// The device failed.
  case inputOutput(path: String, action: FileAction, number: Int32)
  /// The file is longer than the caller accepts.
  case tooLarge(path: String, size: Int64, limit: Int64)
  /// A line of a file of our own is not what was written.
  case damagedLine(path: String, line: Int)
  /// The file moved or changed between being opened and being read to its end.
  case changedWhileRead(path: String)
  /// The file is not the one that was read before, so it is not replaced or removed.
  case changedSince(path: String)
  /// Bytes read back from disk differ from those written.
  case writtenBytesDiffer(path: String)
  /// Somebody else holds the lock: `holder`, in words, if the system says who.
  case lockTimeout(path: String, seconds: Double, holder: String?)
  /// The file system has no working locks.
  case lockingUnsupported(path: String)
  /// More directories than the named setting allows would have to be watched.
  case watchLimit(path: String, limit: String)
  /// The text is no path: empty, or with a zero byte.
  case invalidPath(path: String)
  /// Any other refusal of the operating system.
  case system(path: String, action: FileAction, number: Int32)

  init(_ error: SystemCallError, _ action: FileAction, _ path: @autoclosure () -> String) {
    let path = path()
    self =
      switch error.number {
      case ENOENT: .missing(path: path)
      case EEXIST, ENOTEMPTY: .alreadyExists(path: path)
      case ELOOP: .wrongKind(path: path, expected: .regular, found: .symbolicLink)
      case ENOTDIR: .wrongKind(path: path, expected: .directory, found: .unknown)
      case EISDIR where action == .create || action == .rename:
        .inTheWay(path: path, found: .directory)
      case EISDIR: .wrongKind(path: path, expected: .regular, found: .directory)
      case EACCES, EPERM, EROFS: .permissionDenied(path: path, action: action)
      case ENOSPC, EDQUOT: .diskFull(path: path, action: action)
      case EFBIG: .tooLargeToWrite(path: path)
      case EIO, ENXIO: .inputOutput(path: path, action: action, number: error.number)
      default: .system(path: path, action: action, number: error.number)
      }
  }

  /// What `number`, an `errno` another library met while it did `action` to `path`, means.
  package init(number: Int32, _ action: FileAction, _ path: String) {
    self.init(SystemCallError(number: number), action, path)
  }

  /// The path the error is about, in display form.
  package var path: String {
    switch self {
    case .missing(let path), .alreadyExists(let path), .wrongKind(let path, _, _),
      .inTheWay(let path, _),
      .permissionDenied(let path, _), .immutable(let path), .diskFull(let path, _),
      .notEnoughSpace(let path, _, _),
      .tooLargeToWrite(let path),
      .inputOutput(let path, _, _),
      .tooLarge(let path, _, _), .damagedLine(let path, _),
      .changedWhileRead(let path), .changedSince(let path),
      .writtenBytesDiffer(let path), .lockTimeout(let path, _, _), .lockingUnsupported(let path),
      .watchLimit(let path, _),
      .invalidPath(let path),
      .system(let path, _, _):
      path
    }
  }

  package var diagnostic: Diagnostic {
    switch self {
    case .missing(let path):
      Diagnostic(.missingInput, subject: path, problem: "no such file or directory")
    case .alreadyExists(let path):
      Diagnostic(.cannotCreate, subject: path, problem: "already exists and is not replaced")
    case .wrongKind(let path, let expected, let found):
      Diagnostic(
        .missingInput, subject: path,
        problem: found == .unknown
          ? "is not a \(expected.name)" : "is a \(found.name), expected a \(expected.name)",
        remedy: found == .symbolicLink ? "give the place the link points to" : nil)
    case .inTheWay(let path, let found):
      Diagnostic(
        .cannotCreate, subject: path,
        problem: found == .unknown
          ? "is something else than what is to be written there, and is not replaced"
          : "is a \(found.name) and is not replaced",
        remedy: "move it elsewhere, or choose another place")
    case .permissionDenied(let path, let action):
      Diagnostic(
        .permissionDenied, subject: path, problem: "no permission to \(action.rawValue) it",
        remedy: "run as the owner of the folder, or change its permissions")
    case .immutable(let path):
      Diagnostic(
        .permissionDenied, subject: path, problem: "is marked so that nobody can move it",
        remedy: "remove the mark (chattr -i, on a Mac chflags nouchg)")
    case .diskFull(let path, let action):
      Diagnostic(
        .inputOutput, subject: path, problem: "disk or quota is full, cannot \(action.rawValue) it",
        remedy: "free some space and run the same command again")
    case .notEnoughSpace(let path, let needed, let available):
      Diagnostic(
        .inputOutput, subject: path,
        problem: "disk or quota is full: needs \(needed.byteCountText), free: "
          + available.byteCountText,
        remedy: "free some space and run the same command again")
    case .tooLargeToWrite(let path):
      Diagnostic(
        .inputOutput, subject: path,
        problem: "would be longer than the file system or the limit on file sizes allows",
        remedy: "raise the limit (see ulimit -f), or write to another file system")
    case .inputOutput(let path, let action, let number):
      Diagnostic(
        .inputOutput, subject: path, problem: "cannot \(action.rawValue) it",
        cause: SystemCallError(number: number).description)
    case .tooLarge(let path, let size, let limit):
      Diagnostic(
        .damagedInput, subject: path,
        problem: "has \(size.counted("byte")), expected at most \(limit.grouped)")
    case .damagedLine(let path, let line):
      Diagnostic(
        .damagedInput, subject: path, problem: "line \(line.grouped) makes no sense",
        remedy: "bring it back from a backup, or move it out of the folder")
    case .changedWhileRead(let path):
      Diagnostic(
        .busy, subject: path, problem: "changed while it was read",
        remedy: "wait until the app and the sync service are done, then run again")
    case .changedSince(let path):
      Diagnostic(
        .busy, subject: path, problem: "changed since it was read, left alone",
        remedy: "run the same command again")
    case .writtenBytesDiffer(let path):
      Diagnostic(
        .inputOutput, subject: path, problem: "the bytes read back differ from those written",
        remedy: "check the disk; nothing was replaced")
    case .lockTimeout(let path, let seconds, let holder):
      Diagnostic(
        .busy, subject: path,
        problem: "locked by \(holder ?? "another program") for "
          + Int64(max(0, min(seconds, 1e9)).rounded()).counted("second"),
        remedy: "close the app, or wait until the other command is done")
    case .lockingUnsupported(let path):
      Diagnostic(
        .featureAbsent, subject: path, problem: "this file system has no working locks",
        remedy: "copy the folder to a local disk and work there")
    case .watchLimit(let path, let limit):
      Diagnostic(
        .systemCallFailed, subject: path,
        problem: "cannot be watched, too many directories for \(limit)",
        remedy: "raise that limit, or run the command now and then instead")
    case .invalidPath(let path):
      Diagnostic(.usage, subject: path, problem: "not a usable path")
    case .system(let path, let action, let number):
      Diagnostic(
        .systemCallFailed, subject: path, problem: "cannot \(action.rawValue) it",
        cause: SystemCallError(number: number).description)
    }
  }
}

/// What was being done when a system call failed, as messages say it.
package enum FileAction: String, Hashable, Sendable {
  case open
  case list
  case inspect
  case read
  case create
  case write
  case synchronize
  case rename
  case move
  case remove
  case lock
  case link
  case watch
  case setAttributes = "set the attributes of"
}

/// The error number of a failed system call.
package struct SystemCallError: Error, CustomStringConvertible {
  /// The number, as `errno` has it.
  package let number: Int32

  /// Creates an error.
  package init(number: Int32) { self.number = number }

  /// Takes the number the last system call of this thread left.
  static var last: SystemCallError { SystemCallError(number: errno) }

  package var description: String {
    // SAFETY: strerror returns a string that stays valid until this thread asks again; it is
    // copied at once.
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    // SAFETY: as above.
    return unsafe String(cString: text)
  }
}
