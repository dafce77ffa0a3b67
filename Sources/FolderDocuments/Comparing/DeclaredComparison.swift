package import Automerge
import Diagnostics
package import Folders

/// Compares the JSON tokens of an entity of a kind that a profile declares with what a document shows,
/// property by property, in both directions (convergent-import.md, Declared types).
///
/// It shares no code with the mapping that writes documents, so a mistake there shows here. A value
/// that is not of its property's type is compared by its own JSON type.
package struct DeclaredComparison {
  /// The properties that differ, by name, ascending by the bytes of their names; usually empty.
  package private(set) var differences: [String] = []
  /// The properties that show several concurrent values, by name; usually empty.
  package private(set) var conflicts: [String] = []
  /// Of the properties that differ those of which the document shows the entity's value, too, beside
  /// the one that readers see.
  package private(set) var besideCount = 0
  /// How many properties were compared since the value was made, absent ones on one side included.
  package private(set) var fieldCount = 0

  /// What the values of a property mean.
  private enum Meaning {
    /// What their JSON says.
    case own
    case uuid, double, date, bytes, decimal, text
    /// Identities, by what tells those of one kind from each other.
    case links(IdentityRule?)
  }

  /// How a property is compared.
  private struct Rule {
    var meaning: Meaning
    /// Whether null, and nothing at all, say the same.
    var isOptional: Bool

    /// Of a member that is not declared: null is a value.
    static let undeclared = Rule(meaning: .own, isOptional: false)
  }

  private let identity: IdentityRule
  private let properties: PropertyTable
  /// The rules of the properties, in their order.
  private let rules: [Rule]
  private var values = ValueComparison()
  /// The types that a stream names for values of the entity.
  private var types = StreamTypes()
  /// The name nodes of the entity's members, and which of them comes next.
  private var names: [UInt32] = []
  private var next = 0
  /// The first property whose name is not before those that were compared.
  private var property = 0

  /// Creates a comparison of entities of a kind of a profile.
  package init(_ kind: EntityKindProfile, of profile: Profile) {
    identity = kind.identity
    properties = kind.properties
    rules = kind.properties.map { property in
      let target = profile.kind(of: property.type.target)?.identity
      let meaning: Meaning =
        switch property.type {
        case .string, .boolean, .integer, .number, .json, .list, .map: .own
        case .uuid: .uuid
        case .double: .double
        case .date: .date
        case .bytes: .bytes
        case .decimal: .decimal
        case .text: .text
        case .links: .links(target)
        case .reference: if case .uuid? = target { .uuid } else { .own }
        }
      return Rule(
        meaning: meaning, isOptional: property.type != .json && !property.isAlwaysThere)
    }
  }

  /// Compares an entity, an object on a tape, with the map of a document that holds it.
  ///
  /// The property that is the identity is no field: wherever it stands, it has to be the one given.
  ///
  /// - Parameter types: the types that a stream names for values of the object.
  package mutating func compare(
    _ object: Int, on tape: JSONTape, identity: [UInt8], types: StreamTypes = StreamTypes(),
    with map: OpID, of document: DocumentState
  ) -> Bool {
    self.types = types
    defer { self.types = StreamTypes() }
    differences.removeAll(keepingCapacity: true)
    conflicts.removeAll(keepingCapacity: true)
    besideCount = 0
    names.removeAll(keepingCapacity: true)
    tape.appendSortedMembers(of: object, to: &names)
    next = 0
    property = 0
    let pool = document.pool
    document.forEachKey(of: map) { key, group in
      guard let value = document.winner(in: group) else { return }
      let name = pool.span.extracting(key)
      compareMembers(before: name, on: tape, identity, document)
      var member: Int?
      if next < names.count,
        tape.text.span.extracting(tape.range(of: Int(names[next]))).isEqual(to: name)
      {
        member = Int(names[next])
        next += 1
      }
      compare(
        member, named: name, on: tape, with: (value, group), identity, document)
    }
    compareMembers(before: nil, on: tape, identity, document)
    return differences.isEmpty
  }

  /// Compares the members whose names come before one, which the document does not show.
  private mutating func compareMembers(
    before name: Span<UInt8>?, on tape: JSONTape, _ identity: [UInt8], _ document: DocumentState
  ) {
    while next < names.count {
      let member = Int(names[next])
      let its = tape.text.span.extracting(tape.range(of: member))
      if let name, !its.precedes(name) { return }
      next += 1
      compare(member, named: its, on: tape, with: nil, identity, document)
    }
  }

  private mutating func compare(
    _ member: Int?, named name: Span<UInt8>, on tape: JSONTape,
    with shown: (value: DocumentValue, group: ValueGroup)?, _ identity: [UInt8],
    _ document: DocumentState
  ) {
    if let own = self.identity.property, name.isEqual(to: own.bytes.span) {
      if !isIdentity(identity, member, on: tape, shown?.value, document) { note(name) }
      return
    }
    fieldCount += 1
    if let group = shown?.group, !document.isUnchanged(group), document.hasDifferentValues(group) {
      conflicts.append(Self.text(name))
    }
    // Names come ascending, and so do properties.
    var order = -1
    while property < properties.count {
      order = properties.order(of: name, toPropertyAt: property)
      if order <= 0 { break }
      property += 1
    }
    let rule = order == 0 ? rules[property] : .undeclared
    if isEqual(member, on: tape, shown?.value, document, rule) { return }
    note(name)
    guard let group = shown?.group else { return }
    let others = document.values(in: group).dropLast()
    if others.contains(where: { isEqual(member, on: tape, $0, document, rule) }) {
      besideCount += 1
    }
  }

  /// Returns whether an entity says of one property what readers of a document see, or saw at a point
  /// of its history.
  ///
  /// - Parameters:
  ///   - member: the name node of the member; nil if the entity does not have it.
  ///   - group: what was ever done to the property; nil if nothing was.
  package mutating func isEqual(
    _ member: Int?, named name: Span<UInt8>, on tape: JSONTape,
    types: StreamTypes = StreamTypes(), with group: ValueGroup?, of document: DocumentState,
    at view: HistoricalView? = nil
  ) -> Bool {
    values.view = view
    self.types = types
    defer {
      values.view = nil
      self.types = StreamTypes()
    }
    return isEqual(
      member, on: tape, group.flatMap { document.winner(in: $0, at: view) }, document,
      rule(of: name))
  }

  /// Returns what a property of links says on one side only; nil if one of the sides does not say
  /// links, so that there is nothing to add to or to remove from.
  ///
  /// An entity without the member, or with null, has no links.
  package func linkDifference(
    _ member: Int?, named name: Span<UInt8>, on tape: JSONTape, with group: ValueGroup?,
    of document: DocumentState, at view: HistoricalView? = nil
  ) -> LinkDifference? {
    guard case .links(let target) = rule(of: name).meaning,
      let map = group.flatMap({ document.winner(in: $0, at: view) })?.id,
      let shown = LinkSet(map, of: document, to: target, at: view)
    else { return nil }
    var wanted = LinkSet()
    if let member, tape.kind(of: member + 1) != .null {
      guard let links = LinkSet(member + 1, on: tape, to: target) else { return nil }
      wanted = links
    }
    var difference = LinkDifference(
      map: map, missing: wanted.identities.filter { !shown.contains($0) }, additional: [])
    document.forEachKey(of: map) { key, group in
      guard document.isVisible(group, at: view),
        let link = LinkSet.identity(document.pool.span.extracting(key), by: target),
        !wanted.contains(link)
      else { return }
      difference.additional.append(Array(document.pool[key]))
    }
    return difference
  }

  private func rule(of name: Span<UInt8>) -> Rule {
    properties.index(of: name).map { rules[$0] } ?? .undeclared
  }

  private mutating func note(_ name: Span<UInt8>) { differences.append(Self.text(name)) }

  private static func text(_ name: Span<UInt8>) -> String {
    let shown = DisplayText.escaping(Array(name.extracting(first: 80)))
    return name.count > 80 ? shown + "..." : shown
  }

  // MARK: Identity and absence

  private func isIdentity(
    _ identity: [UInt8], _ member: Int?, on tape: JSONTape, _ value: DocumentValue?,
    _ document: DocumentState
  ) -> Bool {
    if let member {
      guard tape.kind(of: member + 1) == .string,
        LinkSet.identity(
          tape.text.span.extracting(tape.range(of: member + 1)), by: self.identity) == identity
      else { return false }
    }
    guard let value else { return true }
    guard case .scalar(let place) = value.content, place.type == .string else { return false }
    return LinkSet.identity(document.pool.span.extracting(place.range), by: self.identity)
      == identity
  }

  private mutating func isEqual(
    _ member: Int?, on tape: JSONTape, _ value: DocumentValue?, _ document: DocumentState,
    _ rule: Rule
  ) -> Bool {
    let isAbsent = member.map { mayBeAbsent($0 + 1, on: tape, rule) } ?? true
    let isAbsentThere = value.map { mayBeAbsent($0, document, rule) } ?? true
    if isAbsent, isAbsentThere { return true }
    guard let member, let value else { return false }
    return isEqual(member + 1, on: tape, value, document, rule.meaning)
  }

  /// Whether a value of an entity says the same as a member that is not there.
  private func mayBeAbsent(_ node: Int, on tape: JSONTape, _ rule: Rule) -> Bool {
    guard rule.isOptional else { return false }
    if case .links = rule.meaning, tape.nodes[node].isContainer {
      return tape.childCount(of: node) == 0
    }
    return tape.kind(of: node) == .null
  }

  /// Whether a value of a document says the same as a member that is not there.
  private func mayBeAbsent(
    _ value: DocumentValue, _ document: DocumentState, _ rule: Rule
  ) -> Bool {
    guard rule.isOptional else { return false }
    if case .links = rule.meaning, value.content == .object(.map) {
      var isEmpty = true
      document.forEachKey(of: value.id) { _, group in
        if isEmpty, document.isVisible(group, at: values.view) { isEmpty = false }
      }
      return isEmpty
    }
    return value.isNull
  }

  // MARK: Values

  private mutating func isEqual(
    _ node: Int, on tape: JSONTape, _ value: DocumentValue, _ document: DocumentState,
    _ meaning: Meaning
  ) -> Bool {
    if let isEqual = isEqualAsMeant(node, on: tape, value, document, meaning) { return isEqual }
    let types = types
    return values.isEqual(node, on: tape, value, document) { types[$0] }
  }

  /// Nil if the node is no value of the type, or not exactly, and means what its JSON says.
  private func isEqualAsMeant(
    _ node: Int, on tape: JSONTape, _ value: DocumentValue, _ document: DocumentState,
    _ meaning: Meaning
  ) -> Bool? {
    // What a stream names is what the value is, whatever its property is declared as.
    if types.holds(node..<tape.node(after: node)) { return nil }
    let token = tape.text.span.extracting(tape.range(of: node))
    switch (meaning, tape.kind(of: node)) {
    case (.uuid, .string):
      guard let identity = Identity(token) else { return nil }
      guard let text = value.scalar(.string) else { return false }
      return Identity(document.pool.span.extracting(text.range)) == identity
    case (.double, .number):
      if let double = value.scalar(.float64) {
        return ScalarComparison.isDecimal(token, document.double(double))
      }
      let nearest = Double(String(decoding: Array(token), as: UTF8.self)) ?? .nan
      return ScalarComparison.isDecimal(token, nearest) ? false : nil
    case (.date, .string):
      guard let moment = RFC3339(token) else { return nil }
      return value.scalar(.timestamp).map { document.signed($0) == moment.milliseconds } ?? false
    case (.bytes, .string):
      guard let bytes = Base64.decode(token) else { return nil }
      return value.scalar(.bytes).map { document.bytes($0) == bytes } ?? false
    case (.decimal, .string), (.decimal, .number):
      guard let decimal = ExactDecimal(token) else { return nil }
      guard let text = value.scalar(.string) else { return false }
      return ExactDecimal(document.pool.span.extracting(text.range)) == decimal
    case (.text, .string):
      guard value.content == .object(.text) else { return false }
      return values.isEqualText(node, on: tape, value.id, document)
    case (.links(let target), _):
      guard let links = LinkSet(node, on: tape, to: target) else { return nil }
      return LinkSet(value.id, of: document, to: target, at: values.view) == links
    default:
      return nil
    }
  }
}

extension DocumentValue {
  /// Returns the scalar if it is of a type.
  fileprivate func scalar(_ type: ValueType) -> ScalarPlace? {
    if case .scalar(let place) = content, place.type == type { place } else { nil }
  }
}
