package import Automerge
package import Diagnostics
package import Folders

/// Writes what a document shows of an entity of a kind that a profile declares as the members of a
/// JSON object.
///
/// It undoes the mapping of the import: what it writes, imported again, makes the same changes
/// (profile-files.md, What comes back).
package struct DeclaredExporter {
  /// The types that neither the JSON written last nor the profile shows.
  package var types: [(pointer: [UInt8], type: StreamType)] { values.types }
  /// What was found in the entity written last: code, severity, message.
  package var findings: [Finding] { values.findings }
  /// How many further values of conflicts were left out since the value was made.
  package var conflictCount: Int { values.conflictCount }

  private let identity: IdentityRule
  private let properties: [Property]
  private let table: PropertyTable
  /// What tells the entities that a property leads to from each other; nil if it leads anywhere.
  private let targets: [IdentityRule?]
  private var values = ValueWriter()
  /// What the document shows of each property.
  private var declared: [DocumentValue?] = []
  private var undeclared: [(name: Range<Int>, value: DocumentValue)] = []

  /// Creates an exporter of entities of a kind of a profile.
  package init(_ kind: EntityKindProfile, of profile: Profile) {
    identity = kind.identity
    table = kind.properties
    properties = Array(kind.properties)
    targets = kind.properties.map { profile.kind(of: $0.type.target)?.identity }
  }

  /// Writes the members of an entity into an object that was begun at a level, 1 for the outermost:
  /// the identity, if it is a property, declared properties and others, both by their names.
  ///
  /// - Parameter hasIdentity: whether the identity is a member; a stream has it elsewhere.
  package mutating func writeMembers(
    of map: OpID, identity: Span<UInt8>, in document: DocumentState, hasIdentity: Bool, level: Int,
    to json: inout JSONWriter
  ) {
    values.begin(level: level)
    undeclared.removeAll(keepingCapacity: true)
    declared.removeAll(keepingCapacity: true)
    declared.append(contentsOf: repeatElement(nil, count: properties.count))
    let pool = document.pool
    var next = 0
    document.forEachKey(of: map) { key, group in
      guard let value = document.winner(in: group) else { return }
      let name = pool.span.extracting(key)
      if let own = self.identity.property, name.isEqual(to: own.bytes.span) {
        return check(value, is: identity, named: own, document)
      }
      values.noteConflict(group, document)
      // Keys come ascending, and so do properties.
      var order = -1
      while next < table.count {
        order = table.order(of: name, toPropertyAt: next)
        if order <= 0 { break }
        next += 1
      }
      if order == 0 { declared[next] = value } else { undeclared.append((key, value)) }
    }
    if hasIdentity, let own = self.identity.property {
      json.name(own.bytes.span)
      json.string(identity)
    }
    for index in properties.indices { write(declared[index], as: index, of: document, to: &json) }
    for (name, value) in undeclared {
      values.writeMember(value, named: pool.span.extracting(name), of: document, to: &json)
    }
  }

  /// Writes any value under no name, for keys that are no entities; nothing if nobody could read it
  /// again, which is a finding.
  ///
  /// - Returns: whether it was written.
  package mutating func writeValue(
    _ value: DocumentValue, of document: DocumentState, level: Int, to json: inout JSONWriter
  ) -> Bool {
    values.begin(level: level)
    return values.writeValue(value, of: document, to: &json)
  }

  /// An app may keep the identity in the entity, too; it is not written twice.
  private mutating func check(
    _ value: DocumentValue, is identity: Span<UInt8>, named name: PropertyName,
    _ document: DocumentState
  ) {
    if case .scalar(let place) = value.content, place.type == .string {
      let text = LinkSet.identity(
        document.pool.span.extracting(place.range), by: self.identity)
      if let text, identity.isEqual(to: text.span) { return }
    }
    values.findings.append(
      Finding(
        .notExported, .error,
        message: "\(Self.shown(name)) is not exported: it is not what the entity is known by",
        next: "look at it with inspect-crdt --typed"))
  }

  private static func shown(_ name: PropertyName) -> String { DisplayText.escaping(name.bytes) }

  // MARK: Declared properties

  private mutating func write(
    _ value: DocumentValue?, as index: Int, of document: DocumentState, to json: inout JSONWriter
  ) {
    let property = properties[index]
    let isMissing = value?.isNull ?? true
    if isMissing, property.isAlwaysThere {
      values.findings.append(
        Finding(.missingField, .error, message: "\(Self.shown(property.name)) is missing"))
    }
    guard let value, !isMissing || property.hasNull else { return }
    if writeAsDeclared(value, property, targets[index], of: document, to: &json) { return }
    if !isMissing, !isPlain(value, for: property.type, targets[index], document),
      property.isAlwaysThere || isMistaken(value, for: property.type, targets[index], document)
    {
      values.findings.append(
        Finding(
          .wrongType, .error,
          message: "\(Self.shown(property.name)) has another type than its profile says",
          next: "the value is exported as it is; correct it before it is imported again"))
    }
    values.writeMember(value, named: property.name.bytes.span, of: document, to: &json)
  }

  /// Writes a value in the JSON form of its property's type; false if it has none of its own, or the
  /// value is of another type.
  private mutating func writeAsDeclared(
    _ value: DocumentValue, _ property: Property, _ target: IdentityRule?,
    of document: DocumentState, to json: inout JSONWriter
  ) -> Bool {
    let name = property.name.bytes.span
    switch (property.type, value.content) {
    case (.date, .scalar(let place)) where place.type == .timestamp:
      let moment = RFC3339(milliseconds: document.signed(place))
      guard moment.isWritable else { return false }
      json.name(name)
      json.string(moment)
    case (.bytes, .scalar(let place)) where place.type == .bytes:
      json.name(name)
      json.string(Base64.encode(document.pool.span.extracting(place.range)).span)
    case (.decimal, .scalar(let place)) where place.type == .string:
      guard let decimal = ExactDecimal(document.pool.span.extracting(place.range)) else {
        return false
      }
      json.name(name)
      json.plainString { decimal.append(to: &$0) }
    case (.uuid, .scalar(let place)) where place.type == .string:
      return writeIdentity(at: place, named: name, of: document, to: &json)
    case (.reference, .scalar(let place)) where place.type == .string:
      guard case .uuid? = target else { return false }
      return writeIdentity(at: place, named: name, of: document, to: &json)
    case (.text, .object(.text)):
      json.name(name)
      json.string(document.textBytes(of: value.id).span)
    case (.links, .object(.map)):
      guard let links = LinkSet(value.id, of: document, to: target) else { return false }
      document.forEachKey(of: value.id) { _, group in values.noteConflict(group, document) }
      json.name(name)
      json.beginArray()
      for identity in links.identities { json.string(identity.span) }
      json.endArray()
    default:
      return false
    }
    return true
  }

  private func writeIdentity(
    at place: ScalarPlace, named name: Span<UInt8>, of document: DocumentState,
    to json: inout JSONWriter
  ) -> Bool {
    guard let identity = Identity(document.pool.span.extracting(place.range)) else { return false }
    json.name(name)
    json.string(identity)
    return true
  }

  // MARK: Values of other types

  /// Whether a value is of a type that has no JSON form of its own.
  private func isPlain(
    _ value: DocumentValue, for type: PropertyType, _ target: IdentityRule?,
    _ document: DocumentState
  ) -> Bool {
    switch (type, value.content) {
    case (.json, _), (.list, .object(.list)), (.map, .object(.map)): return true
    case (_, .scalar(let place)):
      switch (type, place.type) {
      case (.string, .string), (.boolean, .boolTrue), (.boolean, .boolFalse), (.integer, .int),
        (.integer, .uint), (.number, .int), (.number, .uint), (.number, .float64),
        (.double, .float64), (.date, .timestamp):
        return true
      case (.reference, .string):
        return LinkSet.identity(document.pool.span.extracting(place.range), by: target) != nil
      default: return false
      }
    default: return false
    }
  }

  /// Whether the JSON of a value that is not of a type would be read as one that is.
  private func isMistaken(
    _ value: DocumentValue, for type: PropertyType, _ target: IdentityRule?,
    _ document: DocumentState
  ) -> Bool {
    switch (type, value.content) {
    case (.links, .object(.list)):
      var isMistaken = true
      document.forEachElement(of: value.id) { _, group in
        guard isMistaken, case .scalar(let place)? = document.winner(in: group)?.content,
          place.type == .string,
          LinkSet.identity(document.pool.span.extracting(place.range), by: target) != nil
        else {
          isMistaken = false
          return
        }
      }
      return isMistaken
    case (_, .scalar(let place)):
      switch (type, place.type) {
      case (.text, .string): return true
      case (.date, .string):
        return RFC3339(document.pool.span.extracting(place.range)) != nil
      case (.bytes, .string):
        return Base64.decode(document.pool.span.extracting(place.range)) != nil
      case (.decimal, .int), (.decimal, .uint): return true
      case (.decimal, .float64): return document.double(place).isFinite
      case (.double, .int): return isDouble(document.signed(place))
      case (.double, .uint): return isDouble(document.unsigned(place))
      default: return false
      }
    default: return false
    }
  }

  /// Whether the digits of an integer are the shortest decimal of a double.
  private func isDouble(_ value: some BinaryInteger) -> Bool {
    let digits = Array(String(value).utf8)
    return ScalarComparison.isDecimal(digits.span, Double(value))
  }
}

extension Property {
  /// Whether Null is something else than nothing: a value, or what stands in a place that may be empty.
  fileprivate var hasNull: Bool {
    switch type {
    case .json: true
    case .text, .list, .map, .links: isAlwaysThere
    default: isAlwaysThere || since > 1 || until != nil
    }
  }
}
