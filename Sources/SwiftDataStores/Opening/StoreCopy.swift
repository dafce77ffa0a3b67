import SafeFiles

/// A copy of all files of a store, taken while nothing of it changed.
struct StoreCopy {
  /// The names the copies have, whatever those of the originals are.
  static let database: FileName = "store"
  static let log: FileName = "store-wal"
  static let journal: FileName = "store-journal"

  /// Where the copies are.
  let place: PrivatePlace
  /// How large the database is.
  let databaseSize: Int64
  /// Whether there is a journal.
  let hasJournal: Bool
  /// The name of the copy of the folder of what is too large for the database; nil if there is none.
  let support: FileName?

  private static let bufferSize = 1 << 18
  /// How long ago a file must have changed at least for its time to show any later change: some file
  /// systems count whole seconds.
  private static let coarsestTime: Int64 = 2

  /// Copies a store; tries again while it changes, for so long.
  ///
  /// - Parameter originals: the name of a directory that gets the copies once more, under the names of
  ///   the originals, where the log is not folded in; nil for none.
  static func make(
    of files: StoreFiles, in place: PrivatePlace, patienceSeconds: Double,
    keeping originals: FileName? = nil
  ) throws(StoreError) -> StoreCopy {
    try untilUnchanged(files, in: place, patienceSeconds) { () throws(FileError) in
      try attempt(files, place, keeping: originals)
    }
  }

  /// Copies the files of a store under their own names, whatever they hold and whichever of them are
  /// there; tries again while they change.
  static func makeUnopened(
    of files: StoreFiles, in place: PrivatePlace, patienceSeconds: Double
  ) throws(StoreError) {
    _ = try untilUnchanged(files, in: place, patienceSeconds) { () throws(FileError) -> Bool? in
      try attemptUnopened(files, place) ? true : nil
    }
  }

  private static func untilUnchanged<Copy>(
    _ files: StoreFiles, in place: PrivatePlace, _ patienceSeconds: Double,
    _ attempt: () throws(FileError) -> Copy?
  ) throws(StoreError) -> Copy {
    var patience = Patience(seconds: patienceSeconds)
    repeat {
      do throws(FileError) {
        if let copy = try attempt() { return copy }
      } catch {
        switch error {
        case .changedWhileRead: break
        // What lies beside the database goes when its app is done with it. Without that nothing is left
        // to be copied, which the next attempt tells.
        case .missing where try isThere(files): break
        default: throw .file(error)
        }
      }
      try StoreError.wrapping { () throws(FileError) in
        for entry in try place.directory.entries() {
          if entry.kind == .directory {
            try place.directory.removeOwnTree(entry.name)
          } else {
            try place.directory.removeCopied(entry.name)
          }
        }
      }
    } while patience.wait()
    throw .changing(path: files.path)
  }

  /// Whether the database of a store is there, of which something else is missing.
  private static func isThere(_ files: StoreFiles) throws(StoreError) -> Bool {
    try StoreError.wrapping { () throws(FileError) in
      try files.directory.stateIfPresent(of: files.name) != nil
    }
  }

  /// Copies once; nil if anything was not afterwards what it was before.
  private static func attempt(
    _ files: StoreFiles, _ place: PrivatePlace, keeping originals: FileName?
  ) throws(FileError) -> StoreCopy? {
    let before = try Snapshot(of: files)
    guard let databaseState = before.database else {
      throw .missing(path: files.directory.path(of: files.name))
    }
    // The log may come on top of the database when it is folded in.
    let kept = originals == nil ? 0 : before.databaseByteCount
    try place.directory.requireSpace(for: before.byteCount + (before.log?.size ?? 0) + kept)
    var originalPlace: Directory?
    if let originals {
      try place.directory.makeDirectory(originals)
      originalPlace = try place.directory.openDirectory(originals)
    }
    var buffer = [UInt8](repeating: 0, count: bufferSize)
    // The log first: what a checkpoint moves meanwhile changes the database, which is looked at last.
    if let name = files.logName, before.log != nil {
      try copy(name, of: files, to: log, in: place, originalPlace, &buffer)
    }
    if let name = files.journalName, before.journal != nil {
      try copy(name, of: files, to: journal, in: place, originalPlace, &buffer)
    }
    try copy(files.name, of: files, to: database, in: place, originalPlace, &buffer)
    if let name = files.supportName, before.support != nil {
      try files.directory.copyTree(name, to: place.directory)
    }
    guard
      try isUnchanged(
        files, since: before, in: place,
        [
          (files.name, database, before.database), (files.logName ?? files.name, log, before.log),
          (files.journalName ?? files.name, journal, before.journal),
        ])
    else { return nil }
    return StoreCopy(
      place: place, databaseSize: databaseState.size, hasJournal: before.journal != nil,
      support: before.support == nil ? nil : files.supportName)
  }

