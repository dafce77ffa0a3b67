import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// Verifies what cannot be verified month by month: legacy files whose entities are in documents of
/// other months, and entities that come one by one from a stream or an archive.
struct LateVerifier {
  /// The outcomes of the groups, with what was found since.
  private(set) var outcomes: [GroupOutcome]
  /// Whether an error ended the run before everything was verified.
  private(set) var isStopped = false

  private let input: VerificationInput
  private var files: GroupVerifier
  private var verifier: EntityVerifier
  private var cache: DocumentCache
  private var positions: [EntityGroup: Int] = [:]
  /// The positions of the outcomes to which something was added.
  private(set) var changed: Set<Int> = []

  init(_ input: VerificationInput, _ outcomes: [GroupOutcome]) {
    self.input = input
    self.outcomes = outcomes
    files = GroupVerifier(input)
    verifier = EntityVerifier(input.inventory, copies: input.copies)
    cache = DocumentCache(input, outcomes)
    for (index, outcome) in outcomes.enumerated() { positions[outcome.group] = index }
  }

  /// Verifies legacy files against the documents of the whole folder.
  mutating func verify(
    _ deferred: [(group: EntityGroup, file: GroupOutcome.DeferredFile)], context: RunContext
  ) throws(MigrationError) {
    for (index, item) in deferred.enumerated() {
      if context.isInterrupted() { throw .interrupted }
      let position = position(of: item.group)
      let count = outcomes[position].findings.count
      let identities = item.file.identities
      let documents = cache.documents(holding: identities, item.group.kind)
      files.verifyDeferred(item.file, in: documents, to: &outcomes[position])
      let path = input.path(of: item.file.file, in: item.file.reference)
      for identity in identities { noteMonth(of: identity, in: documents, item.group, path: path) }
      context.reportProgress?(
        RunProgress(.verifying, completed: index + 1, total: deferred.count))
      isStopped = context.endsBatch(after: outcomes[position].findings[count...])
      if isStopped { return }
    }
  }

  /// Verifies entities as they come.
  ///
  /// - Parameter witness: what compares the cells that they come from, too.
  mutating func verify(
    _ entries: VerificationReferences.Entries, witness: StoreWitness? = nil, context: RunContext
  ) throws(MigrationError) {
    var count = 0
    try entries { batch, month, path throws(MigrationError) in
      if context.isInterrupted() { throw .interrupted }
      for finding in batch.findings { outcomes[position(of: .first)].findings.append(finding) }
      isStopped = isStopped || context.endsBatch(after: batch.findings)
      for entity in batch.entities where entity.kind != .other {
        if isStopped { return }
        let isDated = input.inventory.kinds.isGroupedByDate(entity.kind)
        let group = EntityGroup(entity.kind, month: isDated ? entity.month : month)
        var findings = verify(entity, of: batch, in: group, path: path)
        if let witness {
          let documents = cache.documents(holding: [entity.identity], group.kind)
          let found = try witness.check(entity, of: batch, in: documents, path: path)
          outcomes[position(of: group)].findings += found
          findings += found
        }
        isStopped = context.endsBatch(after: findings)
        count += 1
        if count.isMultiple(of: 256) {
          context.reportProgress?(RunProgress(.verifying, completed: count, total: 0))
        }
      }
    }
  }

  /// Verifies one entity; returns what there is to tell about it.
  private mutating func verify(
    _ entity: LegacyEntity, of batch: EntityBatch, in group: EntityGroup, path: String
  ) -> [Finding] {
    let position = position(of: group)
    let documents = cache.documents(holding: [entity.identity], group.kind)
    let fieldCount = verifier.fieldCount
    let result: EntityVerifier.Result
    if let found = verifier.verify(
      entity, of: batch, in: documents, path: path,
      update: input.importingRows(of: entity.kind, updates: true))
    {
      result = found
    } else if let document = input.setAside.document(holding: entity.identity, entity.kind) {
      outcomes[position].noteSetAside(entity.identity, in: document)
      return []
    } else if input.withheld.contains(entity.kind) {
      outcomes[position].reference.append(entity.identity)
      outcomes[position].leaveOut(entity, of: batch, in: input.inventory)
      return []
    } else {
      result = .missing(
        batch.title(of: entity), path: path, command: input.importingRows(of: entity.kind))
    }
    outcomes[position].fieldsCompared += verifier.fieldCount - fieldCount
    outcomes[position].reference.append(entity.identity)
    outcomes[position].note(result, of: entity.identity)
    noteMonth(of: entity.identity, in: documents, group, path: path)
    return result.findings
  }

