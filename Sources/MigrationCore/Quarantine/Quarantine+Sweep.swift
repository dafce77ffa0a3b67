import Backups
import Folders
import SafeFiles

extension Quarantine {
  /// Removes what is of no use to anybody: temporaries that interrupted runs left, runs that hold no
  /// file any more or never held one, and manifests without a run, unless a purge has kept them.
  ///
  /// Called under the lock. Directories are only removed while they are empty.
  static func sweep(_ folder: Directory) throws(FileError) {
    guard let state = try folder.openDirectoryIfPresent(RelativePath(FolderNames.state)) else {
      return
    }
    try state.sweepTemporaries()
    guard let quarantine = try state.openDirectoryIfPresent(RelativePath(FolderNames.quarantine))
    else { return }
    try sweep(runsOf: quarantine)
    try PurgedMonths.settle(in: folder, quarantine: quarantine)
  }

  /// Removes what a purge has left of a restore's run: directories without a file.
  static func sweep(_ content: ReplacedContent, of folder: Directory) throws(FileError) {
    let quarantine = RelativePath(FolderNames.quarantine)
    if let quarantine = try content.directory.openDirectoryIfPresent(quarantine) {
      try sweep(runsOf: quarantine)
      // Nobody asks this one what was ever imported.
      for entry in try quarantine.entries() where entry.name.hasSuffix(PurgedMonths.suffix) {
        try quarantine.removeFile(
          entry.name, ifUnchangedSince: try quarantine.state(of: entry.name))
      }
    }
    guard let (restores, name) = try folder.openParent(of: content.path) else { return }
    _ = try removeIfWithoutFiles(name, in: restores)
    try restores.synchronize()
  }

  private static func sweep(runsOf quarantine: Directory) throws(FileError) {
    try quarantine.sweepTemporaries()
    var manifests: [FileName: FileState] = [:]
    var runs: [FileName] = []
    for entry in try quarantine.entries() {
      if entry.kind == .directory {
        if try !removeIfWithoutFiles(entry.name, in: quarantine) { runs.append(entry.name) }
      } else if entry.name.hasSuffix(QuarantineManifest.suffix),
        !entry.name.hasSuffix(PurgedMonths.suffix)
      {
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
    do throws(FileError) {
      let directory = try parent.openDirectory(name)
      for entry in try directory.entries() {
        // The first file ends the search, so that a large quarantine costs no more than a small one.
        guard entry.kind == .directory, try removeIfWithoutFiles(entry.name, in: directory) else {
          return false
        }
      }
      // What was restored and set aside again may be in a directory nobody writes to.
      try parent.makeWritable()
      try parent.removeEmptyDirectory(name)
      return true
    } catch {
      // What somebody else owns stays, and keeps nobody from working.
      guard case .permissionDenied = error else { throw error }
      return false
    }
  }
}
