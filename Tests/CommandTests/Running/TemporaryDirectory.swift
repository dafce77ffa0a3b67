import Foundation

/// A directory of its own for one test, gone when the test lets go of it.
final class TemporaryDirectory {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "automerge-migrate-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A directory left behind is the system's to clean.
    try? FileManager.default.removeItem(at: url)
  }
}