  /// Notes an entity that only documents of other months show, if the place of its file says a month.
  private mutating func noteMonth(
    of identity: Identity, in documents: GroupDocuments, _ group: EntityGroup,
    path: String
  ) {
    if input.inventory.kinds.isDated(group.kind) { return }
    let files = documents.places(of: identity)
      .filter { documents.entity(at: $0).valueCount > 0 }
      .map { documents.documents[$0.document].file }
    guard let file = files.first,
      !files.contains(where: { input.inventory.entityGroup(ofDocument: $0) == group })
    else { return }
    outcomes[position(of: group)].findings.append(
      Finding(
        .movedMonth, .info, path: path,
        message: "\(input.inventory.kinds.title(group.kind, identity)) is in "
          + "\(input.inventory.path(of: file).description), the document of another month"))
  }

  private mutating func position(of group: EntityGroup) -> Int {
    let position = positions[group] ?? outcomes.count
    if position == outcomes.count {
      positions[group] = position
      outcomes.append(GroupOutcome(group: group))
    }
    changed.insert(position)
    return position
  }
}

/// Finds the documents that hold an identity, wherever in the folder they are.
///
/// Entities that come one by one usually follow the order of the months, so the documents of the
/// last few groups are kept loaded. Where they do not, more are kept, so that none is loaded over and over.
struct DocumentCache {
  private static let largestCapacity = 64
  private var capacity = 4

  private let input: VerificationInput
  private var loader: DocumentLoader
  /// What the documents of each kind hold.
  private let held: [EntityKind: [GroupOutcome]]
  /// The documents of each identity of the kinds that were asked for.
  private var indexes: [EntityKind: IdentityIndex] = [:]
  /// The sets of documents used last, most recent first.
  private var loaded: [(files: [Int], documents: GroupDocuments)] = []
  /// The sets of documents that were let go.
  private var dropped: Set<[Int]> = []

  /// Creates a cache over what the verification of all groups found.
  init(_ input: VerificationInput, _ outcomes: [GroupOutcome]) {
    self.input = input
    loader = DocumentLoader(input.folder, input.inventory)
    held = Dictionary(grouping: outcomes, by: \.group.kind)
  }

  /// Returns the documents that hold one of the identities; those of a whole group together, so
  /// that the next entity of the group finds them loaded.
  mutating func documents(holding identities: [Identity], _ kind: EntityKind) -> GroupDocuments {
    let index = index(of: kind)
    var groups: Set<EntityGroup> = []
    var files: Set<Int> = []
    for file in identities.flatMap({ index.files(of: $0) }) {
      if let group = input.inventory.entityGroup(ofDocument: file) {
        groups.insert(group)
      } else {
        files.insert(file)
      }
    }
    for group in groups { files.formUnion(input.documents[group] ?? []) }
    return documents(files.sorted())
  }

  private mutating func index(of kind: EntityKind) -> IdentityIndex {
    if let known = indexes[kind] { return known }
    let index = IdentityIndex((held[kind] ?? []).lazy.flatMap(\.documents))
    indexes[kind] = index
    return index
  }

  private mutating func documents(_ files: [Int]) -> GroupDocuments {
    if files.isEmpty { return GroupDocuments() }
    if let position = loaded.firstIndex(where: { $0.files == files }) {
      let found = loaded.remove(at: position)
      loaded.insert(found, at: 0)
      return found.documents
    }
    let documents = GroupDocuments(files, with: &loader)
    loaded.insert((files, documents), at: 0)
    if dropped.contains(files) { capacity = min(2 * capacity, Self.largestCapacity) }
    while loaded.count > capacity { dropped.insert(loaded.removeLast().files) }
    return documents
  }
}

/// Which documents hold an identity.
private struct IdentityIndex {
  private var entries: [GroupOutcome.DocumentEntity]

  init(_ entities: some Sequence<GroupOutcome.DocumentEntity>) {
    entries = entities.sorted {
      $0.identity != $1.identity ? $0.identity < $1.identity : $0.file < $1.file
    }
  }

  func files(of identity: Identity) -> [Int] {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].identity < identity { low = middle + 1 } else { high = middle }
    }
    return entries[low...].prefix { $0.identity == identity }.map { Int($0.file) }
  }
}
