package import Automerge
package import Folders

/// Compares the JSON tokens of an entity with what a document shows, in both directions.
///
/// It shares no code with the mapping that writes documents, so a mistake there shows here: strings
/// are compared by their bytes, numbers by their digits, dates by the moment the token names.
package struct MinutaComparison {
  /// The fields that differ, by name, in the order they were found; usually empty.
  package private(set) var differences: [String] = []
  /// The fields that show several concurrent values, by name; usually empty.
  package private(set) var conflicts: [String] = []
  /// Of the fields that differ those of which the document shows the entity's value, too, beside the
  /// one that readers see.
  package private(set) var besideCount = 0
  /// How many fields were compared since the value was made, absent ones on one side included.
  package private(set) var fieldCount = 0

  private var names: [UInt32] = []
  private var values = ValueComparison()

  package init() {}

  /// An app may keep the identity in the entity, too.
  private static func isIdentity(
    _ value: DocumentValue, _ identity: Identity, _ document: DocumentState
  ) -> Bool {
    guard case .scalar(let place) = value.content, place.type == .string else { return false }
    return Identity(document.pool.span.extracting(place.range)) == identity
  }

  /// Compares an entity of the batch with the map of a document that holds it.
  ///
  /// - Parameter ignoresID: whether the map is a root that holds its identity among its fields.
  package mutating func compare(
    _ entity: LegacyEntity, of batch: EntityBatch, with map: OpID, of document: DocumentState,
    ignoresID: Bool
  ) -> Bool {
    differences.removeAll(keepingCapacity: true)
    conflicts.removeAll(keepingCapacity: true)
    besideCount = 0
    names.removeAll(keepingCapacity: true)
    batch.tape.appendSortedMembers(of: entity.node, to: &names)
    let tape = batch.tape
    let pool = document.pool
    var next = 0
    document.forEachKey(of: map) { key, group in
      guard let value = document.winner(in: group) else { return }
      let name = pool.span.extracting(key)
      if name.isEqual(to: "id"), ignoresID || Self.isIdentity(value, entity.identity, document) {
        return
      }
      while next < names.count,
        tape.text.span.extracting(tape.range(of: Int(names[next]))).precedes(name)
      {
        compareAbsent(Int(names[next]), of: entity, in: batch)
        next += 1
      }
      fieldCount += 1
      if !document.isUnchanged(group), document.hasDifferentValues(group) {
        conflicts.append(String(decoding: Array(name), as: UTF8.self))
      }
      if next < names.count,
        tape.text.span.extracting(tape.range(of: Int(names[next]))).isEqual(to: name),
        Int(names[next]) + 1 != entity.idNode
      {
        let member = Int(names[next])
        next += 1
        if !isEqual(member, named: name, of: entity, in: batch, value, document) {
          differences.append(tape.displayedString(at: member))
          let others = document.values(in: group).dropLast()
          if others.contains(where: {
            isEqual(member, named: name, of: entity, in: batch, $0, document)
          }) {
            besideCount += 1
          }
        }
      } else if !Self.mayBeAbsent(value, named: name, of: entity.kind, document, nil) {
        differences.append(String(decoding: Array(name), as: UTF8.self))
        let others = document.values(in: group).dropLast()
        if others.contains(where: {
          Self.mayBeAbsent($0, named: name, of: entity.kind, document, nil)
        }) {
          besideCount += 1
        }
      }
    }
    while next < names.count {
      compareAbsent(Int(names[next]), of: entity, in: batch)
      next += 1
    }
    return differences.isEmpty
  }

  /// Returns whether an entity says of one field what readers of a document see, or saw at a point
  /// of its history.
  ///
  /// - Parameters:
  ///   - member: the name node of the member; nil if the entity does not have it.
  ///   - group: what was ever done to the field; nil if nothing was.
  package mutating func isEqual(
    _ member: Int?, named name: Span<UInt8>, of entity: LegacyEntity, in batch: EntityBatch,
    with group: ValueGroup?, of document: DocumentState, at view: HistoricalView? = nil
  ) -> Bool {
    values.view = view
    defer { values.view = nil }
    switch (member, group.flatMap { document.winner(in: $0, at: view) }) {
    case (nil, nil): return true
    case (let member?, nil): return Self.mayBeAbsent(member, named: name, of: entity, in: batch)
    case (nil, let value?):
      return Self.mayBeAbsent(value, named: name, of: entity.kind, document, view)
    case (let member?, let value?):
      return isEqual(member, named: name, of: entity, in: batch, value, document)
    }
  }

  /// Returns whether a value, such as an element of a list, says what a node does.
  package mutating func isEqual(
    _ node: Int, in batch: EntityBatch, to value: DocumentValue, of document: DocumentState
  ) -> Bool {
    isEqual(node, in: batch, value, document)
  }

  private mutating func isEqual(
    _ member: Int, named name: Span<UInt8>, of entity: LegacyEntity, in batch: EntityBatch,
    _ value: DocumentValue, _ document: DocumentState
  ) -> Bool {
    Self.knownField(name, of: entity.kind).map {
      isEqual($0, member + 1, of: entity, in: batch, value, document)
    } ?? isEqual(member + 1, in: batch, value, document, name: name, of: entity)
  }

  /// Compares a member that the document does not show with absence.
  private mutating func compareAbsent(
    _ member: Int, of entity: LegacyEntity, in batch: EntityBatch
  ) {
    let tape = batch.tape
    if member + 1 == entity.idNode { return }
    fieldCount += 1
    let name = tape.text.span.extracting(tape.range(of: member))
    if !Self.mayBeAbsent(member, named: name, of: entity, in: batch) {
      differences.append(tape.displayedString(at: member))
    }
  }

  /// Whether a member says the same as a field that is not there.
  private static func mayBeAbsent(
    _ member: Int, named name: Span<UInt8>, of entity: LegacyEntity, in batch: EntityBatch
  ) -> Bool {
    let tape = batch.tape
    let value = member + 1
    if entity.kind.hasImages, name.isEqual(to: "images") {
      return tape.kind(of: value) == .null || tape.childCount(of: value) == 0
    }
    return tape.kind(of: value) == .null
      && knownField(name, of: entity.kind).map { !$0.isRequired } ?? false
  }

  /// Whether a value of a document says the same as a member that is not there: a Null in an
  /// optional field, an empty list of images.
  private static func mayBeAbsent(
    _ value: DocumentValue, named name: Span<UInt8>, of kind: EntityKind,
    _ document: DocumentState, _ view: HistoricalView?
  ) -> Bool {
    if kind.hasImages, name.isEqual(to: "images") {
      guard case .object(.list) = value.content else { return value.isNull }
      return document.isEmptySequence(value.id, at: view)
    }
    guard let field = knownField(name, of: kind), !field.isRequired else { return false }
    return value.isNull
  }

  private static func knownField(_ name: Span<UInt8>, of kind: EntityKind) -> KnownField? {
    for field in kind.fields where name.isEqual(to: field.memberName) { return field }
    return nil
  }

  // MARK: Known fields

  private func isEqual(
    _ field: KnownField, _ node: Int, of entity: LegacyEntity, in batch: EntityBatch,
    _ value: DocumentValue, _ document: DocumentState
  ) -> Bool {
    let tape = batch.tape
    if tape.kind(of: node) == .null { return value.isNull }
    switch (field.valueType, value.content) {
    case (.date, .scalar(let place)) where place.type == .timestamp:
      // A date that is no text was read under a rule that somebody gave.
      let milliseconds =
        tape.kind(of: node) == .string
        ? RFC3339(tape.text.span.extracting(tape.range(of: node)))?.milliseconds
        : entity.milliseconds(of: field)
      return document.signed(place) == milliseconds
    case (.boolean, .scalar(let place)):
      return place.type == (tape.kind(of: node) == .true ? .boolTrue : .boolFalse)
        && tape.kind(of: node).isBoolean
    case (.string, .scalar(let place)):
      guard place.type == .string, tape.kind(of: node) == .string else { return false }
      let token = tape.text.span.extracting(tape.range(of: node))
      let stored = document.pool.span.extracting(place.range)
      if token.isEqual(to: stored) { return true }
      // A tag's identity has many spellings.
      guard field == .tagId, let identity = Identity(token) else { return false }
      return Identity(stored) == identity
    case (.string, .object(.text)):
      // The app once stored comments as text objects; readers take both.
      return field == .comment && values.isEqualText(node, on: tape, value.id, document)
    default:
      return false
    }
  }

  // MARK: Other fields

  private mutating func isEqual(
    _ node: Int, in batch: EntityBatch, _ value: DocumentValue, _ document: DocumentState,
    name: Span<UInt8>, of entity: LegacyEntity
  ) -> Bool {
    // `images: null` of a record means an empty list.
    if entity.kind.hasImages, name.isEqual(to: "images"), batch.tape.kind(of: node) == .null {
      return Self.mayBeAbsent(value, named: name, of: entity.kind, document, values.view)
    }
    return isEqual(node, in: batch, value, document)
  }

  private mutating func isEqual(
    _ node: Int, in batch: EntityBatch, _ value: DocumentValue, _ document: DocumentState
  ) -> Bool {
    values.isEqual(node, on: batch.tape, value, document) { batch.streamType(of: $0) }
  }
}

extension DocumentValue {
  /// Whether the value is Null.
  package var isNull: Bool {
    if case .scalar(let place) = content { place.type == .null } else { false }
  }
}

extension DocumentState {
  /// Returns whether readers find values in a group that are not the same.
  package func hasDifferentValues(_ group: ValueGroup) -> Bool {
    let values = values(in: group)
    guard values.count > 1 else { return false }
    return values.dropFirst().contains { !isSameScalar($0, values[0]) }
  }

  private func isSameScalar(_ left: DocumentValue, _ right: DocumentValue) -> Bool {
    guard case .scalar(let one) = left.content, case .scalar(let other) = right.content else {
      return false
    }
    return one.type == other.type && one.counter == other.counter
      && pool[one.range].elementsEqual(pool[other.range])
  }

  /// Returns whether readers see no element of a list or text.
  func isEmptySequence(_ object: OpID, at view: HistoricalView? = nil) -> Bool {
    var isEmpty = true
    forEachElement(of: object, at: view) { _, _ in isEmpty = false }
    return isEmpty
  }
}

extension JSONNode.Kind {
  /// Whether the value is `true` or `false`.
  fileprivate var isBoolean: Bool { self == .true || self == .false }
}
