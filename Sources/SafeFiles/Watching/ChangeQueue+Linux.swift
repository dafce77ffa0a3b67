#if canImport(Glibc)
  import Glibc

  /// The system's queue of changes in directories: inotify.
  ///
  /// Not recursive: every directory is added on its own. A record of it is
  /// `[4 watch][4 mask][4 cookie][4 length][name, zeros]`.
  final class ChangeQueue {
    /// One watched directory; the same for the same directory, however often it is added.
    typealias Watch = Int32

    private static let ofInterest =
      UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)
      | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF) | UInt32(IN_ONLYDIR)
    private static let headerSize = MemoryLayout<inotify_event>.size
    /// Room for many records; the longest has a header, 255 bytes of name and zeros.
    private static let bufferSize = 65_536

    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: bufferSize)

    init(path: String) throws(FileError) {
      descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else {
        if errno == EMFILE {
          throw .watchLimit(path: path, limit: "fs.inotify.max_user_instances or ulimit -n")
        }
        throw FileError(.last, .watch, path)
      }
    }

    deinit { close(descriptor) }

    /// Watches an open directory; the watch stays when the descriptor is closed.
    func add(_ directory: Int32) throws(SystemCallError) -> Watch {
      // By descriptor, because a path could meanwhile lead through a link.
      // SAFETY: the string is only used during the call.
      let watch = unsafe inotify_add_watch(
        descriptor, "/proc/self/fd/\(directory)", Self.ofInterest)
      guard watch >= 0 else { throw .last }
      return watch
    }

    /// Forgets a directory; one that was removed is forgotten already.
    func remove(_ watch: Watch) { _ = inotify_rm_watch(descriptor, watch) }

    /// Returns the name of the setting that an error of `add` hit, nil if it was something else.
    static func limit(behind error: SystemCallError) -> String? {
      error.number == ENOSPC ? "fs.inotify.max_user_watches" : nil
    }

    /// Waits for news, at most so long or until a signal comes, and takes all there is.
    func news(waitingMilliseconds: Int) throws(SystemCallError) -> News {
      var news = News()
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // SAFETY: poll reads and fills the one structure it is told about.
      let ready = unsafe poll(&request, 1, Int32(clamping: waitingMilliseconds))
      guard ready > 0 else {
        if ready < 0, errno != EINTR { throw .last }
        return news
      }
      while true {
        let count = buffer.count
        // SAFETY: at most `count` bytes are written into the buffer, which has them.
        let length = unsafe buffer.withUnsafeMutableBytes {
          unsafe SystemFileOperations.read(descriptor, $0.baseAddress, count)
        }
        if length > 0 {
          take(length, into: &news)
        } else if length == 0 || errno == EAGAIN {
          return news
        } else if errno != EINTR {
          throw .last
        }
      }
    }

    private func take(_ length: Int, into news: inout News) {
      // SAFETY: the kernel writes whole records only; each is inside the `length` bytes it filled.
      unsafe buffer.withUnsafeBytes { bytes in
        var position = 0
        while position + Self.headerSize <= length {
          let event = unsafe bytes.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
          let name = position + Self.headerSize
          let isHidden = unsafe event.len > 0 && bytes[name] == UInt8(ascii: ".")
          if !isHidden { Self.note(event.mask, in: &news) }
          position = name + Int(event.len)
        }
      }
    }

    private static func note(_ mask: UInt32, in news: inout News) {
      // The watch that we removed ourselves, or that went with its directory: told otherwise.
      if mask & UInt32(IN_IGNORED) != 0 { return }
      news.isChanged = true
      // After an overflow nobody knows what happened.
      let structural = UInt32(IN_ISDIR) | UInt32(IN_Q_OVERFLOW) | UInt32(IN_DELETE_SELF)
      if mask & structural != 0 { news.mayHaveNewDirectories = true }
    }
  }
#endif
