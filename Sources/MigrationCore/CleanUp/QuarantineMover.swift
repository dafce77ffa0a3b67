import Backups
import Folders
import SafeFiles

/// Moves files of a folder into the directory of a new quarantine run, under their own paths.
struct QuarantineMover {
  /// The run the files go to.
  let run: Quarantine.Run

  private let folder: Directory
  /// The directory of the last file, on both sides: files come in the order of their paths.
  private var current: (path: RelativePath, source: Directory, target: Directory)?

  /// Creates the run and publishes its manifest; nothing has moved yet.
  init(
    _ folder: Directory, manifest: QuarantineManifest, begun: FileTime, command: String
  ) throws(MigrationError) {
    self.folder = folder
    do throws(FileError) {
      let quarantine = try folder.createDirectory(Quarantine.path)
      let (name, directory) = try Self.createRun(in: quarantine, begun: begun)
      run = Quarantine.Run(
        name: name, path: Quarantine.path.appending(name), directory: directory)
      if let manifestName = QuarantineManifest.name(of: name) {
        try quarantine.publish(
          manifest.encoded(time: UTCText.long(begun), command: command), as: manifestName,
          replacing: .nothing)
      }
    } catch {
      throw MigrationError(error)
    }
  }

  /// The name is the time of the run; a second run in one second gets a counter.
  private static func createRun(
    in quarantine: Directory, begun: FileTime
  ) throws(FileError) -> (FileName, Directory) {
    let time = UTCText.compact(begun)
    for counter in 1..<1000 {
      let text = counter == 1 ? time : "\(time)-\(counter)"
      guard let name = FileName(text) else { break }
      do throws(FileError) {
        return (name, try quarantine.createDirectory(name, orOpen: false))
      } catch {
        guard case .alreadyExists = error else { throw error }
      }
    }
    throw .alreadyExists(path: quarantine.path)
  }

  /// Moves a file if nothing says that it changed; false, and it stays, otherwise.
  mutating func move(
    _ path: RelativePath, ifUnchangedSince state: FileState
  ) throws(MigrationError) -> Bool {
    guard let parent = path.parent, let name = path.lastComponent else { return false }
    do throws(FileError) {
      if current?.path != parent {
        try synchronize()
        current = (
          parent, try folder.openDirectory(parent), try run.directory.createDirectory(parent)
        )
      }
      guard let (_, source, target) = current else { return false }
      guard let now = try source.stateIfPresent(of: name), now.isUnchanged(since: state) else {
        return false
      }
      try source.move(name, to: target)
      return true
    } catch {
      throw MigrationError(error)
    }
  }

  /// Makes the last moves last.
  mutating func finish() throws(MigrationError) {
    do throws(FileError) {
      try synchronize()
    } catch {
      throw MigrationError(error)
    }
  }

  /// The new names first: a crash between the two leaves a file under both names or the new one.
  private func synchronize() throws(FileError) {
    try current?.target.synchronize()
    try current?.source.synchronize()
  }
}
