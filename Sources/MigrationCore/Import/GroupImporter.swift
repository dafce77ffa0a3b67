import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// Turns the entities of one group after another into documents. One worker has one importer.
struct GroupImporter {
  /// What all workers of an import share.
  struct Input: Sendable {
    var source: ImportSource
    /// Nil if a dry run would have to create it; then it holds no documents.
    var target: Directory?
    var targetInventory: FolderInventory
    var index: FolderIndex
    /// Whether what the entities come from stays beside the documents.
    var isInPlace: Bool
    var layout: DocumentLayout
    var history: HistoryChoice
    /// Whether entities without a convergent import in the history are compared, too.
    var updates = false
    var duplicates = Duplicates()
  }

  /// What became of a group.
  package struct Outcome: Sendable {
    var counts = ImportReport.Counts()
    var findings: [Finding] = []
    /// The entities that became part of documents.
    var candidates: [Duplicates.Candidate] = []
    /// The entities that documents show already.
    var known: [UpdateCandidate] = []
    /// Those of them that no document ever held as they are.
    var changed: [UpdateCandidate] = []
    /// The documents to publish.
    var documents: [BuiltDocument] = []
    /// Documents that entities of the group wait for, or that know all of them already.
    var untouched: [ImportReport.Document] = []
    /// The counts of tags, if the group is theirs, and of records.
    var tags: ImportReport.Counts { isOfTags ? counts : ImportReport.Counts() }
    var records: ImportReport.Counts { isOfTags ? ImportReport.Counts() : counts }
    var isOfTags = false
    /// How many images the imported records name.
    var imageCount = 0
    /// What they hold that the schema does not name.
    var unknownFields = UnknownFields()
  }

  private let input: Input
  private var reader: LegacyReader?
  /// Reads further files of an identity while `reader` holds the first one.
  private var variantReader: LegacyReader?
  private var loader: DocumentLoader?
  private var content = GroupContent()
  /// What an import of a known entity would write.
  private var changes = ConvergentChanges()

  // The group being imported.
  private var group = EntityGroup.tags
  private var outcome = Outcome()
  private var takenNames: Set<[UInt8]> = []
  private var blockers: Set<String> = []
  /// How many files of the group could not be read, although they may be in a moment.
  private var unreadCount = 0

  init(_ input: Input) {
    self.input = input
    loader = input.target.map { DocumentLoader($0, input.targetInventory) }
    if case .folder(let directory, let inventory, let rules) = input.source {
      reader = LegacyReader(directory, inventory, rules: rules)
      variantReader = LegacyReader(directory, inventory, rules: rules)
    }
  }

  /// Reads the entities of a group and builds its documents.
  mutating func importGroup(_ group: EntityGroup) throws(MigrationError) -> Outcome {
    self.group = group
    outcome = Outcome()
    outcome.isOfTags = group.kind == .tag
    blockers.removeAll()
    unreadCount = 0
    let items = input.source.items(of: group)
    content.removeAll(expecting: items.count)
    takenNames = input.layout == .perRecord ? existingNames() : []
    for item in items { try take(item) }
    if input.layout == .monthly || group.kind == .tag {
      try finish(at: documentPath(of: group))
    }
    if unreadCount > 0, !input.isInPlace { withhold() }
    for path in blockers.sorted() {
      outcome.untouched.append(
        ImportReport.Document(
          path: path, outcome: .waiting, entitiesAdded: 0, changesAdded: 0, byteCount: 0))
    }
    return outcome
  }

  // MARK: Entities

  private mutating func take(_ item: UInt32) throws(MigrationError) {
    switch input.source {
    case .folder:
      reader?.read(Int(item))
      guard let batch = reader?.batch else { return }
      outcome.findings.append(contentsOf: batch.findings)
      if reader?.state == nil { unreadCount += 1 }
      // A file that cannot be read at all stands for one entity.
      let isLost = group.kind == .record && batch.entities.isEmpty && batch.refusedCount == 0
      let refused = isLost ? 1 : batch.refusedCount
      outcome.counts.read += batch.entities.count + refused
      outcome.counts.rejected += refused
      for entity in batch.entities {
        let position = SourcePosition(item: item, element: UInt32(entity.position))
        if try shallAdd(entity.identity, at: position) {
          content.add(entity, of: batch, at: position)
          outcome.imageCount += batch.imageCount(of: entity)
          outcome.unknownFields.note(entity, of: batch)
          try close(entity.identity, at: position)
        } else {
          compareKnown(entity, of: batch, at: position)
        }
      }
    case .stream(let spool):
      let entity = spool.entities[Int(item)]
      outcome.counts.read += 1
      if try shallAdd(entity.identity, at: entity.position) {
        try add(entity, of: spool)
        outcome.imageCount += entity.imageCount
        try close(entity.identity, at: entity.position)
      }
    }
  }

