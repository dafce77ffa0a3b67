import Automerge
import Backups
import FolderDocuments
import Folders
import Runs
import SafeFiles
import Synchronization

/// The entities of a verified backup: those of its legacy files; of one without them, what its
/// documents show.
struct BackupEntities {
  private let backup: VerifiedBackup
  private let rules: EntityRules
  private let context: RunContext

  init(of backup: VerifiedBackup, rules: EntityRules, context: RunContext) {
    self.backup = backup
    self.rules = rules
    self.context = context
  }

  /// Calls its argument with one batch of entities after the other, the month they belong to and
  /// what messages call their place; reads the archive once.
  func forEachBatch(
    _ body: (EntityBatch, Month?, String) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    if holdsLegacyFiles {
      var batch = EntityBatch(kinds: context.kinds)
      try forEachFile(where: { legacyGroup(of: $0) != nil }) {
        path, bytes throws(MigrationError) in
        guard let (kind, month) = legacyGroup(of: path) else { return }
        batch.load(
          bytes, as: kind, path: path,
          identifiedBy: context.kinds.overlaidPath(of: path) ?? path, rules: rules)
        try body(batch, month, path.description)
      }
    } else {
      try forEachFile(where: isDocument) { path, bytes throws(MigrationError) in
        let stream = try stream(of: bytes, at: path)
        try InterchangeReader.forEachBatch(body) { () throws(FolderError) in
          try InterchangeReader(stream, name: path.description, of: context.kinds, rules: rules)
        }
      }
    }
  }

  /// A manifest knows the files of the profile that the backup was made with.
  private var holdsLegacyFiles: Bool {
    let manifest = backup.manifest
    if manifest.summary.scope == BackupScope(context.kinds) {
      return manifest.summary.holdsLegacyFiles
    }
    return (0..<manifest.count).contains {
      manifest[$0].kind == .file && legacyGroup(of: manifest[$0].path) != nil
    }
  }

  private func legacyGroup(of path: RelativePath) -> (kind: EntityKind, month: Month?)? {
    return context.kinds.legacyGroup(ofPath: path).map { ($0.kind, $0.month) }
  }

  private func forEachFile(
    where wants: (RelativePath) -> Bool,
    _ body: (RelativePath, [UInt8]) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    let manifest = backup.manifest
    try backup.readFiles(
      context: BackupContext(context, phase: .verifying),
      where: { manifest[$0].kind == .file && wants(manifest[$0].path) },
      wrapping: MigrationError.init
    ) { entry, bytes throws(MigrationError) in
      try body(manifest[entry].path, bytes)
    }
  }

  private func isDocument(_ path: RelativePath) -> Bool {
    context.kinds.documentGroup(ofPath: path) != nil
  }

  /// What a document shows, as an interchange stream.
  private func stream(
    of bytes: [UInt8], at path: RelativePath
  ) throws(MigrationError) -> [UInt8] {
    let document: DocumentState
    do {
      document = try DocumentState(loading: bytes)
    } catch {
      throw .damagedDocument(
        path: "\(backup.archive.path): \(path)", offset: error.offset, problem: error.problem)
    }
    let content = Mutex<[UInt8]>([])
    var destination = StreamDestination(
      ByteSink(name: path.description) { bytes in
        content.withLock { $0.append(contentsOf: bytes) }
      }, of: context.kinds)
    switch context.kinds.mapping {
    case .declared:
      guard let group = context.kinds.documentGroup(ofPath: path) else { break }
      var run = DeclaredExportRun(
        of: document, group, at: path, in: backup.archive.directory, to: destination,
        context: context)
      _ = try run.run()
    case .frozen:
      var exporter = GroupExporter(
        GroupExporter.Input(
          folder: backup.archive.directory, inventory: FolderInventory(), rules: rules,
          form: .stream))
      var name = path.lastComponent?.bytes ?? []
      name.removeLast(FolderNames.documentExtension.utf8.count)
      for group in exporter.export(document, named: name, path: path.description) {
        try destination.write(group)
      }
      try destination.finish()
    }
    return content.withLock { $0 }
  }
}

extension InterchangeReader {
  /// Calls `body` with one batch of a stream after the other, as `BackupEntities.forEachBatch` does.
  static func forEachBatch(
    _ body: (EntityBatch, Month?, String) throws(MigrationError) -> Void,
    of open: () throws(FolderError) -> InterchangeReader
  ) throws(MigrationError) {
    var reader: InterchangeReader
    do throws(FolderError) {
      reader = try open()
    } catch {
      throw MigrationError(error)
    }
    while true {
      do throws(FolderError) {
        guard try reader.next() else { return }
      } catch {
        throw MigrationError(error)
      }
      try body(reader.batch, reader.place.month, reader.place.description)
    }
  }
}

/// Files of a backup that are copied to an export, piece by piece.
///
/// They become visible together at the end, when the backup has proven their hashes.
struct BackupCopies {
  private let manifest: BackupManifest
  private var staged: [StagedFile] = []
  /// The file that is being written, by its number; nothing is written of one that is there.
  private var current: (entry: Int, file: FileWriter?)?

  private init(of manifest: BackupManifest) {
    self.manifest = manifest
  }

  /// Copies the files at some paths that a folder does not have any more.
  ///
  /// - Parameter stage: begins a copy; nil if there is nothing to write.
  static func copy(
    _ paths: Set<RelativePath>, from backup: VerifiedBackup, unlessIn folder: Directory,
    context: RunContext, _ stage: (BackupEntry) throws(MigrationError) -> FileWriter?
  ) throws(MigrationError) {
    let manifest = backup.manifest
    var wanted: Set<Int> = []
    for path in paths {
      let isThere = try MigrationError.wrapping { () throws(FileError) in
        try folder.stateIfPresent(of: path) != nil
      }
      if !isThere, let entry = manifest.position(of: path), manifest[entry].kind == .file {
        wanted.insert(entry)
      }
    }
    guard !wanted.isEmpty else { return }
    var copies = BackupCopies(of: manifest)
    do throws(MigrationError) {
      try backup.read(
        context: BackupContext(context, phase: .exporting), where: { wanted.contains($0) },
        wrapping: MigrationError.init
      ) { entry, piece throws(MigrationError) in
        try copies.append(piece, of: entry, stage)
      }
    } catch {
      copies.discard()
      throw error
    }
    try copies.publish()
  }

  /// Writes a piece of an entry; entries come one after the other.
  private mutating func append(
    _ piece: [UInt8], of entry: Int, _ stage: (BackupEntry) throws(MigrationError) -> FileWriter?
  ) throws(MigrationError) {
    if current?.entry != entry {
      try finishCurrent()
      let file = try stage(manifest[entry])
      current = (entry, file)
    }
    try MigrationError.wrapping { () throws(FileError) in try current?.file?.write(piece) }
  }

  /// Gives all of them their names.
  private mutating func publish() throws(MigrationError) {
    try finishCurrent()
    let files = staged
    try MigrationError.wrapping { () throws(FileError) in try StagedFile.publish(files) }
  }

  /// Removes what is not published.
  private mutating func discard() {
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
