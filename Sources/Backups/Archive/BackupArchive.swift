package import SafeFiles

/// A file that may be a backup; nothing in it is trusted before `verify(context:)`.
package struct BackupArchive: Sendable {
  /// The directory it is in.
  package let directory: Directory
  /// Its name there.
  package let name: FileName

  /// Names a file; nothing is read yet.
  package init(directory: Directory, name: FileName) {
    self.directory = directory
    self.name = name
  }

  /// Opens the place of a backup the user named.
  package init(path: String) throws(BackupError) {
    do throws(FileError) {
      (directory, name) = try Directory.openParent(ofPath: path)
    } catch {
      throw .file(error)
    }
  }

  /// The path in display form.
  package var path: String { directory.path(of: name) }

  /// Returns the absolute path without links, byte for byte.
  package func absolutePath() throws(BackupError) -> [UInt8] {
    do {
      let folder = try directory.canonicalPath()
      return folder + (folder.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name.bytes
    } catch {
      throw .file(error)
    }
  }

  /// Returns the state of the file.
  package func state() throws(BackupError) -> FileState {
    do { return try directory.state(of: name) } catch { throw .file(error) }
  }

  /// Returns what the first line of the manifest says, reading only the start of the archive.
  package func summary() throws(BackupError) -> BackupSummary {
    try open().readSummary()
  }

  /// Returns the manifest, without looking at what comes after it.
  package func manifest() throws(BackupError) -> BackupManifest {
    try open().readManifest()
  }

  /// Reads the whole archive and compares every name, size and hash with the manifest.
  package func verify(context: BackupContext = BackupContext()) throws(BackupError)
    -> VerifiedBackup
  {
    let before = try state()
    let reader = try open()
    let manifest = try reader.readManifest()
    try reader.check(0..<manifest.count, of: manifest, context: context)
    try reader.requireEnd()
    guard try state().isUnchanged(since: before) else { throw .file(.changedWhileRead(path: path)) }
    return VerifiedBackup(archive: self, manifest: manifest, state: before)
  }

  func open() throws(BackupError) -> BackupReader {
    let file: FileReader
    let size: Int64
    do throws(FileError) {
      file = try directory.openForReading(name)
      size = try file.state().size
    } catch {
      throw .file(error)
    }
    return try BackupReader(file, archiveSize: size)
  }
}
