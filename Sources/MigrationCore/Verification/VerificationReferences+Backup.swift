import Automerge
import Backups
import Folders
import SafeFiles
import Synchronization

extension VerificationReferences {
  /// The legacy files of a backup, which is verified first.
  static func backup(
    _ path: String, rules: EntityRules, context: RunContext
  ) throws(MigrationError) -> VerificationReferences {
    backup(
      try BackupAccess.verify(path, context: context), name: path, rules: rules, context: context)
  }

  /// The legacy files of a backup that was verified; of one without them, what its documents show.
  static func backup(
    _ backup: VerifiedBackup, name: String, rules: EntityRules, context: RunContext
  ) -> VerificationReferences {
    var references = VerificationReferences(name: name)
    references.images = .inBackup(backup.manifest, shown: name)
    guard backup.manifest.summary.holdsLegacyFiles else {
      references.entries = { body throws(MigrationError) in
        try forEachDocument(of: backup, context: context) { path, bytes throws(MigrationError) in
          let stream = try Self.stream(of: bytes, at: path, in: backup, rules: rules)
          try entries { () throws(FolderError) in
            try InterchangeReader(stream, name: path.description, rules: rules)
          }(body)
        }
      }
      return references
    }
    references.entries = { body throws(MigrationError) in
      let manifest = backup.manifest
      var batch = EntityBatch()
      var current: (entry: Int, bytes: [UInt8])?
      var failure: MigrationError?
      /// Hands the file over whose last piece was read.
      func finish() throws(MigrationError) {
        guard let (entry, bytes) = current else { return }
        current = nil
        let path = manifest[entry].path
        guard let (fileClass, month) = LegacyPath.classify(path) else { return }
        batch.load(bytes, as: fileClass, path: path.description, rules: rules)
        try body(batch, month, path.description)
      }
      do throws(BackupError) {
        try backup.read(
          context: BackupContext(context, phase: .verifying),
          where: { manifest[$0].kind == .file && LegacyPath.classify(manifest[$0].path) != nil }
        ) { entry, piece throws(BackupError) in
          if let open = current, open.entry == entry {
            current?.bytes.append(contentsOf: piece)
            return
          }
          do throws(MigrationError) { try finish() } catch {
            failure = error
            throw .interrupted
          }
          current = (entry, piece)
        }
      } catch {
        throw failure ?? MigrationError(error)
      }
      try finish()
    }
    return references
  }

  // MARK: Backups of documents alone

  private static func forEachDocument(
    of backup: VerifiedBackup, context: RunContext,
    _ body: (RelativePath, [UInt8]) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    let manifest = backup.manifest
    var current: (entry: Int, bytes: [UInt8])?
    var failure: MigrationError?
    do throws(BackupError) {
      try backup.read(
        context: BackupContext(context, phase: .verifying),
        where: { manifest[$0].kind == .file && isDocument(manifest[$0].path) }
      ) { entry, piece throws(BackupError) in
        if let document = current, document.entry != entry {
          current = nil
          do throws(MigrationError) {
            try body(manifest[document.entry].path, document.bytes)
          } catch {
            failure = error
            throw .interrupted
          }
        }
        current = (entry, (current?.bytes ?? []) + piece)
      }
    } catch {
      throw failure ?? MigrationError(error)
    }
    if let current { try body(manifest[current.entry].path, current.bytes) }
  }

  /// `tags.automerge`, or a document below `records`.
  private static func isDocument(_ path: RelativePath) -> Bool {
    let isInPlace =
      path == RelativePath(FolderNames.tagsDocument)
      || path.components.first.map { DirectoryName.isBase("records", $0.bytes.span) } ?? false
    return isInPlace && path.isDocument
  }

  /// What a document shows, as an interchange stream.
  private static func stream(
    of bytes: [UInt8], at path: RelativePath, in backup: VerifiedBackup, rules: EntityRules
  ) throws(MigrationError) -> [UInt8] {
    let document: DocumentState
    do {
      document = try DocumentState(loading: bytes)
    } catch {
      throw .damagedDocument(
        path: "\(backup.archive.path): \(path)", offset: error.offset, problem: error.problem)
    }
    var exporter = GroupExporter(
      GroupExporter.Plan(
        folder: backup.archive.directory, inventory: FolderInventory(), rules: rules, form: .stream)
    )
    var name = path.lastComponent?.bytes ?? []
    name.removeLast(FolderNames.documentExtension.utf8.count)
    let content = Mutex<[UInt8]>([])
    var destination = StreamDestination(
      ByteSink(name: path.description) { bytes in
        content.withLock { $0.append(contentsOf: bytes) }
      })
    for group in exporter.export(document, named: name, path: path.description) {
      try destination.write(group)
    }
    try destination.finish()
    return content.withLock { $0 }
  }
}
