import Diagnostics
import SwiftDataStores

extension StoreFinder.Found {
  /// Tells of each store whose database is gone or only a link: nothing of it is read.
  ///
  /// - Parameter place: the directory that was given, for commands.
  func lost(at place: String) -> [Finding] {
    let recover = NextCommand(.recoverFolder, [place])
    let gone = missing.map { files in
      Finding(
        .missingStore, .error, path: files.path,
        message: "the database is gone, and what was beside it is there: the newest rows may be in "
          + "that",
        next: "keep what is left, and bring the store back from a backup: \(recover.shellText)",
        command: recover)
    }
    return gone
      + links.sorted().map { path in
        Finding(
          .symbolicLink, .error, path: path,
          message: "is a link that is called a store, and is not followed: nothing of it is read",
          next: "give the store that it leads to by its own path")
      }
  }
}
