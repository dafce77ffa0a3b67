import Automerge
import Folders

/// The changes of a document's new entities, in the order they were read.
struct GroupContent {
  /// One entity with the changes it consists of.
  struct Entry: Sendable {
    var identity: Identity
    var position: SourcePosition
    /// The hashes that tell equal content from different content.
    var content: ChangeHash
    var images: ChangeHash?
    /// The indexes of its changes in the batch.
    var changes: Range<Int>

    /// What two entities with the same fields and images have in common.
    var hashes: [ChangeHash?] { [content, images] }
  }

  private(set) var entries: [Entry] = []
  private var batch = ChangeBatch(keepsChunks: false)
  private var changes = ConvergentChanges()
  private var draft = ChangeDraft()

  init() {}

  var isEmpty: Bool { entries.isEmpty }

  /// Forgets all entities.
  mutating func removeAll() {
    entries = []
    batch = ChangeBatch(keepsChunks: false)
  }

  /// Builds and adds the changes of an entity.
  mutating func add(_ entity: LegacyEntity, of source: EntityBatch, at position: SourcePosition) {
    changes.build(entity, of: source)
    let first = batch.count
    batch.append(changes.skeleton)
    batch.append(changes.content)
    if changes.hasImages { batch.append(changes.images) }
    entries.append(
      Entry(
        identity: entity.identity, position: position, content: changes.content.hash,
        images: changes.hasImages ? changes.images.hash : nil, changes: first..<batch.count))
  }

  /// Adds an entity of a stream, whose changes were built when its line was read.
  mutating func add(
    _ entity: StreamSpool.Entity, chunks: ArraySlice<UInt8>
  ) throws(FormatError) {
    let first = batch.count
    try batch.append(parsing: Array(chunks))
    entries.append(
      Entry(
        identity: entity.identity, position: entity.position, content: entity.content,
        images: entity.images, changes: first..<batch.count))
  }

  /// Takes back the entity that was added last.
  mutating func removeLast() {
    guard let last = entries.popLast() else { return }
    batch.reorder(Array(0..<last.changes.lowerBound))
  }

  /// Returns `base` with the entities added, and how many changes that took; the entities are
  /// forgotten, so that they are not there twice while the document is encoded, which is all that can
  /// be done with it.
  ///
  /// Changes are applied by identity, variants of one identity by their hashes, so that neither the
  /// order of files nor their names show in a document.
  mutating func document(
    onto base: DocumentState?, history: HistoryChoice
  ) throws(FormatError) -> (document: DocumentState, changesAdded: Int) {
    sortChanges()
    defer { removeAll() }
    var document = base ?? DocumentState()
    switch history {
    case .convergent:
      // The join goes along with what it joins: one pass over the document instead of two.
      let outlook = try document.outlook(applying: batch)
      if outlook.heads != document.heads, outlook.heads.count > 1 {
        JoinChange.build(of: outlook.heads, maxCounter: outlook.maxCounter, in: &draft)
        batch.append(draft)
      }
      let added = try document.apply(batch)
      return (document, added)
    case .plain:
      var source = DocumentState()
      try source.apply(batch)
      guard source.operationCount < Int(UInt32.max - document.maxCounter) else {
        throw FormatError(.counterOutOfRange, at: 0)
      }
      PlainChange.build(flattening: source, onto: document, in: &draft)
      let added = try document.apply(ChangeBatch(draft))
      return (document, added)
    }
  }

  private mutating func sortChanges() {
    entries.sort { left, right in
      if left.identity != right.identity { return left.identity < right.identity }
      if left.content != right.content { return left.content < right.content }
      guard let image = right.images else { return false }
      return left.images.map { $0 < image } ?? true
    }
    var order: [Int] = []
    order.reserveCapacity(batch.count)
    for entry in entries { order.append(contentsOf: entry.changes) }
    entries = []
    batch.reorder(order)
  }
}

extension ChangeBatch {
  /// Creates a batch of one change.
  fileprivate init(_ draft: borrowing ChangeDraft) {
    self.init()
    append(draft)
  }
}
