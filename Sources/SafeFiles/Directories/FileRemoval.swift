/// Removes files of a directory for good, each only if it holds the bytes that may go.
///
/// Programs that take no lock may write at any moment. So a file first moves to a directory beside
/// it, where nobody finds it by its name any more; then its bytes are looked at, and only then it is
/// unlinked. What holds other bytes gets its place back. A run that dies in between leaves the file in
/// that directory, under its own name; `recover(_:)` moves it back.
package struct FileRemoval {
  /// What became of a file.
  package enum Outcome: Hashable, Sendable {
    /// It is gone.
    case removed
    /// It is in its place: it is not what was looked at.
    case stays
    /// It is not what was looked at, and something else has its place: it is beside that.
    case displaced
  }

  /// The name of the directory in which files are looked at.
  package static let place: FileName = ".removing.nosync"

  private let directory: Directory
  private var place: Directory?
  private var hasher = ContentHasher()

  /// Prepares to remove files of a directory.
  package init(in directory: Directory) { self.directory = directory }

  /// Removes a file if it holds what was looked at; lasts once `finish()` was called.
  package mutating func remove(
    _ name: FileName, ifStill version: FileVersion
  ) throws(FileError) -> Outcome {
    guard try directory.stateIfPresent(of: name)?.isUnchanged(since: version.state) ?? false else {
      return .stays
    }
    let place = try openPlace()
    try directory.move(name, to: place)
    if let state = try state(of: name, in: place, ifHolding: version.hash) {
      try place.removeFile(name, ifUnchangedSince: state)
      return .removed
    }
    return try Self.moveBack(name, from: place, to: directory) ? .stays : .displaced
  }

  /// Makes what was removed last, and removes the directory beside it while it is empty.
  package func finish() throws(FileError) {
    guard let place else { return }
    try place.synchronize()
    try Self.removePlace(of: directory)
    try directory.synchronize()
  }

  /// Moves back what a run that died was about to remove; what has no place any more stays.
  package static func recover(_ directory: Directory) throws(FileError) {
    guard let place = try directory.openDirectoryIfPresent(RelativePath(Self.place)) else { return }
    try place.makeWritable()
    for entry in try place.entries() {
      _ = try moveBack(entry.name, from: place, to: directory)
    }
    try removePlace(of: directory)
    try directory.synchronize()
  }

  private mutating func openPlace() throws(FileError) -> Directory {
    if let place { return place }
    // A restore may have set aside a directory nobody writes to.
    try directory.makeWritable()
    let opened = try directory.createDirectory(Self.place, mode: 0o700)
    place = opened
    return opened
  }

  /// Returns the state of a file if it has this hash, nil otherwise.
  private mutating func state(
    of name: FileName, in place: Directory, ifHolding hash: ContentHash
  ) throws(FileError) -> FileState? {
    do throws(FileError) {
      let found = try hasher.hash(name, in: place)
      return found.hash == hash ? found.state : nil
    } catch {
      // It is being written to, or is something else now.
      switch error {
      case .changedWhileRead, .wrongKind: return nil
      default:
        _ = try Self.moveBack(name, from: place, to: directory)
        throw error
      }
    }
  }

  private static func moveBack(
    _ name: FileName, from place: Directory, to directory: Directory
  ) throws(FileError) -> Bool {
    do throws(FileError) {
      try place.move(name, to: directory)
      return true
    } catch {
      guard case .alreadyExists = error else { throw error }
      return false
    }
  }

  private static func removePlace(of directory: Directory) throws(FileError) {
    do throws(FileError) {
      try directory.removeEmptyDirectory(place)
    } catch {
      // What has no place any more stays in it.
      guard case .alreadyExists = error else { throw error }
    }
  }
}
