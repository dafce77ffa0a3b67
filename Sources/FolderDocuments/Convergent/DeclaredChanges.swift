package import Automerge
package import Folders

/// The changes that make one entity of a kind that a profile declares, computed from its data alone
/// (convergent-import.md).
///
/// One value of this type builds entity after entity.
package struct DeclaredChanges {
  /// What a change does; a raw value is part of how the author is derived, and frozen.
  package enum Label: String, Sendable {
    /// Makes the map of the entity.
    case skeleton
    /// Sets the scalars.
    case content
    /// Makes one container.
    case property
    /// Sets one link.
    case links

    fileprivate var text: StaticString {
      switch self {
      case .skeleton: "automerge-migrate/1/skeleton"
      case .content: "automerge-migrate/2/content"
      case .property: "automerge-migrate/2/property"
      case .links: "automerge-migrate/2/links"
      }
    }
  }

  /// One of the changes.
  package struct Change: Sendable {
    /// What it does.
    package let label: Label
    /// The property that it is about; empty of a skeleton and of content.
    package let property: [UInt8]
    /// The change.
    package let draft: ChangeDraft
  }

  /// The most scalars of an entity.
  package static let largestScalarCount = 1000
  /// Imported values have counters up to this, so that every later edit is greater than they are.
  private static let padding: UInt32 = 1024
  /// The map that the skeleton makes, as the changes on top of it name it.
  private static let map = ChangeDraft.LocalID(counter: 1, actor: 1)

  /// The changes of the entity that was built last: skeleton, content, properties by name, links by
  /// name and target.
  package private(set) var changes: [Change] = []
  /// The properties whose values are of another type than declared, by name.
  package private(set) var wrongProperties: [PropertyName] = []

  private let profile: Profile
  private var loose: [(name: [UInt8], value: DeclaredValue.Scalar)] = []
  private var placed: [Place] = []
  private var containers: [(name: [UInt8], value: DeclaredValue)] = []

  /// What stands in the place of a declared scalar.
  private enum Place {
    case absent
    case value(DeclaredValue.Scalar)
    /// The value is a container, which is in a change of its own.
    case container
  }

  /// Creates a builder for the kinds of a profile.
  package init(_ profile: Profile) { self.profile = profile }

  /// Builds all changes of an entity: an object on a tape, with the identity that it is known by.
  package mutating func build(
    _ object: Int, on tape: JSONTape, identity: [UInt8], of kind: EntityKindProfile
  ) throws(EntityRefusal) {
    changes.removeAll(keepingCapacity: true)
    try read(object, on: tape, identity: identity, of: kind)

    var skeleton = ChangeDraft()
    skeleton.begin(sequence: 1, startCounter: 1, dependencies: [])
    skeleton.makeObject(.map, in: .root, key: identity.span)
    skeleton.finish(deriving: Label.skeleton.text)
    changes.append(Change(label: .skeleton, property: [], draft: skeleton))

    let content = try content(of: kind, on: tape, onto: skeleton)
    changes.append(Change(label: .content, property: [], draft: content))
    try appendContainers(on: tape, onto: skeleton)
  }

  // MARK: Reading

  /// Members and properties are both walked by the bytes of their names.
  private mutating func read(
    _ object: Int, on tape: JSONTape, identity: [UInt8], of kind: EntityKindProfile
  ) throws(EntityRefusal) {
    loose.removeAll(keepingCapacity: true)
    containers.removeAll(keepingCapacity: true)
    wrongProperties.removeAll(keepingCapacity: true)
    placed = Array(repeating: .absent, count: kind.properties.count)
    var names: [UInt32] = []
    tape.appendSortedMembers(of: object, to: &names)
    var next = 0
    for name in names.map(Int.init) {
      let bytes = tape.bytes(of: name)
      if let property = kind.identity.property, property.bytes == bytes {
        try check(name + 1, on: tape, is: identity, by: kind.identity)
        continue
      }
      while next < kind.properties.count, kind.properties[next].name.bytes.precede(bytes) {
        try readAbsent(kind.properties[next])
        next += 1
      }
      if next < kind.properties.count, kind.properties[next].name.bytes == bytes {
        try read(name + 1, of: kind.properties[next], at: next, on: tape)
        next += 1
      } else {
        add(try DeclaredValue(name + 1, on: tape), named: bytes)
      }
    }
    for property in kind.properties[next...] { try readAbsent(property) }
  }

  private func check(
    _ node: Int, on tape: JSONTape, is identity: [UInt8], by rule: IdentityRule
  ) throws(EntityRefusal) {
    let text = tape.text.span.extracting(tape.range(of: node))
    guard tape.kind(of: node) == .string, DeclaredIdentity.bytes(text, by: rule) == identity else {
      throw .twoIdentities
    }
  }

  private mutating func readAbsent(_ property: Property) throws(EntityRefusal) {
    if property.isAlwaysThere { throw .missing(property.name) }
    if case .links = property.type { containers.append((property.name.bytes, .links([]))) }
  }

  private mutating func read(
    _ node: Int, of property: Property, at index: Int, on tape: JSONTape
  ) throws(EntityRefusal) {
    if tape.kind(of: node) == .null {
      try readAbsent(property)
      if property.type.isScalar { placed[index] = .value(.null) }
      if property.type == .json { loose.append((property.name.bytes, .null)) }
      return
    }
    var value = try DeclaredValue(node, as: property.type, on: tape, in: profile)
    if value == nil {
      if property.isAlwaysThere { throw .wrongType(property.name) }
      wrongProperties.append(property.name)
      value = try DeclaredValue(node, on: tape)
    }
    guard let value, property.type.isScalar else {
      if let value { add(value, named: property.name.bytes) }
      return
    }
    if case .scalar(let scalar) = value {
      placed[index] = .value(scalar)
    } else {
      placed[index] = .container
      containers.append((property.name.bytes, value))
    }
  }

  private mutating func add(_ value: DeclaredValue, named name: [UInt8]) {
    if case .scalar(let scalar) = value {
      loose.append((name, scalar))
    } else {
      containers.append((name, value))
    }
  }

  // MARK: Content

  private func content(
    of kind: EntityKindProfile, on tape: JSONTape, onto skeleton: borrowing ChangeDraft
  ) throws(EntityRefusal) -> ChangeDraft {
    // Places count from the last one, so those that only newer versions have come first, and are left
    // out by entities that have none of them.
    let order = kind.properties.indices.filter { kind.properties[$0].type.isScalar }.sorted {
      let (left, right) = (kind.properties[$0].since, kind.properties[$1].since)
      return left == right ? $0 < $1 : left > right
    }.drop { index in
      if case .absent = placed[index] { kind.properties[index].since > 1 } else { false }
    }
    let isEmpty = loose.isEmpty && order.isEmpty
    let count = isEmpty ? 1 : loose.count + order.count
    if count > Self.largestScalarCount { throw .tooManyScalars(limit: Self.largestScalarCount) }

    var draft = ChangeDraft()
    draft.begin(
      sequence: 1, startCounter: Self.padding + 1 - UInt32(clamping: count),
      dependencies: [skeleton.hash], otherActors: [skeleton.author])
    var empty: [(name: [UInt8], null: ChangeDraft.LocalID)] = []
    if isEmpty { empty.append(([], draft.set(.null, in: Self.map, key: [UInt8]().span))) }
    for (name, value) in loose {
      Self.set(value, in: Self.map, key: name.span, on: tape, to: &draft)
    }
    for index in order {
      let property = kind.properties[index]
      let isEmptyPlace: Bool
      var value = DeclaredValue.Scalar.null
      switch placed[index] {
      case .absent: isEmptyPlace = property.since > 1 || property.until != nil
      case .container: isEmptyPlace = true
      case .value(let scalar):
        isEmptyPlace = false
        value = scalar
      }
      let id = Self.set(value, in: Self.map, key: property.name.bytes.span, on: tape, to: &draft)
      if isEmptyPlace { empty.append((property.name.bytes, id)) }
    }
    for (name, null) in empty {
      draft.delete(in: Self.map, key: name.span, predecessors: [null])
    }
    draft.finish(deriving: Label.content.text)
    return draft
  }

  @discardableResult
  private static func set(
    _ value: DeclaredValue.Scalar, in map: ChangeDraft.LocalID, key: Span<UInt8>,
    on tape: JSONTape, to draft: inout ChangeDraft
  ) -> ChangeDraft.LocalID {
    switch value {
    case .null: draft.set(.null, in: map, key: key)
    case .boolean(let value): draft.set(.boolean(value), in: map, key: key)
    case .int(let value): draft.set(.int(value), in: map, key: key)
    case .uint(let value): draft.set(.uint(value), in: map, key: key)
    case .double(let value): draft.set(.float(value), in: map, key: key)
    case .timestamp(let value): draft.set(.timestamp(value), in: map, key: key)
    case .bytes(let bytes): draft.set(.bytes, bytes.span, in: map, key: key)
    case .canonical(let text): draft.set(.string, text.span, in: map, key: key)
    case .string(let node):
      draft.set(.string, tape.text.span.extracting(tape.range(of: node)), in: map, key: key)
    }
  }

  // MARK: Containers

  private mutating func appendContainers(
    on tape: JSONTape, onto skeleton: borrowing ChangeDraft
  ) throws(EntityRefusal) {
    containers.sort { $0.name.precede($1.name) }
    var links: [Change] = []
    for (name, value) in containers {
      var draft = ChangeDraft()
      draft.begin(
        sequence: 1, startCounter: Self.padding, dependencies: [skeleton.hash],
        otherActors: [skeleton.author])
      switch value {
      case .scalar: continue
      case .text(let node):
        let text = draft.makeObject(.text, in: Self.map, key: name.span)
        FieldWriter.insertScalars(of: node, on: tape, in: text, to: &draft)
      case .links: draft.makeObject(.map, in: Self.map, key: name.span)
      case .container(let node):
        let isMap = tape.kind(of: node) == .object
        let object = draft.makeObject(isMap ? .map : .list, in: Self.map, key: name.span)
        try Self.write(contentOf: node, on: tape, into: object, to: &draft)
      }
      draft.finish(deriving: Label.property.text)
      changes.append(Change(label: .property, property: name, draft: draft))
      guard case .links(let targets) = value else { continue }
      for target in targets { links.append(Self.link(to: target, named: name, onto: draft)) }
    }
    changes += links
  }

  private static func link(
    to target: [UInt8], named name: [UInt8], onto property: borrowing ChangeDraft
  ) -> Change {
    var draft = ChangeDraft()
    draft.begin(
      sequence: 1, startCounter: padding + 1, dependencies: [property.hash],
      otherActors: [property.author])
    let map = ChangeDraft.LocalID(counter: padding, actor: 1)
    draft.set(.boolean(true), in: map, key: target.span)
    draft.finish(deriving: Label.links.text)
    return Change(label: .links, property: name, draft: draft)
  }

  /// Writes what an array or object holds, depth first, members by the bytes of their names.
  ///
  /// The tape is at most as deep as its limit, and so is this.
  private static func write(
    contentOf node: Int, on tape: JSONTape, into object: ChangeDraft.LocalID,
    to draft: inout ChangeDraft
  ) throws(EntityRefusal) {
    guard tape.kind(of: node) == .object else {
      var previous = ChangeDraft.LocalID.root
      var element = node + 1
      while element < tape.node(after: node) {
        previous = try insert(element, on: tape, into: object, after: previous, to: &draft)
        element = tape.node(after: element)
      }
      return
    }
    var names: [UInt32] = []
    tape.appendSortedMembers(of: node, to: &names)
    for name in names.map(Int.init) {
      let key = tape.text.span.extracting(tape.range(of: name))
      switch try DeclaredValue(name + 1, on: tape) {
      case .scalar(let scalar): set(scalar, in: object, key: key, on: tape, to: &draft)
      default:
        let isMap = tape.kind(of: name + 1) == .object
        let inner = draft.makeObject(isMap ? .map : .list, in: object, key: key)
        try write(contentOf: name + 1, on: tape, into: inner, to: &draft)
      }
    }
  }

  private static func insert(
    _ node: Int, on tape: JSONTape, into list: ChangeDraft.LocalID,
    after previous: ChangeDraft.LocalID, to draft: inout ChangeDraft
  ) throws(EntityRefusal) -> ChangeDraft.LocalID {
    switch try DeclaredValue(node, on: tape) {
    case .scalar(.null): return draft.insert(.null, in: list, after: previous)
    case .scalar(.boolean(let value)):
      return draft.insert(.boolean(value), in: list, after: previous)
    case .scalar(.int(let value)): return draft.insert(.int(value), in: list, after: previous)
    case .scalar(.uint(let value)): return draft.insert(.uint(value), in: list, after: previous)
    case .scalar(.double(let value)): return draft.insert(.float(value), in: list, after: previous)
    case .scalar:
      return draft.insert(
        .string, tape.text.span.extracting(tape.range(of: node)), in: list, after: previous)
    default:
      let isMap = tape.kind(of: node) == .object
      let inner = draft.insertObject(isMap ? .map : .list, in: list, after: previous)
      try write(contentOf: node, on: tape, into: inner, to: &draft)
      return inner
    }
  }
}

extension PropertyType {
  /// Whether values of the type have a place in the content change.
  fileprivate var isScalar: Bool {
    switch self {
    case .string, .uuid, .boolean, .integer, .number, .double, .date, .bytes, .decimal, .reference:
      true
    case .json, .text, .list, .map, .links: false
    }
  }
}

extension [UInt8] {
  fileprivate func precede(_ other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }
}
