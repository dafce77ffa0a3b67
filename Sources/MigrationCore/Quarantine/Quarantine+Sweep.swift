import Folders
import SafeFiles

extension Quarantine {
  /// Removes what is of no use to anybody: temporaries that interrupted runs left, runs that hold no
  /// file any more or never held one, and manifests without a run.
  ///
  /// Called under the lock. Directories are only removed while they are empty.
  static func sweep(_ folder: Directory) throws(FileError) {
    guard let state = try folder.openDirectoryIfPresent(RelativePath(FolderNames.state)) else {
      return
    }
    try state.sweepTemporaries()
    guard let quarantine = try state.openDirectoryIfPresent(RelativePath(FolderNames.quarantine))
    else { return }
    try quarantine.sweepTemporaries()
    var manifests: [FileName: FileState] = [:]
    var runs: [FileName] = []
    for entry in try quarantine.entries() {
      if entry.kind == .directory {
        if try !removeIfWithoutFiles(entry.name, in: quarantine) { runs.append(entry.name) }
      } else if entry.name.hasSuffix(QuarantineManifest.suffix) {
        manifests[entry.name] = try quarantine.state(of: entry.name)
      }
    }
    for run in runs { QuarantineManifest.name(of: run).map { manifests[$0] = nil } }
    for (manifest, state) in manifests {
      try quarantine.removeFile(manifest, ifUnchangedSince: state)
    }
    try quarantine.synchronize()
  }

  /// Removes a directory if there is no file in it or below it; returns whether it is gone.
  private static func removeIfWithoutFiles(
    _ name: FileName, in parent: Directory
  ) throws(FileError) -> Bool {
    let directory = try parent.openDirectory(name)
    for entry in try directory.entries() {
      // The first file ends the search, so that a large quarantine costs no more than a small one.
      guard entry.kind == .directory, try removeIfWithoutFiles(entry.name, in: directory) else {
        return false
      }
    }
    try parent.removeEmptyDirectory(name)
    return true
  }
}
