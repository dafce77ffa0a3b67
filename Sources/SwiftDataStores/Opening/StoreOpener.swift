import Diagnostics
package import SafeFiles

/// Opens stores: copies their files to a private place, and reads the copy. SQLite never sees the
/// user's files.
package struct StoreOpener {
  /// Where private places are made.
  private let workingDirectory: Directory
  private let patienceSeconds: Double
  private let noteLeftBehind: @Sendable (FileError) -> Void

  /// Creates an opener.
  ///
  /// - Parameters:
  ///   - workingDirectory: a directory for temporary files; a store in it is no store of the user's.
  ///   - patienceSeconds: how long a store is copied again that changes meanwhile.
  ///   - noteLeftBehind: called, from any thread, with why something of a copy is still there when it
  ///     should be gone.
  package init(
    workingDirectory: String, patienceSeconds: Double = 2,
    operations: any FileOperations = SystemFileOperations(),
    noteLeftBehind: @escaping @Sendable (FileError) -> Void = { _ in }
  ) throws(StoreError) {
    do throws(FileError) {
      self.workingDirectory = try Directory.open(path: workingDirectory, operations: operations)
    } catch {
      throw .noWorkingDirectory(
        path: DisplayText.escaping(workingDirectory.utf8), problem: error.diagnostic.problem)
    }
    self.patienceSeconds = patienceSeconds
    self.noteLeftBehind = noteLeftBehind
  }

  /// Makes a private place for what is made of a store.
  package func makePlace() throws(StoreError) -> PrivatePlace {
    try StoreError.wrapping { () throws(FileError) in
      try PrivatePlace.make(in: workingDirectory, noteLeftBehind: noteLeftBehind)
    }
  }

  /// When a copy is proven to be sound.
  package enum Checking {
    /// Before it is opened.
    case first
    /// By the one who asks for the store, who makes its `pendingCheck` before relying on what it holds.
    case byReader
  }

  /// Copies a store, folds its log into the copy, checks the copy, and opens it for reading.
  package func open(
    _ files: StoreFiles, checking: Checking = .first
  ) throws(StoreError) -> Store {
    let folded = try folded(files, keeping: nil, checking: checking)
    let store = try store(of: folded, files, checking: checking)
    if checking == .byReader {
      store.pendingCheck = SoundnessCheck(of: folded.path, path: files.path)
    }
    return store
  }

  /// Opens a store likewise, and keeps what belongs in a backup of it.
  package func openForBackup(
    _ files: StoreFiles, checking: Checking = .first
  ) throws(StoreError) -> StoreContent {
    let originals: FileName = files.name == "original" ? "originals" : "original"
    let folded = try folded(files, keeping: originals, checking: checking)
    let store = try store(of: folded, files, checking: checking)
    let content = try StoreError.wrapping { () throws(FileError) in try StoreContent(of: store) }
    if checking == .byReader {
      // The content has the name of the store.
      let place = folded.path.dropLast(StoreCopy.database.bytes.count) + files.name.bytes
      store.pendingCheck = SoundnessCheck(of: Array(place), path: files.path)
    }
    return content
  }

  /// Opens a copy of a store as content of that store: under its name, without the files as they were.
  package func openCopy(
    _ files: StoreFiles, of name: FileName
  ) throws(StoreError) -> StoreContent {
    let store = try open(files)
    return try StoreError.wrapping { () throws(FileError) in
      try StoreContent(of: store, named: name)
    }
  }

  /// Copies the files of a store as they are, whatever they hold, and opens nothing.
  package func copyUnopened(_ files: StoreFiles) throws(StoreError) -> PrivatePlace {
    let place = try makePlace()
    try StoreCopy.makeUnopened(of: files, in: place, patienceSeconds: patienceSeconds)
    return place
  }

  /// Opens a store for a copy that others get: rows of some entities are not in it, nor anything that
  /// was deleted, nor the files as they were.
  package func openForOthers(
    _ files: StoreFiles, without entities: Set<String>
  ) throws(StoreError) -> StoreContent {
    let folded = try folded(files, keeping: nil)
    let leftOut = try RowRemoval(from: try store(of: folded, files)).remove(entities)
    let store = try store(of: folded, files)
    return try StoreError.wrapping { () throws(FileError) in
      try StoreContent(of: store, leftOut: leftOut)
    }
  }

  /// A copy of a store with its log folded in, checked.
  private struct FoldedCopy {
    let copy: StoreCopy
    let path: [UInt8]
    let header: DatabaseHeader
    let log: WriteAheadLog
    /// The identifier that the store had without its log; nil if that cannot be told.
    let identifier: String?
    /// Whether an unfinished transaction was undone in it.
    let undoes: Bool
  }

  private func folded(
    _ files: StoreFiles, keeping originals: FileName?, checking: Checking = .first
  ) throws(StoreError) -> FoldedCopy {
    let place = try makePlace()
    let copy = try StoreCopy.make(
      of: files, in: place, patienceSeconds: patienceSeconds, keeping: originals)
    let header = try header(of: copy, files)
    var log = try StoreError.wrapping { () throws(FileError) in try Self.log(of: copy) }
    let isHot = copy.hasJournal ? try hasHotJournal(copy, files) : false
    if log.frameCount == 0, !copy.hasJournal, let expected = header.byteCount,
      copy.databaseSize < expected
    {
      throw .truncated(path: files.path, size: copy.databaseSize, expected: expected)
    }
    let path = try StoreError.wrapping { () throws(FileError) in
      try place.directory.canonicalPath() + [UInt8(ascii: "/")] + StoreCopy.database.bytes
    }
    let identifier = log.frameCount > 0 ? Self.identifier(at: path, files) : nil
    log.frameCount = try Self.fold(at: path, files, checking)
    return FoldedCopy(
      copy: copy, path: path, header: header, log: log, identifier: identifier, undoes: isHot)
  }

  private func store(
    of folded: FoldedCopy, _ files: StoreFiles, checking: Checking
  ) throws(StoreError) -> Store {
    do throws(StoreError) { return try store(of: folded, files) } catch {
      // What is wrong with a store tells more than what opening it ran into.
      if checking == .byReader {
        try SoundnessCheck(of: folded.path, path: files.path).perform()
      }
      throw error
    }
  }

  private func store(of folded: FoldedCopy, _ files: StoreFiles) throws(StoreError) -> Store {
    let database = try Database(at: folded.path, .fileAlone, path: files.path)
    var findings = Self.findings(about: folded.log, files)
    if folded.undoes {
      findings.append(
        Finding(
          .hotJournal, .warning, path: files.path,
          message: "a program stopped in the middle of a transaction: what that had changed is "
            + "undone by \(files.journalName?.description ?? "its journal")",
          next: "keep that beside the store until its app has opened it"))
    }
    // Without metadata it is no store, as is told when they are read.
    let now = try? database.cell(Self.identifierQuery).string
    if let identifier = folded.identifier, let now, identifier != now {
      findings.append(
        Finding(
          .foreignLog, .warning, path: files.path,
          message: "its log makes it the store \(now), and without that it is \(identifier)",
          next: "if the log came from elsewhere, move it away, keep it, and run again"))
    }
    return try Store(
      files: files, header: folded.header, log: folded.log, database: database, copy: folded.copy,
      findings: findings)
  }

  private func header(
    of copy: StoreCopy, _ files: StoreFiles
  ) throws(StoreError) -> DatabaseHeader {
    let bytes = try StoreError.wrapping { () throws(FileError) in
      let file = try copy.place.directory.openForReading(StoreCopy.database)
      var bytes = [UInt8](repeating: 0, count: DatabaseHeader.size)
      let count = try file.read(into: &bytes)
      return Array(bytes.prefix(count))
    }
    return try DatabaseHeader(bytes, path: files.path)
  }

  private static func log(of copy: StoreCopy) throws(FileError) -> WriteAheadLog {
    guard try copy.place.directory.stateIfPresent(of: StoreCopy.log) != nil else {
      return WriteAheadLog()
    }
    return try WriteAheadLog(try copy.place.directory.openForReading(StoreCopy.log))
  }

  /// What a journal begins and a journal that names others ends with.
  private static let journalMark: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  /// Whether a journal undoes something. Refuses one that names the journal of several databases: SQLite
  /// would look for that by its name, and remove it.
  private func hasHotJournal(
    _ copy: StoreCopy, _ files: StoreFiles
  ) throws(StoreError) -> Bool {
    let (begin, end) = try StoreError.wrapping { () throws(FileError) in
      let file = try copy.place.directory.openForReading(StoreCopy.journal)
      var begin = [UInt8](repeating: 0, count: Self.journalMark.count)
      var end = begin
      _ = try file.read(into: &begin)
      try file.seek(to: max(0, file.state().size - Int64(end.count)))
      _ = try file.read(into: &end)
      return (begin, end)
    }
    guard end != Self.journalMark else { throw .transactionOverSeveral(path: files.path) }
    return begin == Self.journalMark
  }

  private static let identifierQuery = "SELECT Z_UUID FROM Z_METADATA"

  /// The identifier of the store as the database has it without its log; nil if that cannot be told.
  private static func identifier(at path: [UInt8], _ files: StoreFiles) -> String? {
    // Alone the database may be anything: a part of what is in the log.
    guard let database = try? Database(at: path, .fileAlone, path: files.path) else { return nil }
    // As above.
    return (try? database.cell(identifierQuery))?.string
  }

  /// Brings what is in the log, or undoes what is in the journal, and returns how many frames of the
  /// log SQLite took; throws unless the result is sound, if that is to be checked first.
  private static func fold(
    at path: [UInt8], _ files: StoreFiles, _ checking: Checking
  ) throws(StoreError) -> Int {
    let database = try Database(at: path, .folding, path: files.path)
    // So that no index of the log is shared, which would be one more file.
    try database.execute("PRAGMA locking_mode=EXCLUSIVE")
    // The copy goes with this run, so nothing waits for the disk.
    try database.execute("PRAGMA synchronous=OFF")
    let frames = try database.foldLog()
    let mode = try database.cell("PRAGMA journal_mode=DELETE").string
    guard mode == "delete" else {
      throw .corrupt(path: files.path, problem: "its log cannot be folded in")
    }
    if checking == .first { try SoundnessCheck.perform(in: database) }
    return frames
  }

  private static func findings(about log: WriteAheadLog, _ files: StoreFiles) -> [Finding] {
    let name = files.logName?.description ?? ""
    if log.isStale {
      return [
        Finding(
          .staleLog, .warning, path: files.path,
          message: "nothing in \(name) belongs to the store: none of its "
            + "\(log.byteCount.counted("byte")) was taken",
          next: "keep it: if rows are missing they may be in there")
      ]
    }
    if log.lostSaveCount > 0 {
      let saves = log.lostSaveCount.counted("save")
      let are = log.lostSaveCount == 1 ? "is" : "are"
      return [
        Finding(
          .tornLog, .error, path: files.path,
          message: "\(name) is damaged, and \(saves) of the app \(are) lost: nothing from there on "
            + "was taken",
          next: "keep its files with pack-backup --as-it-is, and fetch them again from where they "
            + "came from, or look for the rows on another device: the app does not see them here "
            + "either")
      ]
    }
    guard log.tail == .torn || log.tail == .unfinished else { return [] }
    return [
      Finding(
        .tornLog, .warning, path: files.path,
        message: "\(name) ends in the middle of what was being written; everything before that "
          + "was taken",
        next: "nothing, if the app or the device stopped then; else fetch the files again")
    ]
  }
}
