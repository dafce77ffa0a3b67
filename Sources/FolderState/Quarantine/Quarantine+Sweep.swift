package import Backups
package import Diagnostics
import Folders
package import SafeFiles

extension Quarantine {
  /// Removes what is of no use to anybody: temporaries that interrupted runs left, runs that hold no
  /// file any more or never held one, and manifests without a run whose files are all in the folder.
  ///
  /// Called under the lock. Directories are only removed while they are empty; those that cannot be
  /// looked at keep nobody from working, and are returned as findings.
  package static func sweep(_ folder: Directory) throws(FileError) -> [Finding] {
    guard let state = try folder.openDirectoryIfPresent(RelativePath(FolderNames.state)) else {
      return []
    }
    try state.sweepTemporaries()
    guard let quarantine = try state.openDirectoryIfPresent(RelativePath(FolderNames.quarantine))
    else { return [] }
    let unlisted = try sweep(runsOf: quarantine, at: path) { manifest throws(FileError) in
      try holdsAllFiles(of: manifest, in: quarantine, folder)
    }
    return try unlisted + PurgedMonths.settle(in: folder, quarantine: quarantine)
  }

  /// Removes what a purge has left of a restore's run: directories without a file.
  package static func sweep(
    _ content: ReplacedContent, of folder: Directory
  ) throws(FileError) -> [Finding] {
    let path = RelativePath(FolderNames.quarantine)
    var unlisted: [Finding] = []
    if let quarantine = try content.directory.openDirectoryIfPresent(path) {
      unlisted += try sweep(
        runsOf: quarantine, at: content.path.appending(FolderNames.quarantine)
      ) { _ in true }
      // Nobody asks this one what was ever imported.
      for entry in try quarantine.entries() where entry.name.hasSuffix(PurgedMonths.suffix) {
        try quarantine.removeFile(
          entry.name, ifUnchangedSince: try quarantine.state(of: entry.name))
      }
    }
    guard let (restores, name) = try folder.openParent(of: content.path) else { return unlisted }
    _ = try removeIfWithoutFiles(name, in: restores, at: content.path, noting: &unlisted)
    try restores.synchronize()
    return unlisted
  }

  /// Whether every file that a manifest lists is in the folder, where it stayed or came back to, or was
  /// what a purge was at that died. Else the manifest is all that tells of it.
  private static func holdsAllFiles(
    of manifest: FileName, in quarantine: Directory, _ folder: Directory
  ) throws(FileError) -> Bool {
    var reader = try QuarantineManifestReader(manifest, in: quarantine)
    if reader.isBeingPurged { return true }
    while let entry = try reader.next() {
      if try folder.stateIfPresent(of: entry.path) == nil { return false }
    }
    return true
  }

  private static func sweep(
    runsOf quarantine: Directory, at path: RelativePath,
    isUseless: (_ manifest: FileName) throws(FileError) -> Bool
  ) throws(FileError) -> [Finding] {
    var unlisted: [Finding] = []
    try quarantine.sweepTemporaries()
    var manifests: [FileName: FileState] = [:]
    var runs: [FileName] = []
    for entry in try quarantine.entries() {
      if entry.kind == .directory {
        let isGone = try removeIfWithoutFiles(
          entry.name, in: quarantine, at: path.appending(entry.name), noting: &unlisted)
        if !isGone { runs.append(entry.name) }
      } else if QuarantineManifest.run(ofManifest: entry.name) != nil {
        manifests[entry.name] = try quarantine.state(of: entry.name)
      }
    }
    for run in runs { QuarantineManifest.name(of: run).map { manifests[$0] = nil } }
    for (manifest, state) in manifests {
      do throws(FileError) {
        guard try isUseless(manifest) else { continue }
      } catch {
        unlisted.append(.unlisted(path.appending(manifest), because: error))
        continue
      }
      try quarantine.removeFile(manifest, ifUnchangedSince: state)
    }
    try quarantine.synchronize()
    return unlisted
  }

  /// Removes a directory if there is no file in it or below it; returns whether it is gone.
  private static func removeIfWithoutFiles(
    _ name: FileName, in parent: Directory, at path: RelativePath, noting unlisted: inout [Finding]
  ) throws(FileError) -> Bool {
    let directory: Directory
    let entries: [DirectoryEntry]
    do throws(FileError) {
      directory = try parent.openDirectory(name)
      entries = try directory.entries()
    } catch {
      unlisted.append(.unlisted(path, because: error))
      return false
    }
    for entry in entries {
      // The first file ends the search, so that a large quarantine costs no more than a small one.
      guard entry.kind == .directory,
        try removeIfWithoutFiles(
          entry.name, in: directory, at: path.appending(entry.name), noting: &unlisted)
      else { return false }
    }
    do throws(FileError) {
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
