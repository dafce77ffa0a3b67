import Backups
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import Synchronization

/// Where an export goes, group by group.
enum ExportDestination {
  case stream(StreamDestination)
  case folder(LegacyDestination)

  /// Whether legacy files go to another folder than they come from.
  var isAnotherFolder: Bool {
    if case .folder(let folder) = self { folder.isAnotherFolder } else { false }
  }

  /// Writes a group.
  mutating func write(_ group: ExportedGroup) throws(MigrationError) {
    switch self {
    case .stream(var stream):
      try stream.write(group)
      self = .stream(stream)
    case .folder(var folder):
      try folder.write(group)
      self = .folder(folder)
    }
  }

  /// Writes what comes last.
  mutating func finish() throws(MigrationError) {
    if case .stream(let stream) = self { try stream.finish() }
  }
}

/// An interchange stream being written.
struct StreamDestination {
  private let sink: ByteSink?
  private let kinds: EntityKinds
  private var entityCount = 0
  private var isBegun = false

  /// Creates the destination; without a sink nothing is written.
  init(_ sink: ByteSink?, of kinds: EntityKinds) {
    self.sink = sink
    self.kinds = kinds
  }

  mutating func write(_ group: ExportedGroup) throws(MigrationError) {
    var bytes = isBegun ? [] : InterchangeWriter(kinds).json.bytes
    isBegun = true
    bytes.reserveCapacity(bytes.count + group.bytes.count)
    for entity in group.entities { bytes.append(contentsOf: group.bytes[entity.json]) }
    entityCount += group.entities.count
    try send(bytes)
  }

  /// Writes the lines of some entities.
  mutating func write(_ lines: [UInt8], count: Int) throws(MigrationError) {
    if !isBegun { try send(InterchangeWriter(kinds).json.bytes) }
    isBegun = true
    entityCount += count
    try send(lines)
  }

  func finish() throws(MigrationError) {
    try send(
      (isBegun ? [] : InterchangeWriter(kinds).json.bytes)
        + InterchangeWriter.lastLine(entityCount: entityCount))
  }

  private func send(_ bytes: [UInt8]) throws(MigrationError) {
    guard let sink else { return }
    do {
      try sink.write(bytes)
    } catch {
      throw MigrationError(streamFailure: error, name: sink.name)
    }
  }
}

/// Legacy files being written to a directory. A file that exists is never replaced.
struct LegacyDestination {
  private let folder: Directory?
  private let context: RunContext
  private let isDryRun: Bool
  /// Whether the files go to another folder than they come from.
  let isAnotherFolder: Bool
  /// Files that were created.
  private(set) var filesCreated = 0
  /// Files that had the same bytes already.
  private(set) var filesUnchanged = 0
  private var hasher = ContentHasher()
  /// Who may read what the files are made of.
  private let privacy: Privacy?

  /// Opens the directory; creates it unless this is a dry run.
  init(
    _ path: String, apartFrom source: OutputPlace.Source?, context: RunContext, isDryRun: Bool
  ) throws(MigrationError) {
    self.context = context
    self.isDryRun = isDryRun
    privacy = try source.map { source throws(MigrationError) in
      try OutputPlace.privacy(of: source.directory)
    }
    folder = try OutputPlace.openDirectory(
      path, apartFrom: source, asPrivateAs: privacy, context: context, isDryRun: isDryRun)
    if let folder, !isDryRun { try Self.sweep(folder, context.kinds.lock) }
    guard let folder, let source else {
      isAnotherFolder = true
      return
    }
    isAnotherFolder = try MigrationError.wrapping { () throws(FileError) in
      try !folder.state().isSameFile(as: source.directory.state())
    }
  }

