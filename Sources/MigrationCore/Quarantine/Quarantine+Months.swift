import Folders
import SafeFiles

extension Quarantine {
  /// A run that set whole old months aside.
  struct RunOfMonths {
    var name: FileName
    var path: RelativePath
    /// What is left of the run's files; nil if that is nothing.
    var directory: Directory?
    /// Its manifest, of which the first line is read.
    var manifest: QuarantineManifestReader
  }

  /// What follows the name of a purged run in that of its manifest, which stays.
  static let purgedSuffix: StaticString = ".purged.jsonl"

  private static let command = "cleanup-legacy --months-before "

  /// What the manifest of a run says that sets old months aside.
  static func monthsCommand(before month: Month) -> String { command + month.description }

  /// Returns the runs that set months aside, those that are purged included, in the order of their
  /// names. Without its manifest a run counts as any other.
  static func runsOfMonths(of folder: Directory) throws(MigrationError) -> [RunOfMonths] {
    let (quarantine, names) = try MigrationError.wrapping { () throws(FileError) in
      let quarantine = try folder.openDirectoryIfPresent(path)
      return (quarantine, try quarantine?.entries().map(\.name) ?? [])
    }
    guard let quarantine else { return [] }
    var runs: [RunOfMonths] = []
    for name in names {
      if let run = try runOfMonths(withManifest: name, in: quarantine) { runs.append(run) }
    }
    return runs
  }

  /// Keeps the manifest of a run that set months aside when its files go: the identities in it must
  /// not be imported anew. Called before the first file goes.
  static func keepIdentities(of run: Run, in folder: Directory) throws(FileError) {
    guard let name = QuarantineManifest.name(of: run.name),
      let kept = FileName(run.name.bytes + Array(purgedSuffix.description.utf8))
    else { return }
    let quarantine = try folder.openDirectory(path)
    guard try quarantine.stateIfPresent(of: name) != nil else { return }
    // Without a readable manifest nothing was known of it before.
    guard (try? runOfMonths(withManifest: name, in: quarantine)) != nil else {
      return
    }
    try quarantine.renameOwn(name, to: kept)
    try quarantine.synchronize()
  }

  private static func runOfMonths(
    withManifest manifest: FileName, in quarantine: Directory
  ) throws(MigrationError) -> RunOfMonths? {
    let isPurged = manifest.hasSuffix(purgedSuffix)
    let suffix = isPurged ? purgedSuffix : QuarantineManifest.suffix
    guard manifest.hasSuffix(suffix),
      let name = FileName(manifest.bytes.dropLast(suffix.utf8CodeUnitCount))
    else { return nil }
    let directory = try MigrationError.wrapping { () throws(FileError) in
      try quarantine.openDirectoryIfPresent(RelativePath(name))
    }
    // A manifest without its run was published, and then nothing moved, or everything moved back.
    guard isPurged || directory != nil else { return nil }
    let reader = try QuarantineManifestReader(manifest, in: quarantine)
    guard reader.command.hasPrefix(command) else { return nil }
    return RunOfMonths(
      name: name, path: path.appending(name), directory: directory, manifest: reader)
  }
}
