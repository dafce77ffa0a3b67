package import Backups
package import Diagnostics
import Folders
package import SafeFiles

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
    in folder: Directory, heldBy backup: BackupManifest, kept: [FileName: Set<RelativePath>],
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
          return backup.entry(at: file.path)?.hash == hash
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
    var reader = try QuarantineManifestReader(manifest, in: quarantine)
    while let file = try reader.next() {
      if returned.contains(file.path) { continue }
      if try folder.stateIfPresent(of: file.path) == nil { goneCount += 1 }
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