  /// Removes what killed exports left below the directory.
  ///
  /// A living one has a share of the lock on it for as long as it is at work, and a run that writes to a
  /// data folder has the lock of that folder: what such a run is writing is not locked by itself.
  private static func sweep(_ folder: Directory, _ appLock: FileName?) throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in
      defer { folder.shareLock() }
      guard folder.tryLock() else { return }
      let locks: [FolderLock]
      do throws(FileError) {
        locks = try runLocks(of: folder, appLock)
      } catch {
        guard case .lockTimeout = error else { throw error }
        return
      }
      defer { withExtendedLifetime(locks) {} }
      // Files of the destination that cannot be looked at fail when their names are written.
      var unlisted: [Finding] = []
      let inventory = try FolderInventory.scan(folder, noting: &unlisted)
      let places = Set(
        inventory.indices.filter { inventory.nominalClass(of: $0) == .ownTemporary }
          .map { inventory.directory(of: $0) })
      for place in places {
        try folder.openDirectory(inventory.directoryPath(place)).sweepUnpublished()
      }
    }
  }

  /// Takes the locks of a run that writes to a folder, as far as they are there, without waiting.
  private static func runLocks(
    of folder: Directory, _ appLock: FileName?
  ) throws(FileError) -> [FolderLock] {
    var places = [(folder, appLock)]
    if let state = try folder.openDirectoryIfPresent(RelativePath(FolderNames.state)) {
      places.append((state, FolderNames.stateLock))
    }
    var locks: [FolderLock] = []
    for case (let directory, let name?) in places {
      let lock = try FolderLock.acquire(
        in: directory, name: name, timeoutSeconds: 0, creating: false)
      if let lock { locks.append(lock) }
    }
    return locks
  }

  /// Writes the files of a group: one for all that have no month, one for each other entity.
  mutating func write(_ group: ExportedGroup) throws(MigrationError) {
    guard !group.entities.isEmpty else { return }
    guard group.group.month != nil else {
      return try write([(EntityPlace.common.legacyPath, Self.commonFile(group))])
    }
    try write(
      group.entities.map { ($0.place.legacyPath, Array(group.bytes[$0.json]) + [0x0a]) })
  }

  /// Prepares to write a file of a backup, such as an image, which is published later; nil if there
  /// is nothing to write.
  mutating func stage(_ entry: BackupEntry) throws(MigrationError) -> FileWriter? {
    guard let folder else {
      filesCreated += 1
      return nil
    }
    var isEqual = false
    do throws(FileError) {
      guard let parent = entry.path.parent, let name = entry.path.lastComponent else { return nil }
      if let state = try folder.stateIfPresent(of: entry.path) {
        if state.size == entry.size {
          isEqual = try hasher.hash(name, in: folder.openDirectory(parent)).hash == entry.hash
        }
      } else {
        filesCreated += 1
        guard !isDryRun else { return nil }
        return try folder.createDirectory(parent).stageFile(
          as: name, replacing: .nothing, asPrivateAs: privacy)
      }
    } catch {
      throw MigrationError(error)
    }
    guard isEqual else { throw .existsWithOtherBytes(path: entry.path.description) }
    filesUnchanged += 1
    return nil
  }

  private static func commonFile(_ group: ExportedGroup) -> [UInt8] {
    var bytes = Array("{\"tags\":[".utf8)
    for (index, entity) in group.entities.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: group.bytes[entity.json])
    }
    bytes.append(contentsOf: "]}\n".utf8)
    return bytes
  }

  /// Publishes the files of one directory, after looking that none would replace another.
  mutating func write(
    _ files: [(path: RelativePath, bytes: [UInt8])]
  ) throws(MigrationError) {
    var new: [(path: RelativePath, bytes: [UInt8])] = []
    var buffer: [UInt8] = []
    for file in files {
      guard try isPresent(file.path, file.bytes, &buffer) else {
        new.append(file)
        continue
      }
      filesUnchanged += 1
    }
    filesCreated += new.count
    guard !isDryRun, let folder, let parent = new.first?.path.parent else { return }
    if context.isInterrupted() { throw .interrupted }
    do throws(FileError) {
      let directory = try folder.createDirectory(parent)
      var staged: [StagedFile] = []
      do throws(FileError) {
        for file in new {
          guard let name = file.path.lastComponent else { continue }
          staged.append(
            try directory.stage(
              file.bytes, as: name, replacing: .nothing, asPrivateAs: privacy
            ).unlocked)
        }
      } catch {
        for file in staged { file.discard() }
        throw error
      }
      try StagedFile.publish(staged)
    } catch {
      throw MigrationError(error)
    }
  }

  /// Whether a file of the destination is there; throws if it has other bytes.
  private func isPresent(
    _ path: RelativePath, _ bytes: [UInt8], _ buffer: inout [UInt8]
  ) throws(MigrationError) -> Bool {
    guard let folder else { return false }
    do throws(FileError) {
      guard let (parent, name) = try folder.openParent(of: path) else { return false }
      try parent.read(name, into: &buffer, limit: bytes.count)
    } catch {
      switch error {
      case .missing: return false
      case .tooLarge: throw .existsWithOtherBytes(path: path.description)
      default: throw MigrationError(error)
      }
    }
    guard buffer == bytes else { throw .existsWithOtherBytes(path: path.description) }
    return true
  }
}

/// Everything a folder holds as an interchange stream in memory.
struct ExportedStream {
  /// The whole stream.
  let bytes: [UInt8]
  /// What the export found.
  let findings: [Finding]

  /// Exports a folder.
  init(
    of path: String, numericDates: NumericDates?, context: RunContext
  ) throws(MigrationError) {
    let content = Mutex<[UInt8]>([])
    var options = ExportOptions(
      source: path,
      destination: .stream(
        ByteSink(name: path) { bytes in content.withLock { $0.append(contentsOf: bytes) } }))
    options.numericDates = numericDates
    // Nothing leaves here: whoever reads it leaves out what nobody asked for.
    options.includesPrivate = true
    findings = try ExportWorkflow(options, context: context).perform().findings
    bytes = content.withLock { $0 }
  }
}
