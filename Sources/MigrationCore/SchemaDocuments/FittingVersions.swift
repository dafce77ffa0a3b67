import Automerge
import FolderDocuments
import Folders

/// The versions of a profile that what documents hold fits: every property that is there is one of such a
/// version, and none is missing that all entities of it have.
struct FittingVersions: Sendable {
  private struct Rule: Sendable {
    var name: [UInt8]
    var since: Int
    var until: Int?
    var isRequired: Bool
  }

  /// By the number of the kind.
  private let rules: [[Rule]]
  /// The first and the last version that everything fits that was looked at; the last may be less.
  private(set) var (first, last): (Int, Int)

  init(_ kinds: EntityKinds) {
    rules = kinds.all.map { kind in
      kinds[kind].map { Array($0.properties) }?.compactMap { property in
        property.since > 1 || property.until != nil
          ? Rule(
            name: property.name.bytes, since: property.since, until: property.until,
            isRequired: property.isRequired) : nil
      } ?? []
    }
    (first, last) = (1, kinds.profile.version)
  }

  /// The versions; nil if there is none that everything fits.
  var range: ClosedRange<Int>? { first <= last ? first...last : nil }

  /// Looks at an entity.
  mutating func look(at map: OpID, of kind: EntityKind, in document: DocumentState) {
    for rule in rules[Int(kind.index)] {
      let isThere = document.value(of: map, key: rule.name).map { !$0.isNull } ?? false
      if isThere {
        first = max(first, rule.since)
        if let until = rule.until { last = min(last, until - 1) }
      } else if rule.isRequired, rule.since > 1, rule.until == nil {
        last = min(last, rule.since - 1)
      }
    }
  }

  /// Takes in what was looked at elsewhere.
  mutating func add(_ other: FittingVersions) {
    (first, last) = (max(first, other.first), min(last, other.last))
  }
}
