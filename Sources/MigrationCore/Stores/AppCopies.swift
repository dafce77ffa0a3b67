import Diagnostics
import SafeFiles
import SwiftDataStores

/// Copies of stores that apps make, in directories called `Backups`: what they hold is in the stores, or
/// is gone from them, and is no data besides.
enum AppCopies {
  /// What apps call such a directory.
  static let directoryNames: [FileName] = ["Backups", "backups"]

  /// Takes the copies from what was found in and below a directory, and tells of each.
  static func takeOut(of found: inout StoreFinder.Found) -> [Finding] {
    guard !found.isFile else { return [] }
    // What is left of a copy is no data either.
    found.missing.removeAll(where: isCopy)
    found.links.removeAll(where: isInCopies)
    let copies = found.stores.filter(isCopy) + found.others.filter(isCopy)
    guard !copies.isEmpty else { return [] }
    found.stores.removeAll(where: isCopy)
    found.others.removeAll(where: isCopy)
    return copies.map { copy in
      Finding(
        .appCopy, .info, path: copy.path,
        message: "is a copy that the app made: it is no data, and left out",
        next: "give it by its own path to look at it; restore-backup brings it back")
    }
  }

  private static func isCopy(_ files: StoreFiles) -> Bool { isInCopies(files.path) }

  private static func isInCopies(_ path: String) -> Bool {
    path.split(separator: "/").dropLast().contains { part in
      directoryNames.contains { $0.description == part }
    }
  }
}