  /// Decides what becomes of an entity and counts it, unless it is to be added.
  private mutating func shallAdd(
    _ identity: Identity, at position: SourcePosition
  ) throws(MigrationError) -> Bool {
    switch input.index.known[group.kind, identity] {
    case .visible:
      outcome.counts.known += 1
      return false
    case .deleted:
      outcome.counts.deleted += 1
      outcome.findings.append(
        Finding(
          .deleted, .info, path: input.source.path(of: position.item),
          message: "\(group.kind.rawValue) \(identity) was deleted in a document and stays deleted")
      )
      return false
    case nil: break
    }
    if let document = input.index.setAside.document(holding: identity, group.kind) {
      outcome.counts.setAside += 1
      outcome.findings.append(
        document.finding(
          .error, about: "\(group.kind.rawValue) \(identity)",
          at: input.source.path(of: position.item), "is not imported"))
      return false
    }
    if let blocker = input.index.blocker(
      of: group.kind, in: group.month, stem: input.source.stem(of: position.item))
    {
      outcome.counts.waiting += 1
      if blockers.insert(blocker).inserted {
        outcome.findings.append(
          Finding(
            .kept, .error, path: blocker,
            message: "cannot be read, so entities that may be in it are not imported",
            next: "fetch or restore the document, then run again"))
      }
      return false
    }
    outcome.candidates.append(
      Duplicates.Candidate(identity: identity, position: position, group: group))
    // The first place of an identity takes the others along.
    if let positions = input.duplicates.positions(of: identity, group.kind) {
      return positions.first == position
    }
    return true
  }

  /// Notes an entity that a document shows, and whether it changed since it was imported.
  private mutating func compareKnown(
    _ entity: LegacyEntity, of batch: EntityBatch, at position: SourcePosition
  ) {
    guard input.index.known[group.kind, entity.identity] == .visible else { return }
    changes.build(entity, of: batch)
    let images = changes.hasImages ? changes.images.hash.leadingWord : 0
    let candidate = UpdateCandidate(
      identity: entity.identity, kind: group.kind, position: position,
      content: changes.content.hash.leadingWord ^ images)
    outcome.known.append(candidate)
    guard !input.index.changes.hold(changes) else { return }
    // What was never imported did not change since: apps make documents, too.
    guard input.updates || input.index.changes.hold(changes.skeleton.hash) else { return }
    outcome.changed.append(candidate)
  }

  /// Completes an entity that was just added: with its variants, and with its document in the
  /// per-record layout.
  private mutating func close(
    _ identity: Identity, at position: SourcePosition
  ) throws(MigrationError) {
    outcome.counts.imported += 1
    let positions = input.duplicates.positions(of: identity, group.kind) ?? [position]
    if positions.count > 1 { try addVariants(identity, at: positions.dropFirst()) }
    guard input.layout == .perRecord, let month = group.month else { return }
    let stem = freeName(input.source.baseStem(of: position, among: positions), for: identity)
    try finish(at: input.layout.documentPath(for: .record(month, name: stem)))
  }

  private mutating func addVariants(
    _ identity: Identity, at positions: ArraySlice<SourcePosition>
  ) throws(MigrationError) {
    let first = content.entries.count - 1
    var known: Set = [content.hashes(of: content.entries[first])]
    for position in positions {
      try addVariant(identity, at: position)
      let variants = content.entries[first...]
      guard let added = variants.last, variants.count > 1 else { continue }
      let path = input.source.path(of: position.item)
      let original = input.source.path(of: variants[first].position.item)
      let hashes = content.hashes(of: added)
      if known.contains(hashes) {
        content.removeLast()
        outcome.counts.duplicates += 1
        outcome.findings.append(
          Finding(
            .duplicateEntity, .info, path: path,
            message: "holds the same \(group.kind.rawValue) as \(original)"))
      } else if input.history == .plain {
        content.removeLast()
        outcome.counts.rejected += 1
        outcome.findings.append(
          Finding(
            .duplicateID, .error, path: path,
            message: "holds \(group.kind.rawValue) \(identity) with other content than \(original)",
            next: "decide which is right; a plain history holds only the first"))
      } else {
        known.insert(hashes)
        outcome.counts.imported += 1
        outcome.findings.append(
          Finding(
            .duplicateID, .error, path: path,
            message: "holds \(group.kind.rawValue) \(identity) with other content than \(original)",
            next: "both are kept as conflicting values; see inspect-crdt --conflicts"))
      }
    }
  }

