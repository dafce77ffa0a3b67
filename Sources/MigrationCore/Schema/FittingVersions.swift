import Automerge
import FolderDocuments
import Folders
import SchemaMigrations

/// The versions of a profile that what documents hold fits: every property that is there is one of such a
/// version, and none is missing that all entities of it have.
struct FittingVersions: Sendable {
  private struct Rule: Sendable {
    var since: Int
    var until: Int?
    var isRequired: Bool
  }

  /// The properties of each kind, by its number, and what is said of each.
  private let tables: [(properties: PropertyTable, rules: [Rule])?]
  /// The first and the last version that everything fits that was looked at; the last may be less.
  private(set) var (first, last): (Int, Int)

  init(_ kinds: EntityKinds) {
    tables = kinds.all.map { kind in
      kinds[kind].map { profile in
        (
          profile.properties,
          profile.properties.map {
            Rule(since: $0.since, until: $0.until, isRequired: $0.isRequired)
          }
        )
      }
    }
    (first, last) = (1, kinds.profile.version)
  }

  /// The versions; nil if there is none that everything fits.
  var range: ClosedRange<Int>? { first <= last ? first...last : nil }

  /// Looks at an entity.
  mutating func look(at map: OpID, of kind: EntityKind, in document: DocumentState) {
    guard let (table, rules) = tables[Int(kind.index)] else { return }
    let pool = document.pool
    // Keys come ascending, and so do properties.
    var next = 0
    document.forEachKey(of: map) { key, group in
      let name = pool.span.extracting(key)
      var order = 1
      while next < table.count, order > 0 {
        order = table.order(of: name, toPropertyAt: next)
        if order > 0 {
          note(rules[next], isThere: false)
          next += 1
        }
      }
      guard next < table.count, order == 0 else { return }
      let isThere = document.winner(in: group).map { !$0.isNull } ?? false
      note(rules[next], isThere: isThere)
      next += 1
    }
    while next < table.count {
      note(rules[next], isThere: false)
      next += 1
    }
  }

  /// Looks at an entity of a file.
  mutating func look(at entity: ChangingEntity) {
    guard let (table, rules) = tables[Int(entity.kind.index)] else { return }
    for index in table.indices {
      let value = entity.fields.value(named: table.name(at: index).bytes, of: entity.tape)
      note(rules[index], isThere: value.map { $0 != .null } ?? false)
    }
  }

  private mutating func note(_ property: Rule, isThere: Bool) {
    if isThere {
      first = max(first, property.since)
      if let until = property.until { last = min(last, until - 1) }
    } else if property.isRequired, property.since > 1, property.until == nil {
      last = min(last, property.since - 1)
    }
  }

  /// Takes in what was looked at elsewhere.
  mutating func add(_ other: FittingVersions) {
    (first, last) = (max(first, other.first), min(last, other.last))
  }
}
