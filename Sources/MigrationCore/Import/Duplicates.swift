import FolderDocuments
import Folders

/// The identities that stand in more than one place of a source.
///
/// All places of one identity belong to the document of the first one.
struct Duplicates: Sendable {
  /// One entity that is to become part of a document.
  struct Candidate: Sendable {
    var identity: Identity
    var position: SourcePosition
    var group: EntityGroup
  }

  private struct Entity: Hashable {
    var kind: EntityKind
    var identity: Identity
  }

  private var places: [Entity: [SourcePosition]] = [:]
  /// The groups that hold one of the places.
  private(set) var groups: Set<EntityGroup> = []

  /// Creates an empty table.
  init() {}

  /// Finds the identities that occur more than once in any of some lists.
  init(among lists: [[Candidate]]) {
    var identities: [Identity] = []
    identities.reserveCapacity(lists.reduce(0) { $0 + $1.count })
    for list in lists { for candidate in list { identities.append(candidate.identity) } }
    let repeated = identities.repeated()
    if repeated.isEmpty { return }
    let suspects = lists.flatMap { $0.filter { repeated.contains($0.identity) } }
    let sorted = suspects.sorted { left, right in
      if left.group.kind != right.group.kind { return left.group.kind < right.group.kind }
      if left.identity != right.identity { return left.identity < right.identity }
      return left.position < right.position
    }
    var start = 0
    while start < sorted.count {
      var end = start + 1
      while end < sorted.count, sorted[end].identity == sorted[start].identity,
        sorted[end].group.kind == sorted[start].group.kind
      { end += 1 }
      if end - start > 1 { add(sorted[start..<end]) }
      start = end
    }
  }

  var isEmpty: Bool { groups.isEmpty }

  /// Returns all places of an identity, ascending, or nil if it has only one.
  func positions(of identity: Identity, _ kind: EntityKind) -> [SourcePosition]? {
    if isEmpty { return nil }
    return places[Entity(kind: kind, identity: identity)]
  }

  private mutating func add(_ run: ArraySlice<Candidate>) {
    guard let first = run.first else { return }
    places[Entity(kind: first.group.kind, identity: first.identity)] = run.map(\.position)
    groups.formUnion(run.map(\.group))
  }
}
