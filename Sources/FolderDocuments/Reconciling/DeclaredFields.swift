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
    return sorted(fields.values, on: tape)
  }

  /// Returns those of some names, in the same order.
  func fields(
    named names: [[UInt8]], of entity: LegacyEntity, on tape: JSONTape, _ map: OpID,
    _ document: DocumentState
  ) -> [EntityReconciler.Field] {
    let fields = names.filter { $0 != identity?.bytes }.map { name in
      Field(
        name: name, member: tape.member(name, of: entity.node).map { $0 - 1 },
        role: properties.index(of: name.span).map { .property(properties[$0]) } ?? .undeclared,
        group: document.group(of: map, key: name), verdict: .equal)
    }
    return sorted(fields, on: tape)
  }

  private func sorted(
    _ fields: some Sequence<Field>, on tape: JSONTape
  ) -> [EntityReconciler.Field] {
    fields.map { (field: $0, rank: rank(of: $0, on: tape), place: place(of: $0)) }
      .sorted {
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
