import Automerge
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// The changes of a document's new entities, in the order they were read.
struct GroupContent {
  /// One entity with the changes it consists of.
  struct Entry: Sendable {
    var identity: Identity
    var position: SourcePosition
    /// Its changes in the batch, the skeleton first.
    var changes: Range<Int>
  }

  private(set) var entries: [Entry] = []
  private var batch: ChangeBatch
  private let kinds: EntityKinds
  private var changes: EntityChanges
  /// How many entities there will be in all, as far as is known.
  private var expectedCount = 0

  /// After so many entities room is made for all.
  private static let sampleCount = 64

  /// - Parameter keepsChunks: whether the changes themselves are looked at, and not only documents.
  init(_ kinds: EntityKinds, keepsChunks: Bool = false) {
    self.kinds = kinds
    batch = ChangeBatch(keepsChunks: keepsChunks)
    changes = EntityChanges(kinds)
  }

  var isEmpty: Bool { entries.isEmpty }

  /// Forgets all entities.
  ///
  /// - Parameter count: how many others are about to come.
  mutating func removeAll(expecting count: Int = 0) {
    entries = []
    batch.removeAll()
    expectedCount = count
  }

  /// Returns what two entities with the same fields and images have in common.
  func hashes(of entry: Entry) -> [ChangeHash] {
    entry.changes.dropFirst().map { batch.hash(of: $0) }
  }

  /// Builds and adds the changes of an entity.
  mutating func add(
    _ entity: LegacyEntity, of source: EntityBatch, at position: SourcePosition
  ) throws(EntityRefusal) {
    let first = batch.count
    do throws(EntityRefusal) {
      try changes.build(entity, of: source, into: &batch)
    } catch {
      batch.truncate(to: first)
      throw error
    }
    entries.append(
      Entry(
        identity: entity.identity, position: position, changes: first..<batch.count))
    makeRoom()
  }

  private mutating func makeRoom() {
    guard entries.count == Self.sampleCount, expectedCount > 2 * Self.sampleCount else { return }
    entries.reserveCapacity(expectedCount)
    batch.reserveCapacity(times: expectedCount / Self.sampleCount + 1)
  }

  /// Takes back the entity that was added last.
  mutating func removeLast() {
    guard let last = entries.popLast() else { return }
    batch.truncate(to: last.changes.lowerBound)
  }

  /// Returns `base` with the entities added, as a file, and how many changes that took; the entities
  /// are forgotten.
  ///
  /// Changes are applied by identity, variants of one identity by their hashes, so that neither the
  /// order of files nor their names show in a document.
  ///
  /// - Parameter kind: what all of the entities are.
  mutating func encodedDocument(
    of kind: EntityKind, onto base: DocumentState?, history: HistoryChoice
  ) throws(FormatError) -> Encoded {
    let order = sortedChanges(of: kind)
    let extent = DocumentExtent(of: batch)
    if base == nil, history == .convergent,
      let (bytes, count) = batch.takeDocument(of: order, joinedBy: Self.join)
    {
      return Encoded(bytes: bytes, changesAdded: count, extent)
    }
    batch.reorder(order)
    let (document, count) = try document(onto: base ?? DocumentState(), history: history)
    // Not there twice while the document is encoded.
    removeAll()
    return Encoded(
      bytes: document.encoded(), changesAdded: count, DocumentExtent(of: document))
  }

  /// Returns `base` with the entities added; they are forgotten.
  ///
  /// - Parameter kind: what all of the entities are.
  mutating func document(
    of kind: EntityKind, onto base: DocumentState
  ) throws(FormatError) -> DocumentState {
    batch.reorder(sortedChanges(of: kind))
    defer { removeAll() }
    return try document(onto: base, history: .convergent).document
  }

  /// A document as a file.
  struct Encoded {
    var bytes: [UInt8]
    var changesAdded: Int
    /// Why nobody could read it again, nil if it can be read.
    var defect: FormatError?

    fileprivate init(bytes: [UInt8], changesAdded: Int, _ extent: DocumentExtent) {
      self.bytes = bytes
      self.changesAdded = changesAdded
      defect = extent.readingDefect(ofFile: bytes)
    }
  }

  private mutating func document(
    onto base: consuming DocumentState, history: HistoryChoice
  ) throws(FormatError) -> (document: DocumentState, changesAdded: Int) {
    var document = base
    switch history {
    case .convergent:
      // The join goes along with what it joins: one pass over the document instead of two.
      let outlook = try document.outlook(applying: batch)
      if outlook.heads != document.heads,
        let join = Self.join(outlook.heads, maxCounter: outlook.maxCounter)
      {
        batch.append(join)
      }
      let added = try document.apply(batch)
      return (document, added)
    case .plain:
      var source = DocumentState()
      try source.apply(batch)
      guard source.operationCount < Int(UInt32.max - document.maxCounter) else {
        throw FormatError(.counterOutOfRange, at: 0)
      }
      var draft = ChangeDraft()
      PlainChange.build(flattening: source, onto: document, in: &draft)
      let added = try document.apply(ChangeBatch(draft))
      return (document, added)
    }
  }

  private static func join(_ heads: [ChangeHash], maxCounter: UInt32) -> ChangeDraft? {
    guard heads.count > 1 else { return nil }
    var draft = ChangeDraft()
    JoinChange.build(of: heads, maxCounter: maxCounter, in: &draft)
    return draft
  }

  /// Returns the order of the changes, and forgets which entities they make.
  private mutating func sortedChanges(of kind: EntityKind) -> [Int] {
    var sorted = entries
    entries = []
    if kinds.isUUID(kind) {
      sorted.sort { $0.identity < $1.identity }
    } else {
      sorted = sorted.map { (kinds.bytes(of: $0.identity, kind), $0) }
        .sorted { ByteOrder.precedes($0.0, $1.0) }.map(\.1)
    }
    var start = 0
    while start < sorted.count {
      let identity = sorted[start].identity
      let end = sorted[start...].firstIndex { $0.identity != identity } ?? sorted.count
      if end - start > 1 {
        sorted[start..<end].sort { hashes(of: $0).lexicographicallyPrecedes(hashes(of: $1)) }
      }
      start = end
    }
    var order: [Int] = []
    order.reserveCapacity(batch.count)
    for entry in sorted { order.append(contentsOf: entry.changes) }
    return order
  }
}

extension ChangeBatch {
  /// Creates a batch of one change.
  fileprivate init(_ draft: borrowing ChangeDraft) {
    self.init()
    append(draft)
  }
}
