import Backups
import Runs
import SafeFiles

/// Files of a backup that are copied to an export, piece by piece.
///
/// They become visible together at the end, when the backup has proven their hashes.
struct BackupCopies {
  private let manifest: BackupManifest
  private var staged: [StagedFile] = []
  /// The file that is being written, by its number; nothing is written of one that is there.
  private var current: (entry: Int, file: FileWriter?)?

  init(of manifest: BackupManifest) {
    self.manifest = manifest
  }

  /// Writes a piece of an entry; entries come one after the other.
  mutating func append(
    _ piece: [UInt8], of entry: Int, to destination: inout LegacyDestination
  ) throws(MigrationError) {
    if current?.entry != entry {
      try finishCurrent()
      let file = try destination.stage(manifest[entry])
      current = (entry, file)
    }
    try MigrationError.wrapping { () throws(FileError) in try current?.file?.write(piece) }
  }

  /// Gives all of them their names.
  mutating func publish() throws(MigrationError) {
    try finishCurrent()
    let files = staged
    try MigrationError.wrapping { () throws(FileError) in try StagedFile.publish(files) }
  }

  /// Removes what is not published.
  mutating func discard() {
    current?.file?.discard()
    for file in staged { file.discard() }
  }

  private mutating func finishCurrent() throws(MigrationError) {
    guard let file = current?.file else { return }
    current = nil
    staged.append(
      try MigrationError.wrapping { () throws(FileError) in
        try file.finish().unlocked
      })
  }
}
