package import SafeFiles

/// A backup that was read back and has no name yet.
package struct StagedBackup: Sendable {
  let manifest: BackupManifest
  let file: StagedFile

  /// Gives the archive the first of the names that is free; on failure it is gone, or has its name.
  package func publish(
    as names: some Sequence<FileName>
  ) throws(BackupError) -> VerifiedBackup {
    let directory = file.directory
    do throws(FileError) {
      guard let name = try file.publish(asFirstFreeOf: names) else {
        throw .alreadyExists(path: directory.path)
      }
      try directory.synchronize()
      return VerifiedBackup(
        archive: BackupArchive(directory: directory, name: name), manifest: manifest,
        held: try file.held(as: name))
    } catch {
      discard()
      throw .file(error)
    }
  }

  /// Removes the archive unpublished.
  package func discard() { file.discard() }
}
