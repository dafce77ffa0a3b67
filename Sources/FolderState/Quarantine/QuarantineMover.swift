import Backups
import Folders
package import Runs
package import SafeFiles

/// Moves files of a folder into the directory of a quarantine run, under their own paths, and back.
package struct QuarantineMover {
  /// The run the files go to.
  package let run: Quarantine.Run

  let folder: Directory
  let quarantine: Directory
  private let begun: FileTime
  /// The directory of the last file, on both sides: files come in the order of their paths.
  var current: Place?
  /// Whether a mark says that whole directories move.
  var isMarked = false

  /// A directory on both sides.
  struct Place {
    var path: RelativePath
    var isWayBack: Bool
    var source: Directory
    var target: Directory
  }

  /// Directories that names came to or left, and that are not synchronized since.
  private var unsynchronized: [Directory] = []
  /// How many of them stay open.
  private static let mostUnsynchronized = 32

  /// Prepares to move files of a run that is there back to where they were.
  package init(_ folder: Directory, back run: Quarantine.Run, begun: FileTime)
    throws(MigrationError)
  {
    self.folder = folder
    self.begun = begun
    self.run = run
    quarantine = try MigrationError.wrapping { () throws(FileError) in
      // A restore may have set the quarantine of the run aside.
      try folder.openDirectory(run.path.parent ?? Quarantine.path)
    }
  }

  /// Creates the directory of the run; nothing has moved yet.
  package init(_ folder: Directory, begun: FileTime) throws(MigrationError) {
    self.folder = folder
    self.begun = begun
    do throws(FileError) {
      quarantine = try folder.createDirectory(Quarantine.path)
      let (name, directory) = try Self.createRun(in: quarantine, begun: begun)
      run = Quarantine.Run(
        name: name, path: Quarantine.path.appending(name), directory: directory)
    } catch {
      throw MigrationError(error)
    }
  }

  /// Publishes what is going to move, before anything does.
  package func publishManifest(
    _ files: some Collection<QuarantinedFile>, of kind: QuarantineManifest.Kind, command: String
  ) throws(MigrationError) {
    guard let name = QuarantineManifest.name(of: run.name) else { return }
    try MigrationError.wrapping { () throws(FileError) in
      let file = try quarantine.stageFile(as: name, replacing: .nothing)
      do throws(FileError) {
        var manifest = QuarantineManifest(
          time: UTCText.long(begun), command: command, kind: kind, fileCount: files.count)
        for (index, entry) in files.enumerated() {
          manifest.append(entry)
          guard index.isMultiple(of: 1024) else { continue }
          try file.write(manifest.takeBytes())
        }
        try file.write(manifest.takeBytes())
        try StagedFile.publish([file.finish()])
      } catch {
        file.discard()
        throw error
      }
    }
  }

  /// The name is the time of the run; a second run in one second gets a counter. So does one after a run
  /// of which nothing but its manifest was made.
  private static func createRun(
    in quarantine: Directory, begun: FileTime
  ) throws(FileError) -> (FileName, Directory) {
    let time = UTCText.compact(begun)
    for counter in 1..<1000 {
      let text = counter == 1 ? time : "\(time)-\(counter)"
      guard let name = FileName(text) else { break }
      if let manifest = QuarantineManifest.name(of: name),
        try quarantine.stateIfPresent(of: manifest) != nil
      {
        continue
      }
      do throws(FileError) {
        return (name, try quarantine.createDirectory(name, orOpen: false))
      } catch {
        guard case .alreadyExists = error else { throw error }
      }
    }
    throw .alreadyExists(path: quarantine.path)
  }

  /// What became of a file that was to move.
  package enum Outcome: Hashable {
    /// It is in quarantine.
    case moved
    /// It is where it was: it changed since it was read.
    case stays
    /// It changed at the last moment, and is in quarantine: something else has its name by now.
    case displaced
  }

  /// A file that has moved, and was not looked at since.
  struct MovedFile: Sendable {
    var source: Directory
    var target: Directory
    var name: FileName
    var newName: FileName
    var state: FileState
    var hash: ContentHash?
    /// The hash of what it left in its place.
    var rest: ContentHash?
    /// Whether it moved by itself, and not with its directory.
    var isRenamed = true
  }

  /// Moves files that still hold what was read, all but the last look at them.
  ///
  /// - Returns: what has moved; nil stands for a file that has not.
  mutating func begin(_ files: ArraySlice<QuarantinedFile>) throws(FileError) -> [MovedFile?] {
    var moved: [MovedFile?] = []
    for file in files { moved.append(try begin(file.path, as: nil, ifStill: file.version)) }
    return moved
  }

  /// Moves a file if it still holds what was read.
  package mutating func move(_ file: QuarantinedFile) throws(MigrationError) -> Outcome {
    try move(file.path, ifStill: file.version)
  }

  /// Moves a file if it still holds what was read.
  ///
  /// - Parameters:
  ///   - newName: the name it gets, its own if this is nil.
  ///   - version: what it was when it was read, nil for what was not read.
  package mutating func move(
    _ path: RelativePath, as newName: FileName? = nil, ifStill version: FileVersion?
  ) throws(MigrationError) -> Outcome {
    do throws(FileError) {
      guard let file = try begin(path, as: newName, ifStill: version) else { return .stays }
      var hasher = ContentHasher()
      return try Self.end(file, isStill: Self.isStill(file, with: &hasher))
    } catch {
      throw MigrationError(error)
    }
  }

  /// Moves a file; nil, and it stays, if it is seen to be something else than what was read.
  private mutating func begin(
    _ path: RelativePath, as newName: FileName?, ifStill version: FileVersion?
  ) throws(FileError) -> MovedFile? {
    guard let (source, target, name) = try places(of: path, isWayBack: false),
      let now = try source.stateIfPresent(of: name), now.isUnchanged(since: version?.state ?? now)
    else { return nil }
    let newName = newName ?? name
    try source.move(name, to: target, as: newName)
    return MovedFile(
      source: source, target: target, name: name, newName: newName, state: now,
      hash: version?.hash)
  }

  /// Moves a file and leaves something in its place; nil, and it stays, if it is seen to be something
  /// else than what was read.
  mutating func begin(
    _ file: QuarantinedFile, leaving bytes: [UInt8]
  ) throws(FileError) -> MovedFile? {
    guard let (source, target, name) = try places(of: file.path, isWayBack: false),
      let state = try source.move(name, ifStill: file.version, to: target, leaving: bytes)
    else { return nil }
    return MovedFile(
      source: source, target: target, name: name, newName: name, state: state,
      hash: file.version.hash, rest: file.rest)
  }

  /// Whether a file that has moved holds what was read.
  ///
  /// Who takes no lock may have written in between, and a clock or a program that sets times may hide
  /// it: so the bytes are looked at once more, now that nobody finds them by their name.
  static func isStill(
    _ file: MovedFile, with hasher: inout ContentHasher
  ) throws(FileError) -> Bool {
    guard let hash = file.hash else {
      return try file.target.state(of: file.newName).isUnchanged(since: file.state)
    }
    do throws(FileError) {
      guard file.isRenamed else {
        return try hasher.isStill(
          FileVersion(state: file.state, hash: hash), file.newName, in: file.target)
      }
      let now = try hasher.hash(file.newName, in: file.target)
      return now.hash == hash && now.state.isUnchanged(since: file.state)
    } catch {
      switch error {
      case .changedWhileRead, .wrongKind, .missing: return false
      default: throw error
      }
    }
  }

  /// Lets a file that has moved stay where it is, or go back if it is not what was read.
  static func end(_ file: MovedFile, isStill: Bool) throws(FileError) -> Outcome {
    guard !isStill else { return .moved }
    if let rest = file.rest {
      guard try file.target.move(file.newName, to: file.source, over: rest) else {
        return .displaced
      }
    } else {
      do throws(FileError) {
        try file.target.move(file.newName, to: file.source, as: file.name)
      } catch {
        switch error {
        case .alreadyExists: return .displaced
        // Somebody has taken it away.
        case .missing: return .stays
        default: throw error
        }
      }
    }
    try file.source.synchronize()
    try file.target.synchronize()
    return .stays
  }

  /// Moves a file of the run back to where it was, or there to another name; false, and it stays in
  /// quarantine, if something else has that name.
  ///
  /// - Parameter rest: the hash of what it left in its place, which it takes again.
  package mutating func moveBack(
    _ path: RelativePath, as newName: FileName? = nil, over rest: ContentHash? = nil
  ) throws(MigrationError) -> Bool {
    do throws(FileError) {
      guard let (source, target, name) = try places(of: path, isWayBack: true) else {
        return false
      }
      if let rest { return try source.move(name, to: target, over: rest) }
      do throws(FileError) {
        try source.move(name, to: target, as: newName)
      } catch {
        guard case .alreadyExists = error else { throw error }
        return false
      }
      return true
    } catch {
      throw MigrationError(error)
    }
  }

  /// Opens the directory a file comes from and the one it goes to, which is created.
  private mutating func places(
    of path: RelativePath, isWayBack: Bool
  ) throws(FileError) -> (source: Directory, target: Directory, name: FileName)? {
    guard let parent = path.parent, let name = path.lastComponent else { return nil }
    let place = try place(of: parent, isWayBack: isWayBack)
    return (place.source, place.target, name)
  }

  /// Opens a directory that files come from and the one they go to, which is created.
  mutating func place(of path: RelativePath, isWayBack: Bool) throws(FileError) -> Place {
    if let current, current.path == path, current.isWayBack == isWayBack { return current }
    try leavePlace()
    let place = Place(
      path: path, isWayBack: isWayBack,
      source: try (isWayBack ? run.directory : folder).openDirectory(path),
      target: try (isWayBack ? folder : run.directory).createDirectory(path))
    current = place
    return place
  }

  /// Notes that names moved from one directory to another. The new names are made to last first: a crash
  /// between the two leaves a file under both names or the new one.
  mutating func noteMoves(from source: Directory, to target: Directory) throws(FileError) {
    unsynchronized += [target, source]
    guard unsynchronized.count >= Self.mostUnsynchronized else { return }
    for directory in takeUnsynchronized() { try directory.synchronize() }
  }

  /// Goes out of the directory of the last file.
  mutating func leavePlace() throws(FileError) {
    guard let place = current else { return }
    current = nil
    try noteMoves(from: place.source, to: place.target)
  }

  /// Returns the directories that somebody is to synchronize, in this order.
  mutating func takeUnsynchronized() -> [Directory] {
    defer { unsynchronized = [] }
    return unsynchronized
  }

  /// Makes the last moves last.
  package mutating func finish() throws(MigrationError) {
    do throws(FileError) {
      try leavePlace()
      for directory in takeUnsynchronized() { try directory.synchronize() }
      try removeMark()
    } catch {
      throw MigrationError(error)
    }
  }
}