  private mutating func addVariant(
    _ identity: Identity, at position: SourcePosition
  ) throws(MigrationError) {
    switch input.source {
    case .folder:
      variantReader?.read(Int(position.item))
      guard let batch = variantReader?.batch else { return }
      for entity in batch.entities
      where entity.identity == identity && entity.position == Int(position.element) {
        content.add(entity, of: batch, at: position)
      }
    case .stream(let spool):
      try add(spool.entities[Int(position.item)], of: spool)
    }
  }

  private mutating func add(
    _ entity: StreamSpool.Entity, of spool: StreamSpool
  ) throws(MigrationError) {
    do {
      try content.add(entity, chunks: spool.chunks(of: entity))
    } catch {
      throw .brokenInvariant("a change built from a stream does not parse: \(error.problem)")
    }
  }

  /// Takes back what was read of a group of which some files could not be read.
  ///
  /// In place those files stay beside the document, and verification tells that it lacks them.
  /// Elsewhere nothing would: a month in part looks like a whole one.
  private mutating func withhold() {
    guard !outcome.documents.isEmpty else { return }
    outcome.counts.waiting += outcome.counts.imported + outcome.counts.duplicates
    outcome.counts.imported = 0
    outcome.counts.duplicates = 0
    outcome.candidates = []
    outcome.documents = []
    outcome.imageCount = 0
    outcome.unknownFields = UnknownFields()
    let files = unreadCount.counted("file")
    outcome.findings.append(
      Finding(
        .kept, .error, path: documentPath(of: group).description,
        message: "is not written: \(files) of its month cannot be read, and nothing here would "
          + "tell that it lacks them",
        next: "run the command again once they can be read"))
  }

  // MARK: Documents

  private func documentPath(of group: EntityGroup) -> RelativePath {
    group.month.map { DocumentLayout.documentPath(of: $0) }
      ?? input.layout.documentPath(for: .tags)
  }

  /// Builds the document at a path from the entities collected, and forgets them.
  private mutating func finish(at path: RelativePath) throws(MigrationError) {
    // In the per-record layout no name is given out that a document has already.
    let mayExist = input.layout == .monthly || group.kind == .tag
    let existing =
      mayExist
      ? input.targetInventory.documents.first { self.path(of: $0) == path }.map(Int.init) : nil
    guard !content.isEmpty else {
      if let existing, !blockers.contains(input.targetInventory.path(of: existing).description) {
        outcome.untouched.append(
          ImportReport.Document(
            path: path.description, outcome: .unchanged, entitiesAdded: 0, changesAdded: 0,
            byteCount: 0))
      }
      return
    }
    var base: DocumentState?
    var replaced: FileVersion?
    if let existing, let growing = input.index.growing[existing] {
      base = growing.document
      replaced = growing.version
    } else if let existing {
      do {
        let loaded = try loader?.load(existing)
        base = loaded?.document
        replaced = loaded.flatMap { loader?.version($0.file) }
      } catch {
        // It could be read when the index was made.
        throw .folderChanging(path: path.description)
      }
    }
    let identities = Set(content.entries.map(\.identity)).count
    do {
      let result = try content.encodedDocument(onto: base, history: input.history)
      outcome.documents.append(
        BuiltDocument(
          path: path, bytes: result.bytes, replaced: replaced,
          entitiesAdded: identities, changesAdded: result.changesAdded))
    } catch {
      throw .damagedDocument(
        path: path.description, offset: nil,
        problem: "does not accept the import: \(error.problem)")
    }
  }

  private func path(of document: UInt32) -> RelativePath {
    input.targetInventory.path(of: Int(document))
  }

  /// The names that record documents of the month have already.
  private func existingNames() -> Set<[UInt8]> {
    let inventory = input.targetInventory
    return Set(
      inventory.documents.map(Int.init)
        .filter { inventory.month(of: $0) == group.month }
        .map { inventory.stem(of: $0) })
  }

  /// Returns the name a record's document gets: its own, or with the start of its identity if
  /// another record has that.
  private mutating func freeName(_ stem: [UInt8], for identity: Identity) -> [UInt8] {
    if takenNames.insert(stem).inserted { return stem }
    let longer = stem + [UInt8(ascii: "_")] + identity.canonicalBytes.prefix(8)
    takenNames.insert(longer)
    return longer
  }
}

extension EntityBatch {
  /// Returns how many images a record names.
  func imageCount(of entity: LegacyEntity) -> Int {
    entity.imagesNode.map { tape.childCount(of: $0) } ?? 0
  }
}
