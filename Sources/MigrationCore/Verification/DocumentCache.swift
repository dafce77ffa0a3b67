import FolderDocuments
import Folders

/// Finds the documents that hold an identity, wherever in the folder they are.
///
/// Entities that come one by one usually follow the order of the months, so the documents of the
/// last few groups are kept loaded.
struct DocumentCache {
  private static let capacity = 4

  private let plan: VerificationPlan
  private var loader: DocumentLoader
  /// The documents of each identity, as pairs ascending by identity.
  private let tags: IdentityIndex
  private let records: IdentityIndex
  /// The sets of documents used last, most recent first.
  private var loaded: [(files: [Int], documents: GroupDocuments)] = []

  /// Creates a cache over what the verification of all groups found.
  init(_ plan: VerificationPlan, _ outcomes: [GroupOutcome]) {
    self.plan = plan
    loader = DocumentLoader(plan.folder, plan.inventory)
    tags = IdentityIndex(outcomes.lazy.filter { $0.group.kind == .tag }.flatMap(\.documents))
    records = IdentityIndex(outcomes.lazy.filter { $0.group.kind == .record }.flatMap(\.documents))
  }

  /// Returns the documents that hold one of the identities; those of a whole group together, so
  /// that the next entity of the group finds them loaded.
  mutating func documents(holding identities: [Identity], _ kind: EntityKind) -> GroupDocuments {
    let index = kind == .tag ? tags : records
    var groups: Set<EntityGroup> = []
    var files: Set<Int> = []
    for file in identities.flatMap({ index.files(of: $0) }) {
      if let group = plan.inventory.entityGroup(ofDocument: file) {
        groups.insert(group)
      } else {
        files.insert(file)
      }
    }
    for group in groups { files.formUnion(plan.documents[group] ?? []) }
    return documents(files.sorted())
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
    if loaded.count > Self.capacity { loaded.removeLast() }
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
