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

  /// Forgets the journal of a run of steps, once every file or document has what it gets.
  func removeStepJournal() throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in
      let state = try openDirectory(FolderNames.state)
      guard let found = try state.stateIfPresent(of: FolderNames.stepJournal) else { return }
      try state.removeFile(FolderNames.stepJournal, ifUnchangedSince: found)
      try state.synchronize()
    }
  }
}
