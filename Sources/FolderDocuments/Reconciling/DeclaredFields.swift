import Automerge
import Folders
import SafeFiles

/// The fields that an entity of a declared kind and a document have together.
struct DeclaredFields {
  private typealias Field = EntityReconciler.Field

  /// Where an update writes a field (convergent-import.md, Kinds of other profiles).
  private enum Rank: Int {
    /// A scalar without a place.
    case loose
    /// A declared scalar.
    case placed
    case container
    case links
  }

  private let identity: PropertyName?
  private let properties: PropertyTable
  /// The place of each declared scalar among the others, by its position in the table.
  private var places: [Int: Int] = [:]
  private var names: [UInt32] = []
  /// The names that fields were asked for last.
  private var chosen:
    (names: [[UInt8]], fields: [(name: [UInt8], role: EntityReconciler.Role, place: Int)]) =
      ([], [])

  /// Creates the fields of a kind.
  init(_ kind: EntityKindProfile) {
    identity = kind.identity.property
    properties = kind.properties
    for (place, property) in ScalarPlaces(of: properties).all.enumerated() {
      places[property] = place
    }
  }

  /// Returns them in the order of the content change, containers by name after the scalars, links last.
  mutating func fields(
    of entity: LegacyEntity, on tape: JSONTape, _ map: OpID, _ document: DocumentState
  ) -> [EntityReconciler.Field] {
    var fields: [[UInt8]: Field] = [:]
    func note(_ name: [UInt8], _ change: (inout Field) -> Void) {
      var field = fields[name] ?? Field(name: name, role: .undeclared, verdict: .equal)
      change(&field)
      fields[name] = field
    }
    for property in properties { note(property.name.bytes) { $0.role = .property(property) } }
    names.removeAll(keepingCapacity: true)
    tape.appendSortedMembers(of: entity.node, to: &names)
    for name in names.map(Int.init) { note(tape.bytes(of: name)) { $0.member = name } }
    document.forEachKey(of: map) { key, group in
      note(Array(document.pool[key])) { $0.group = group }
    }
    if let identity { fields[identity.bytes] = nil }
    return Self.sorted(
      fields.values.map { (field: $0, rank: rank(of: $0, on: tape), place: place(of: $0)) })
  }

  /// Returns those of some names, in the same order.
  mutating func fields(
    named names: [[UInt8]], of entity: LegacyEntity, on tape: JSONTape, _ map: OpID,
    _ document: DocumentState
  ) -> [EntityReconciler.Field] {
    if chosen.names != names { choose(names) }
    var fields: [(field: Field, rank: Rank, place: Int)] = []
    fields.reserveCapacity(chosen.fields.count)
    for (name, role, place) in chosen.fields {
      let field = Field(
        name: name, member: tape.member(name, of: entity.node).map { $0 - 1 }, role: role,
        group: document.group(of: map, key: name), verdict: .equal)
      fields.append((field, rank(of: field, on: tape), place))
    }
    return Self.sorted(fields)
  }

  /// Finds out about names what does not depend on the entity: most entities have the same.
  private mutating func choose(_ names: [[UInt8]]) {
    chosen.names = names
    chosen.fields = names.filter { $0 != identity?.bytes }.map { name in
      let index = properties.index(of: name.span)
      return (
        name, index.map { .property(properties[$0]) } ?? .undeclared,
        index.flatMap { places[$0] } ?? 0
      )
    }
  }

  private static func sorted(
    _ fields: [(field: Field, rank: Rank, place: Int)]
  ) -> [EntityReconciler.Field] {
    fields.sorted {
      if $0.rank != $1.rank { return $0.rank.rawValue < $1.rank.rawValue }
      if $0.rank == .placed { return $0.place < $1.place }
      return ByteOrder.precedes($0.field.name, $1.field.name)
    }
    .map(\.field)
  }

  private func place(of field: Field) -> Int {
    properties.index(of: field.name.span).flatMap { places[$0] } ?? 0
  }

  /// What the file says decides; of what it does not say, the declared type.
  private func rank(of field: Field, on tape: JSONTape) -> Rank {
    let value = field.member.map { tape.kind(of: $0 + 1) }
    let isContainer = value == .array || value == .object
    guard case .property(let property) = field.role else {
      return isContainer ? .container : .loose
    }
    let isAbsent = value == nil || value == .null
    switch property.type {
    case .links: return isAbsent || isContainer ? .links : .loose
    case .text: return isAbsent || isContainer || value == .string ? .container : .loose
    case .list, .map: return isAbsent || isContainer ? .container : .loose
    case .json: return isContainer ? .container : .loose
    default: return isContainer ? .container : .placed
    }
  }
}
