import Folders
package import Runs
package import SafeFiles

extension Quarantine {
  /// A run that set whole old months aside.
  package struct RunOfMonths {
    /// Its name.
    package var name: FileName
    /// The path of its directory, relative to the folder.
    package var path: RelativePath
    /// What is left of the run's files; nil if that is nothing.
    package var directory: Directory?
    /// Whether the manifest is that of what a purge has unlinked.
    package var isPurged: Bool
    /// The path of its manifest, relative to the folder.
    var manifestPath: RelativePath
    /// The manifest, of which the first line is read, or why it or the run's directory cannot be:
    /// then nobody knows which months the run set aside.
    package var manifest: Result<QuarantineManifestReader, FileError>
  }

  /// Returns the runs that set months aside, and what was purged of them, in the order of their
  /// names. Without its manifest a run counts as any other.
  package static func runsOfMonths(of folder: Directory) throws(MigrationError) -> [RunOfMonths] {
    try MigrationError.wrapping { () throws(FileError) in
      guard let quarantine = try folder.openDirectoryIfPresent(path) else { return [] }
      var runs: [RunOfMonths] = []
      for entry in try quarantine.entries() {
        if let run = try runOfMonths(withManifest: entry.name, in: quarantine) { runs.append(run) }
      }
      return runs
    }
  }

  private static func runOfMonths(
    withManifest manifest: FileName, in quarantine: Directory
  ) throws(FileError) -> RunOfMonths? {
    let isPurged = manifest.hasSuffix(PurgedMonths.suffix)
    let suffix = isPurged ? PurgedMonths.suffix : QuarantineManifest.suffix
    guard manifest.hasSuffix(suffix),
      let name = FileName(manifest.bytes.dropLast(suffix.utf8CodeUnitCount))
    else { return nil }
    var reader = Result { () throws(FileError) in
      try QuarantineManifestReader(manifest, in: quarantine)
    }
    if case .success(let reader) = reader, reader.kind != .months { return nil }
    var directory: Directory?
    do throws(FileError) {
      directory = try quarantine.openDirectoryIfPresent(RelativePath(name))
      // A manifest without its run was published, and then nothing moved, or everything moved back.
      guard isPurged || directory != nil else { return nil }
    } catch {
      // Nobody knows what is left of the run.
      reader = .failure(error)
    }
    return RunOfMonths(
      name: name, path: path.appending(name), directory: directory, isPurged: isPurged,
      manifestPath: path.appending(manifest), manifest: reader)
  }
}