  /// Copies once; false if anything was not afterwards what it was before.
  private static func attemptUnopened(
    _ files: StoreFiles, _ place: PrivatePlace
  ) throws(FileError) -> Bool {
    let before = try Snapshot(of: files)
    guard before.database != nil || before.log != nil || before.journal != nil else {
      throw .missing(path: files.directory.path(of: files.name))
    }
    try place.directory.requireSpace(for: before.byteCount)
    var buffer = [UInt8](repeating: 0, count: bufferSize)
    var copied: [(FileName, FileName, FileState?)] = []
    // In the order of a copy that is opened.
    for (name, state) in [
      (files.logName, before.log), (files.journalName, before.journal),
      (files.name, before.database),
    ] {
      guard let name, state != nil else { continue }
      try copy(name, of: files, to: name, in: place, nil, &buffer)
      copied.append((name, name, state))
    }
    if let name = files.supportName, before.support != nil {
      try files.directory.copyTree(name, to: place.directory)
    }
    return try isUnchanged(files, since: before, in: place, copied)
  }

  /// Whether a store is what it was before it was copied.
  private static func isUnchanged(
    _ files: StoreFiles, since before: Snapshot, in place: PrivatePlace,
    _ copies: [(original: FileName, copy: FileName, state: FileState?)]
  ) throws(FileError) -> Bool {
    guard try Snapshot(of: files).isUnchanged(since: before) else { return false }
    let now = WallClock.now().seconds
    for (original, copy, state) in copies {
      guard let state, state.modified.seconds > now - coarsestTime else { continue }
      guard try files.directory.hash(of: original) == place.directory.hash(of: copy) else {
        return false
      }
    }
    return true
  }

  /// Copies a file, and once more under its own name where the files are kept as they are. Nobody but
  /// this run reads the copies, so nothing waits for the disk.
  private static func copy(
    _ name: FileName, of files: StoreFiles, to target: FileName, in place: PrivatePlace,
    _ kept: Directory?, _ buffer: inout [UInt8]
  ) throws(FileError) {
    let reader = try files.directory.openForReading(name)
    var writers = [try place.directory.createFile(target)]
    if let kept { writers.append(try kept.createFile(name)) }
    while true {
      let count = try reader.read(into: &buffer)
      for writer in writers { try writer.write(buffer, 0..<count) }
      if count < buffer.count { break }
    }
    let state = try reader.state()
    for writer in writers {
      // What may not be written to cannot take in its log.
      try writer.setAttributes(mode: state.mode | 0o600, modified: state.modified, owner: nil)
    }
  }
}

/// What the file system says about the files of a store at one moment.
private struct Snapshot {
  /// Nil where only something beside it is left.
  let database: FileState?
  let log: FileState?
  let journal: FileState?
  /// What is in the folder of what is too large for the database; nil if there is no folder.
  let support: [(path: RelativePath, state: FileState)]?

  /// How deep such a folder is looked at; they have one level.
  private static let maximumDepth = 8

  init(of files: StoreFiles) throws(FileError) {
    func state(_ name: FileName?) throws(FileError) -> FileState? {
      guard let name else { return nil }
      return try files.directory.stateIfPresent(of: name)
    }
    database = try state(files.name)
    log = try state(files.logName)
    journal = try state(files.journalName)
    guard let name = files.supportName, try state(name)?.kind == .directory else {
      support = nil
      return
    }
    var found: [(RelativePath, FileState)] = []
    try Self.list(try files.directory.openDirectory(name), RelativePath(name), &found)
    support = found
  }

  private static func list(
    _ directory: Directory, _ place: RelativePath, _ found: inout [(RelativePath, FileState)],
    depth: Int = 0
  ) throws(FileError) {
    for entry in try directory.entries() {
      let path = place.appending(entry.name)
      guard let state = try directory.stateIfPresent(of: entry.name) else { continue }
      found.append((path, state))
      if entry.kind == .directory, depth < maximumDepth {
        try list(try directory.openDirectory(entry.name), path, &found, depth: depth + 1)
      }
    }
  }

  /// How many bytes the database has, with its log and its journal.
  var databaseByteCount: Int64 {
    [database, log, journal].reduce(0) { $0 + ($1?.size ?? 0) }
  }

  var byteCount: Int64 {
    (support ?? []).reduce(databaseByteCount) {
      $0 + ($1.state.kind == .regular ? $1.state.size : 0)
    }
  }

  func isUnchanged(since earlier: Snapshot) -> Bool {
    func isUnchanged(_ now: FileState?, _ before: FileState?) -> Bool {
      guard let now, let before else { return now == nil && before == nil }
      return now.isUnchanged(since: before)
    }
    guard isUnchanged(database, earlier.database), isUnchanged(log, earlier.log),
      isUnchanged(journal, earlier.journal), support?.count == earlier.support?.count
    else { return false }
    return zip(support ?? [], earlier.support ?? []).allSatisfy { now, before in
      now.path == before.path && now.state.isUnchanged(since: before.state)
    }
  }
}
