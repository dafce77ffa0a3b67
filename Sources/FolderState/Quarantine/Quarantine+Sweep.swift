package import Backups
package import Diagnostics
package import Folders
package import SafeFiles

extension Quarantine {
  /// Removes what is of no use to anybody: temporaries that interrupted runs left, runs that hold no
  /// file any more or never held one, and manifests without a run whose files are all in the folder.
  ///
  /// Called under the lock. Directories are only removed while they are empty; those that cannot be
  /// looked at keep nobody from working, and are returned as findings.
  package static func sweep(
    _ folder: Directory, as kinds: EntityKinds = .minuta
  ) throws(FileError) -> [Finding] {
    guard let state = try folder.openDirectoryIfPresent(RelativePath(FolderNames.state)) else {
      return []
    }
    try state.sweepTemporaries()
    guard let quarantine = try state.openDirectoryIfPresent(RelativePath(FolderNames.quarantine))
    else { return [] }
    try quarantine.sweepTemporaries()
    let entries = try quarantine.entries()
    var findings = try settleMoving(entries, of: quarantine, in: folder)
    findings += try sweep(entries, of: quarantine, at: path) { manifest throws(FileError) in
      try holdsAllFiles(of: manifest, in: quarantine, folder)
    }
    return try findings + PurgedMonths.settle(in: folder, quarantine: quarantine, as: kinds)
  }

