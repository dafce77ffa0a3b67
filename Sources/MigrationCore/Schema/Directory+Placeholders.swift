import Folders
import Runs
import SafeFiles

extension Directory {
  /// Whether a sync service has what is at a path, and this device has not.
  func hasPlaceholder(of path: RelativePath) throws(MigrationError) -> Bool {
    guard let name = path.lastComponent, let parent = path.parent,
      let placeholder = FileName(FolderNames.placeholder(for: name.bytes.span))
    else { return false }
    return try MigrationError.wrapping { () throws(FileError) in
      try stateIfPresent(of: parent.appending(placeholder)) != nil
    }
  }
}
