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
  }

  private struct Entity: Hashable {
    var kind: EntityKind
    var identity: Identity
  }

  private struct Place {
    var entity: Entity
    var position: SourcePosition
    var group: EntityGroup

    init(entity: Entity, _ position: SourcePosition, _ group: EntityGroup) {
      (self.entity, self.position, self.group) = (entity, position, group)
    }
  }

  private var places: [Entity: [SourcePosition]] = [:]
  /// The groups that hold one of the places.
  private(set) var groups: Set<EntityGroup> = []

  /// Creates an empty table.
  init() {}

  /// Finds the identities that occur more than once in any of some lists, each of a group.
  init(among lists: [(group: EntityGroup, candidates: [Candidate])]) {
    var identities: [Identity] = []
    identities.reserveCapacity(lists.reduce(0) { $0 + $1.candidates.count })
    for list in lists { for candidate in list.candidates { identities.append(candidate.identity) } }
    let repeated = identities.repeated()
    if repeated.isEmpty { return }
    let suspects = lists.flatMap { list in
      list.candidates.filter { repeated.contains($0.identity) }.map {
        Place(entity: Entity(kind: list.group.kind, identity: $0.identity), $0.position, list.group)
      }
    }
    let sorted = suspects.sorted { left, right in
      let (one, other) = (left.entity, right.entity)
      if one.kind != other.kind { return one.kind < other.kind }
      if one.identity != other.identity { return one.identity < other.identity }
      return left.position < right.position
    }
    var start = 0
    while start < sorted.count {
      var end = start + 1
      while end < sorted.count, sorted[end].entity == sorted[start].entity { end += 1 }
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

  private mutating func add(_ run: ArraySlice<Place>) {
    guard let first = run.first else { return }
    places[first.entity] = run.map(\.position)
    groups.formUnion(run.map(\.group))
  }
}
