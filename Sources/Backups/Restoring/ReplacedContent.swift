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
      let run = try place.openDirectory(entry.name)
      // A living restore holds the lock on its run, which is empty at first.
      guard run.tryLock() else { continue }
      let names = try run.entries().map(\.name)
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