  /// Removes what a purge has left of a restore's run: directories without a file.
  package static func sweep(
    _ content: ReplacedContent, of folder: Directory
  ) throws(FileError) -> [Finding] {
    let path = RelativePath(FolderNames.quarantine)
    var unlisted: [Finding] = []
    if let quarantine = try content.directory.openDirectoryIfPresent(path) {
      try quarantine.sweepTemporaries()
      unlisted += try sweep(
        quarantine.entries(), of: quarantine,
        at: content.path.appending(FolderNames.quarantine)
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
      if try !isThere(entry, in: folder) { return false }
    }
    return true
  }

  /// Whether a file that a manifest lists is in the folder; what stays in the place of one is not it.
  private static func isThere(
    _ entry: QuarantineManifestReader.Entry, in folder: Directory
  ) throws(FileError) -> Bool {
    guard entry.rest != nil else { return try folder.stateIfPresent(of: entry.path) != nil }
    guard try isFile(entry.path, in: folder),
      let (parent, name) = try folder.openParent(of: entry.path)
    else { return false }
    return try parent.hash(of: name) == entry.hash
  }

  private static func sweep(
    _ entries: [DirectoryEntry], of quarantine: Directory, at path: RelativePath,
    isUseless: (_ manifest: FileName) throws(FileError) -> Bool
  ) throws(FileError) -> [Finding] {
    var unlisted: [Finding] = []
    var manifests: [FileName: FileState] = [:]
    var runs: [FileName] = []
    for entry in entries {
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

// Files of which something stayed in the folder when they were moved.
extension Quarantine {
  /// Returns the hashes of what files of a run left in their places, as its manifest tells; none if one
  /// of the lines that tell it is damaged, so that nothing is taken for what it is not.
  package static func rests(
    of run: Run, in folder: Directory
  ) throws(FileError) -> [RelativePath: ContentHash] {
    do throws(FileError) {
      guard let manifest = QuarantineManifest.name(of: run.name), let place = run.path.parent,
        let quarantine = try folder.openDirectoryIfPresent(place)
      else { return [:] }
      var reader = try QuarantineManifestReader(manifest, in: quarantine)
      var rests: [RelativePath: ContentHash] = [:]
      while let entry = try reader.nextWithRest() {
        if let rest = entry.rest { rests[entry.path] = rest }
      }
      return rests
    } catch {
      switch error {
      case .missing, .tooLarge, .damagedLine: return [:]
      default: throw error
      }
    }
  }
}

// Who takes files out of quarantine takes their lines off the manifest of the run. What is listed and gone after
// that went some other way, and is missed.
extension Quarantine {
  /// Marks the manifest of a run as one that a purge is at, before the first of its files goes, so that
  /// none is missed if the purge dies.
  package static func announcePurge(of run: Run, in folder: Directory) throws(FileError) {
    guard let manifest = QuarantineManifest.name(of: run.name) else { return }
    let quarantine = try folder.openDirectory(path)
    guard try quarantine.stateIfPresent(of: manifest) != nil else { return }
    var reader = try QuarantineManifestReader(manifest, in: quarantine)
    guard !reader.isBeingPurged else { return }
    try quarantine.publishLines(as: manifest) { write throws(FileError) in
      try write(QuarantineManifest.marked(reader.line))
      while try reader.next() != nil { try write(reader.line) }
    }
  }

  /// Takes files off the manifests that a purge has unlinked, or one before that died, and the marks of
  /// `announcePurge`.
  ///
  /// Called under the lock. A file counts as purged if it is gone from its run and the backup of the
  /// purge holds its bytes. A manifest that cannot be read or written stays as it is, and is returned
  /// as a finding.
  ///
  /// - Parameters:
  ///   - kept: what is left of each run that the purge has looked at.
  ///   - isOldEnough: whether a run was to be purged; one without a directory has been.
  package static func settlePurged(
    in folder: Directory, heldBy backup: BackedUpFiles, kept: [FileName: Set<RelativePath>],
    isOldEnough: (_ run: FileName) -> Bool
  ) throws(FileError) -> [Finding] {
    guard let quarantine = try folder.openDirectoryIfPresent(path) else { return [] }
    var findings: [Finding] = []
    let entries = try quarantine.entries()
    let directories = Set(entries.lazy.filter { $0.kind == .directory }.map(\.name))
    for entry in entries where entry.kind == .regular {
      guard let run = QuarantineManifest.run(ofManifest: entry.name), isOldEnough(run),
        let kept = kept[run] ?? (directories.contains(run) ? nil : [])
      else { continue }
      do throws(FileError) {
        try remove(from: entry.name, in: quarantine) { file in
          guard !kept.contains(file.path), let hash = file.hash else { return false }
          return backup[file.path]?.hash == hash
        }
      } catch {
        findings.append(.unlisted(path.appending(entry.name), because: error))
      }
    }
    return findings
  }

  /// Takes files off the manifest of a run that were brought back to the folder; all of them once none
  /// is left in the run.
  ///
  /// - Returns: how many files were listed then that are nowhere: a purge that died has unlinked them,
  ///   or somebody else. Nothing tells of them afterwards.
  package static func settleReturned(
    _ returned: Set<RelativePath>, isWhole: Bool, from run: FileName, in folder: Directory
  ) throws(FileError) -> Int {
    guard let manifest = QuarantineManifest.name(of: run),
      let quarantine = try folder.openDirectoryIfPresent(path),
      try quarantine.stateIfPresent(of: manifest) != nil
    else { return 0 }
    guard isWhole else {
      try remove(from: manifest, in: quarantine) { returned.contains($0.path) }
      return 0
    }
    var goneCount = 0
    var others: [FileName]?
    var reader = try QuarantineManifestReader(manifest, in: quarantine)
    while let file = try reader.next() {
      if returned.contains(file.path) { continue }
      if try isThere(file, in: folder) { continue }
      // What never moved because the run died, the next one has moved.
      if others == nil {
        others = try quarantine.entries().filter { $0.kind == .directory && $0.name != run }
          .map(\.name)
      }
      var isElsewhere = false
      for other in others ?? [] where !isElsewhere {
        isElsewhere = try isFile(RelativePath(other).appending(file.path), in: quarantine)
      }
      if !isElsewhere { goneCount += 1 }
    }
    try quarantine.removeFile(manifest, ifUnchangedSince: try quarantine.state(of: manifest))
    return goneCount
  }

  private static func remove(
    from manifest: FileName, in quarantine: Directory,
    where isGone: (QuarantineManifestReader.Entry) throws(FileError) -> Bool
  ) throws(FileError) {
    var reader = try QuarantineManifestReader(manifest, in: quarantine)
    var isShorter = reader.isBeingPurged
    while !isShorter, let file = try reader.next() { isShorter = try isGone(file) }
    guard isShorter else { return }
    reader = try QuarantineManifestReader(manifest, in: quarantine)
    try quarantine.publishLines(as: manifest) { write throws(FileError) in
      try write(QuarantineManifest.unmarked(reader.line))
      while let file = try reader.next() {
        if try !isGone(file) { try write(reader.line) }
      }
    }
  }
}
