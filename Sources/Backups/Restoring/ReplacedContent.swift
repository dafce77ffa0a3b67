import Folders
package import SafeFiles

/// What a restore that is done has set aside: the content of the folder before, the quarantine that
/// belonged to it, and what others wrote meanwhile.
package struct ReplacedContent: Sendable {
  /// The name of the restore's run, which begins with its time.
  package let run: FileName
  /// Where the run lies, relative to the folder.
  package let path: RelativePath
  /// The directory of the run.
  package let directory: Directory

  /// Returns what restores of a folder have set aside, in the order of their names; nothing of a
  /// restore that has to be finished first.
  package static func all(of folder: Directory) throws(FileError) -> [ReplacedContent] {
    guard let place = try folder.openDirectoryIfPresent(RestorePlace.path) else { return [] }
    var all: [ReplacedContent] = []
    for entry in try place.entries() where entry.kind == .directory {
      // A restore that ends takes its run away; a living one holds the lock on it, and it is empty at
      // first.
      guard let run = try place.openDirectoryIfPresent(RelativePath(entry.name)), run.tryLock(),
        let names = try run.entriesIfPresent()?.map(\.name)
      else { continue }
      // What else is there says that the restore is not done.
      let setAside = [RestorePlace.old, FolderNames.quarantine, RestorePlace.arrived]
      guard names.allSatisfy({ setAside.contains($0) || $0 == RestorePlace.staging }),
        names.contains(where: setAside.contains)
      else { continue }
      all.append(
        ReplacedContent(
          run: entry.name, path: RestorePlace.path.appending(entry.name), directory: run))
    }
    return all
  }
}

extension Directory {
  /// Returns what is in this directory; nil if it was removed since it was opened.
  fileprivate func entriesIfPresent() throws(FileError) -> [DirectoryEntry]? {
    do throws(FileError) {
      return try entries()
    } catch {
      guard case .missing = error else { throw error }
      return nil
    }
  }
}
