#if canImport(Darwin)
  import Darwin

  /// The system's queue of changes in directories: kqueue.
  ///
  /// Not recursive, and it tells that a directory got, lost or renamed an entry, not which. A
  /// watched directory stays open, so that the limit is the number of open files.
  final class ChangeQueue {
    /// One watched directory; the same for the same directory, however often it is added.
    struct Watch: Hashable {
      fileprivate let device: UInt64
      fileprivate let inode: UInt64
    }

    private let queue: Int32
    private var open: [Watch: Int32] = [:]

    init(path: String) throws(FileError) {
      queue = kqueue()
      guard queue >= 0 else {
        if errno == EMFILE { throw .watchLimit(path: path, limit: Self.openFiles) }
        throw FileError(.last, .watch, path)
      }
    }

    deinit {
      for descriptor in open.values { close(descriptor) }
      close(queue)
    }

    /// Watches an open directory; the watch stays when the descriptor is closed.
    func add(_ directory: Int32) throws(SystemCallError) -> Watch {
      let state = try SystemFileOperations().state(of: directory)
      let watch = Watch(device: state.device, inode: state.inode)
      if open[watch] != nil { return watch }
      let own = fcntl(directory, F_DUPFD_CLOEXEC, 0)
      guard own >= 0 else { throw .last }
      var change = Darwin.kevent()
      change.ident = UInt(own)
      change.filter = Int16(EVFILT_VNODE)
      change.flags = UInt16(EV_ADD) | UInt16(EV_CLEAR)
      change.fflags = UInt32(NOTE_WRITE) | UInt32(NOTE_EXTEND) | UInt32(NOTE_DELETE)
      // SAFETY: kevent reads the one change and fills no event.
      guard unsafe kevent(queue, &change, 1, nil, 0, nil) >= 0 else {
        let error = SystemCallError.last
        close(own)
        throw error
      }
      open[watch] = own
      return watch
    }

    /// Forgets a directory; closing it removes it from the queue.
    func remove(_ watch: Watch) {
      if let descriptor = open.removeValue(forKey: watch) { close(descriptor) }
    }

    /// Returns the name of the setting that an error of `add` hit, nil if it was something else.
    static func limit(behind error: SystemCallError) -> String? {
      error.number == EMFILE || error.number == ENFILE ? openFiles : nil
    }

    /// Waits for news, at most so long or until a signal comes, and takes all there is.
    func news(waitingMilliseconds: Int) throws(SystemCallError) -> News {
      var news = News()
      var wait = timespec(
        tv_sec: waitingMilliseconds / 1000, tv_nsec: waitingMilliseconds % 1000 * 1_000_000)
      let room = 64
      var events = [Darwin.kevent](repeating: Darwin.kevent(), count: room)
      while true {
        // SAFETY: kevent fills at most `room` events of the array, which has them.
        let count = unsafe kevent(queue, nil, 0, &events, Int32(room), &wait)
        if count < 0, errno != EINTR { throw .last }
        if count > 0 { news = News(isChanged: true, mayHaveNewDirectories: true) }
        if count < room { return news }
        wait = timespec(tv_sec: 0, tv_nsec: 0)
      }
    }

    private static let openFiles = "the number of open files (ulimit -n)"
  }
#endif
