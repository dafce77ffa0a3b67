import Foundation

/// Holds the app's lock on a folder as another process would, until it is let go of.
///
/// A lock belongs to an opening of the file, so the commands under test see the lock of this
/// process like anybody else's.
final class FolderLockHolder {
  static let name = ".minuta.writelock.nosync"

  private let descriptor: Int32

  /// Waits for the lock, creating its file as the app does.
  init(_ folder: URL) throws {
    // SAFETY: the path outlives the call, which keeps no pointer.
    descriptor = unsafe open(folder.appending(path: Self.name).path, O_RDWR | O_CREAT, 0o666)
    guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
      throw CocoaError(.fileLocking)
    }
  }

  deinit { close(descriptor) }
}
