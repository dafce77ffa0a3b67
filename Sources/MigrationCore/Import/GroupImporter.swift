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
    /// Files that could not be read when their dates were looked for: nobody knows their months.
    var undatedFiles: Set<UInt32> = []
    var layout: DocumentLayout
    var history: HistoryChoice
    /// Whether entities that documents show already are compared with what was imported.
    var comparesKnown = true
    /// Whether entities without a convergent import in the history are compared, too.
    var updates = false
    /// The kinds that nobody asked for.
    var withheld: Set<EntityKind> = []
    var duplicates = Duplicates()
    /// Where documents go that are finished; nil in a dry run, which keeps none.
    var publisher: DocumentPublisher?
    /// Whether documents that go nowhere keep their bytes.
    var keepsBytes = false
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
    /// What the entities are.
    var kind = EntityKind.other
    /// How many files the imported entities name that stay beside the documents.
    var imageCount = 0
    /// What they hold that the schema does not name.
    var unknownFields = UnknownFields()
  }

  let input: Input
  /// Whether the entities are in files.
  private let isFolder: Bool
  private var reader: EntityReader
  /// Reads further places of an identity while `reader` holds the first one.
  private var variantReader: EntityReader
  var loader: DocumentLoader?
  /// The new entities of each document that is being made; of one, unless dates decide.
  var contents: [GroupContent]
  /// Where in them the entities of a month are, if dates decide.
  var contentOfMonth: [Month?: Int] = [:]
  /// Where the entity is that was added last.
  var current = 0
  /// What an import of a known entity would write.
  private var changes: EntityChanges

  // The group being imported.
  var group = EntityGroup.first
  var outcome = Outcome()
  var takenNames: Set<[UInt8]> = []
  var blockers: Set<RelativePath> = []
  /// How many files of the group could not be read, although they may be in a moment.
  var unreadCount = 0

  init(_ input: Input) {
    self.input = input
    if case .folder = input.source { isFolder = true } else { isFolder = false }
    let kinds = input.targetInventory.kinds
    contents = [GroupContent(kinds)]
    changes = EntityChanges(kinds)
    loader = input.target.map { DocumentLoader($0, input.targetInventory) }
    reader = EntityReader(input.source, kinds)
    variantReader = EntityReader(input.source, kinds)
  }

  /// Reads the entities of a group and builds its documents.
  mutating func importGroup(_ group: EntityGroup) throws(MigrationError) -> Outcome {
    self.group = group
    outcome = Outcome()
    outcome.kind = group.kind
    blockers.removeAll()
    unreadCount = 0
    let items = input.source.items(of: group)
    guard !input.withheld.contains(group.kind) else {
      for item in items { try leaveOut(item) }
      noteDocumentsLeftAlone()
      return outcome
    }
    removeContents(expecting: items.count)
    takenNames = input.layout == .perRecord ? existingNames() : []
    for item in items { try take(item) }
    if decidesByDate {
      try finishMonths()
    } else if input.layout == .monthly || group.month == nil,
      kinds.hasDocument(of: group.kind, month: group.month)
    {
      try finish(at: documentPath(of: group))
    }
    if kinds.isGroupedByDate(group.kind) { unreadCount = max(unreadCount, undatedCount) }
    if unreadCount > 0, !input.isInPlace { withhold() }
    for path in blockers.sorted() {
      outcome.untouched.append(ImportReport.Document(place: path, outcome: .waiting))
    }
    return outcome
  }

  private mutating func removeContents(expecting count: Int) {
    contents.removeLast(contents.count - 1)
    contents[0].removeAll(expecting: count)
    contentOfMonth = [:]
    current = 0
  }

  var kinds: EntityKinds { input.targetInventory.kinds }

  /// Whether the entities of the group belong to several documents, by their dates.
  private var decidesByDate: Bool {
    isFolder && kinds.isDated(group.kind) && !kinds.isGroupedByDate(group.kind)
  }

  /// How many files of the kind may belong to any month.
  private var undatedCount: Int {
    guard case .folder(_, let inventory, _) = input.source else { return 0 }
    return input.undatedFiles.count { inventory.kind(of: Int($0)) == group.kind }
  }

  private func title(of identity: Identity) -> String { kinds.title(group.kind, identity) }

  // MARK: Entities

  private mutating func take(_ item: UInt32) throws(MigrationError) {
    try reader.read(item)
    let batch = reader.batch
    outcome.findings.append(contentsOf: batch.findings)
    if !reader.isRead { unreadCount += 1 }
    if reader.isRead, input.undatedFiles.contains(item) { return wait(item, batch) }
    let count = batch.entityCount(of: group.kind)
    outcome.counts.read += count
    outcome.counts.rejected += count - batch.entities.count
    for entity in batch.entities {
      let position = SourcePosition(item: item, element: UInt32(entity.position))
      if try shallAdd(entity.identity, at: position) {
        try addFirst(entity, of: batch, at: position)
      } else if input.comparesKnown {
        try compareKnown(entity, of: batch, at: position)
      }
    }
  }

  /// Adds the entity at the first place of its identity, and with it what the others say.
  private mutating func addFirst(
    _ entity: LegacyEntity, of batch: EntityBatch, at position: SourcePosition
  ) throws(MigrationError) {
    choose(entity.month)
    try add(entity, of: batch, at: position)
    outcome.imageCount += batch.attachedNameCount(of: entity)
    outcome.unknownFields.note(entity, of: batch)
    try close(entity.identity, at: position)
  }

  /// Leaves the entities of a file for the next run: it could not be read when its month was wanted.
  private mutating func wait(_ item: UInt32, _ batch: EntityBatch) {
    outcome.counts.read += batch.entities.count
    outcome.counts.waiting += batch.entities.count
    var finding = Finding.unreadAtFirst
    finding.path = input.source.path(of: item)
    outcome.findings.append(finding)
  }

  /// Counts the entities of a file of a private kind that nobody asked for.
  private mutating func leaveOut(_ file: UInt32) throws(MigrationError) {
    try reader.read(file)
    let batch = reader.batch
    outcome.findings += batch.findings.map(\.asInformation)
    let count = batch.entityCount(of: group.kind)
    outcome.counts.read += count
    outcome.counts.leftOut += count
  }

  /// Takes the content that the entities of a month belong to, if dates decide about that.
  private mutating func choose(_ month: Month?) {
    guard decidesByDate else { return }
    if let known = contentOfMonth[month] {
      current = known
    } else {
      // The first one is there from the beginning.
      if !contentOfMonth.isEmpty { contents.append(GroupContent(kinds)) }
      current = contents.count - 1
      contentOfMonth[month] = current
    }
  }

  private mutating func add(
    _ entity: LegacyEntity, of batch: EntityBatch, at position: SourcePosition
  ) throws(MigrationError) {
    try Self.expectingNoRefusal { () throws(EntityRefusal) in
      try contents[current].add(entity, of: batch, at: position)
    }
  }

  /// Does what nothing is refused by that was read as valid.
  private static func expectingNoRefusal(
    _ body: () throws(EntityRefusal) -> Void
  ) throws(MigrationError) {
    do throws(EntityRefusal) { try body() } catch {
      throw .brokenInvariant("a valid entity was refused: \(error)")
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
          message: "\(title(of: identity)) was deleted in a document and stays deleted"))
      return false
    case nil: break
    }
    if let document = input.index.documentSetAside(holding: identity, group.kind) {
      outcome.counts.setAside += 1
      outcome.findings.append(
        document.finding(
          .error, about: title(of: identity),
          at: input.source.path(of: position.item), "is not imported"))
      return false
    }
    if let blocker = input.index.blocker(of: group, stem: input.source.stem(of: position.item)) {
      outcome.counts.waiting += 1
      if blockers.insert(blocker).inserted {
        outcome.findings.append(
          Finding(
            .kept, .error, path: blocker.description,
            message: "cannot be read, so entities that may be in it are not imported",
            next: "fetch or restore the document, then run again"))
      }
      return false
    }
    outcome.candidates.append(Duplicates.Candidate(identity: identity, position: position))
    // The first place of an identity takes the others along.
    if let positions = input.duplicates.positions(of: identity, group.kind) {
      return positions.first == position
    }
    return true
  }

  /// Notes an entity that a document shows, and whether it changed since it was imported.
  private mutating func compareKnown(
    _ entity: LegacyEntity, of batch: EntityBatch, at position: SourcePosition
  ) throws(MigrationError) {
    guard input.index.known[group.kind, entity.identity] == .visible else { return }
    try Self.expectingNoRefusal { () throws(EntityRefusal) in
      try changes.build(entity, of: batch)
    }
    let candidate = UpdateCandidate(
      identity: entity.identity, kind: group.kind, position: position, content: changes.contentWord)
    outcome.known.append(candidate)
    guard
      !input.index.changes.hold(changes)
        || input.index.showsLoss(entity.identity, group.kind)
    else { return }
    // What was never imported did not change since: apps make documents, too.
    let isImported = changes.skeleton.map(input.index.changes.hold) ?? false
    guard input.updates || isImported else { return }
    outcome.changed.append(candidate)
  }

  /// Completes an entity that was just added: with its variants, and with its document in the
  /// per-record layout.
  private mutating func close(
    _ identity: Identity, at position: SourcePosition
  ) throws(MigrationError) {
    outcome.counts.imported += 1
    let others = input.duplicates.positions(of: identity, group.kind)
    if let others, others.count > 1 { try addVariants(identity, at: others.dropFirst()) }
    guard input.layout == .perRecord, let month = group.month else { return }
    let positions = others ?? [position]
    let stem = freeName(input.source.baseStem(of: position, among: positions), for: identity)
    try finish(at: input.layout.documentPath(for: .dated(month, name: stem)))
  }

  private mutating func addVariants(
    _ identity: Identity, at positions: ArraySlice<SourcePosition>
  ) throws(MigrationError) {
    let first = contents[current].entries.count - 1
    var known: Set = [contents[current].hashes(of: contents[current].entries[first])]
    for position in positions {
      try addVariant(identity, at: position)
      let variants = contents[current].entries[first...]
      guard let added = variants.last, variants.count > 1 else { continue }
      let path = input.source.path(of: position.item)
      let original = input.source.path(of: variants[first].position.item)
      let hashes = contents[current].hashes(of: added)
      if known.contains(hashes) {
        contents[current].removeLast()
        outcome.counts.duplicates += 1
        outcome.findings.append(
          Finding(
            .duplicateEntity, .info, path: path,
            message: "holds the same \(kinds.name(of: group.kind)) as \(original)"))
      } else if input.history == .plain {
        contents[current].removeLast()
        outcome.counts.rejected += 1
        outcome.findings.append(
          Finding(
            .duplicateID, .error, path: path,
            message: "holds \(title(of: identity)) with other content than \(original)",
            next: "decide which is right; a plain history holds only the first"))
      } else {
        known.insert(hashes)
        outcome.counts.imported += 1
        outcome.findings.append(
          Finding(
            .duplicateID, .error, path: path,
            message: "holds \(title(of: identity)) with other content than \(original)",
            next: "both are kept as conflicting values; see inspect-crdt --conflicts"))
      }
    }
  }

  private mutating func addVariant(
    _ identity: Identity, at position: SourcePosition
  ) throws(MigrationError) {
    try variantReader.read(position.item)
    let batch = variantReader.batch
    for entity in batch.entities
    where entity.identity == identity && entity.position == Int(position.element) {
      try add(entity, of: batch, at: position)
    }
  }
}
