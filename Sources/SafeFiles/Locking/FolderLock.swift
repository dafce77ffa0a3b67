#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The exclusive lock every writer of a folder holds, the app included.
///
/// Released when the last reference goes or the process ends, so a dead process never blocks
/// anyone. The lock file is never removed.
package final class FolderLock: Sendable {
  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Waits for the lock at most `timeoutSeconds`.
  ///
  /// Gives up early, as if the time were over, once `isInterrupted` answers true.
  ///
  /// With `creating`, a missing lock file is made with mode 0666; without, a missing one means that
  /// there is nothing to lock and nil is returned.
  package static func acquire(
    in folder: Directory, name: FileName, timeoutSeconds: Double, creating: Bool,
    isInterrupted: () -> Bool = { false }
  ) throws(FileError) -> FolderLock? {
    var patience = Patience(seconds: timeoutSeconds)
    while true {
      guard let file = try open(name, in: folder, creating: creating) else { return nil }
      // Closed by deinit on every way out but the one that returns it.
      let lock = FolderLock(descriptor: file)
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        // Somebody may have put another file in its place between opening and locking.
        if try lock.isFile(name, in: folder) { return lock }
        continue
      }
      switch errno {
      case EWOULDBLOCK, EINTR: break
      case ENOLCK, ENOTSUP, ENOSYS, EINVAL:
        throw .lockingUnsupported(path: folder.path(of: name))
      default: throw FileError(.last, .lock, folder.path(of: name))
      }
      guard !isInterrupted(), patience.wait() else {
        throw .lockTimeout(path: folder.path(of: name), seconds: timeoutSeconds)
      }
    }
  }

  private static func open(_ name: FileName, in folder: Directory, creating: Bool)
    throws(FileError) -> Int32?
  {
    let operations = folder.operations
    do throws(SystemCallError) {
      // Reading is enough to lock, and the file may belong to another user.
      return try operations.open(name, in: folder.descriptor, flags: O_RDONLY | O_NONBLOCK)
    } catch {
      guard error.number == ENOENT else { throw FileError(error, .open, folder.path(of: name)) }
    }
    return creating ? try create(name, in: folder) : nil
  }

  private static func create(_ name: FileName, in folder: Directory) throws(FileError) -> Int32? {
    let file: Int32
    do throws(SystemCallError) {
      file = try folder.operations.create(
        name, in: folder.descriptor, flags: O_RDWR | O_EXCL, mode: 0o666)
    } catch {
      if error.number == EEXIST { return try open(name, in: folder, creating: false) }
      throw FileError(error, .create, folder.path(of: name))
    }
    do throws(FileError) {
      // Whatever the umask: every user of the folder must be able to lock it.
      do throws(SystemCallError) { try folder.operations.setMode(0o666, of: file) } catch {
        throw FileError(error, .setAttributes, folder.path(of: name))
      }
      try folder.giveToFolderOwner(file, path: folder.path(of: name))
    } catch {
      close(file)
      throw error
    }
    return file
  }

  private func isFile(_ name: FileName, in folder: Directory) throws(FileError) -> Bool {
    do {
      let held = try folder.operations.state(of: descriptor)
      return try folder.operations.state(of: name, in: folder.descriptor).isSameFile(as: held)
    } catch {
      if error.number == ENOENT { return false }
      throw FileError(error, .inspect, folder.path(of: name))
    }
  }
}
