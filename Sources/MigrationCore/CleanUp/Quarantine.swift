import Folders
import SafeFiles

/// Where files of a folder go instead of being deleted.
///
/// Each run has a directory of its own below `.automerge-migrate.nosync/quarantine`, in which files
/// keep their relative paths.
enum Quarantine {
  /// One run's directory.
  struct Run: Sendable {
    /// The name of the run: a time, and a counter if there were several in one second.
    var name: FileName
    /// Its path relative to the folder.
    var path: RelativePath
    var directory: Directory
  }

  /// The quarantine's path relative to the folder.
  static let path = RelativePath(FolderNames.state).appending(FolderNames.quarantine)

  /// Returns the runs of a folder's quarantine in the order of their names.
  static func runs(of folder: Directory) throws(MigrationError) -> [Run] {
    do throws(FileError) {
      let directory: Directory
      do throws(FileError) {
        directory = try folder.openDirectory(path)
      } catch {
        if case .missing = error { return [] }
        throw error
      }
      var runs: [Run] = []
      for entry in try directory.entries() where entry.kind == .directory {
        runs.append(
          Run(
            name: entry.name, path: path.appending(entry.name),
            directory: try directory.openDirectory(entry.name)))
      }
      return runs
    } catch {
      throw MigrationError(error)
    }
  }
}
