package import Automerge
package import Folders

/// The changes that make one entity of a kind that a profile declares, computed from its data alone
/// (convergent-import.md).
///
/// One value of this type builds entity after entity of one kind and keeps its storage.
package struct DeclaredChanges {
  /// One of the changes.
  package struct Change: Sendable {
    /// What it does.
    package let label: ImportLabel
    /// Which of the entity's properties with a change of their own it is about, by name; nil of a
    /// skeleton and of content.
    package let property: Int?
    package let hash: ChangeHash
    fileprivate let author: ActorId
  }

  /// Imported values have counters up to this, so that every later edit is greater than they are.
  private static let padding: UInt32 = 1024
  /// The map that the skeleton makes, as the changes on top of it name it.
  private static let map = ChangeDraft.LocalID(counter: 1, actor: 1)

  /// What stands in the place of a declared scalar.
  private enum Place {
    case absent
    case value(DeclaredValue.Scalar)
    /// The value is a container, which is in a change of its own.
    case container
  }

  /// A container by its name: a member of the entity, or a property that it does not have.
  private struct Container {
    var member: Int?
    var property: Int?
    var value: DeclaredValue
  }

  private let identity: IdentityRule
  /// The member that says the identity; nil if none does.
  private let identityName: [UInt8]?
  private let properties: PropertyTable
  /// What each property refers to.
  private let targets: [TargetKind?]
  private let places: ScalarPlaces

  /// The properties whose values are of another type than declared, by name.
  package private(set) var wrongProperties: [PropertyName] = []

  /// The types that a stream names for values of the entity.
  private var types = StreamTypes()
  /// The changes of the entity that was built last: skeleton, content, properties by name, links by
  /// name and target.
  package private(set) var changes: [Change] = []
  private var draft = ChangeDraft()
  /// The name nodes of the entity's members.
  private var names: [UInt32] = []
  /// The scalars without a place, by their name nodes.
  private var loose: [(name: Int, value: DeclaredValue.Scalar)] = []
  private var placed: [Place] = []
  private var containers: [Container] = []
  /// The empty places: a property, or none for the one without a name.
  private var empty: [(property: Int?, null: ChangeDraft.LocalID)] = []

  /// Creates a builder for a kind of a profile.
  package init(_ kind: EntityKindProfile, of profile: Profile) {
    identity = kind.identity
    identityName = kind.identity.property?.bytes
    let properties = kind.properties
    self.properties = properties
    targets = properties.map { profile.kind(of: $0.type.target) }
    places = ScalarPlaces(of: properties)
  }

  /// Builds all changes of an entity: an object on a tape, with the identity that it is known by.
  ///
  /// - Parameters:
  ///   - types: the types that a stream names for values of the object.
  ///   - sink: takes the changes in their order; of an entity that is refused it may have taken some.
  package mutating func build(
    _ object: Int, on tape: JSONTape, identity: [UInt8], types: StreamTypes = StreamTypes(),
    into sink: inout some ChangeSink
  ) throws(EntityRefusal) {
    changes.removeAll(keepingCapacity: true)
    self.types = types
    try read(object, on: tape, identity: identity)

    begin(startCounter: 1, onto: nil)
    draft.makeObject(.map, in: .root, key: identity.span)
    finish(.skeleton, into: &sink)
    try appendContent(on: tape, to: &sink)
    try appendContainers(on: tape, to: &sink)
  }

  /// Begins the next change, on top of another one.
  private mutating func begin(startCounter: UInt32, onto base: Change?) {
    draft.begin(
      sequence: 1, startCounter: startCounter, onto: base.map { ($0.hash, $0.author) })
  }

  private mutating func finish(
    _ label: ImportLabel, _ property: Int? = nil, into sink: inout some ChangeSink
  ) {
    draft.finish(as: label)
    changes.append(
      Change(label: label, property: property, hash: draft.hash, author: draft.author))
    sink.append(draft)
  }

  // MARK: Reading

  /// Members and properties are both walked by the bytes of their names.
  private mutating func read(
    _ object: Int, on tape: JSONTape, identity: [UInt8]
  ) throws(EntityRefusal) {
    loose.removeAll(keepingCapacity: true)
    containers.removeAll(keepingCapacity: true)
    wrongProperties.removeAll(keepingCapacity: true)
    placed.removeAll(keepingCapacity: true)
    placed.append(contentsOf: repeatElement(.absent, count: properties.count))
    names.removeAll(keepingCapacity: true)
    tape.appendSortedMembers(of: object, to: &names)
    var next = 0
    for position in names.indices {
      let name = Int(names[position])
      if let identityName, tape.isEqual(name, to: identityName.span) {
        try check(name + 1, on: tape, is: identity)
        continue
      }
      let bytes = tape.text.span.extracting(tape.range(of: name))
      var order = -1
      while next < properties.count {
        order = properties.order(of: bytes, toPropertyAt: next)
        if order <= 0 { break }
        try readAbsent(next, member: nil)
        next += 1
      }
      if next < properties.count, order == 0 {
        try read(name, of: next, on: tape)
        next += 1
      } else {
        add(try DeclaredValue(name + 1, on: tape, types), named: name)
      }
    }
    while next < properties.count {
      try readAbsent(next, member: nil)
      next += 1
    }
  }

  private func check(
    _ node: Int, on tape: JSONTape, is identity: [UInt8]
  ) throws(EntityRefusal) {
    let text = tape.text.span.extracting(tape.range(of: node))
    guard tape.kind(of: node) == .string,
      self.identity.bytes(text) == identity
    else { throw .twoIdentities }
  }

  private mutating func readAbsent(_ index: Int, member: Int?) throws(EntityRefusal) {
    let facts = properties.facts(at: index)
    if facts.isAlwaysThere { throw .missing(properties.name(at: index)) }
    if facts.form == .links {
      containers.append(Container(member: member, property: index, value: .links([])))
    }
  }

  private mutating func read(
    _ name: Int, of index: Int, on tape: JSONTape
  ) throws(EntityRefusal) {
    let facts = properties.facts(at: index)
    if tape.kind(of: name + 1) == .null, types[name + 1] == nil {
      try readAbsent(index, member: name)
      if facts.form.isScalar { placed[index] = .value(.null) }
      if facts.form == .json { loose.append((name, .null)) }
      return
    }
    var value = try DeclaredValue(
      name + 1, as: facts.form, on: tape, types, to: targets[index])
    if value == nil {
      if facts.isAlwaysThere { throw .wrongType(properties.name(at: index)) }
      wrongProperties.append(properties.name(at: index))
      value = try DeclaredValue(name + 1, on: tape, types)
    }
    guard let value else { return }
    if facts.form.isScalar {
      if case .scalar(let scalar) = value {
        placed[index] = .value(scalar)
        return
      }
      placed[index] = .container
    }
    add(value, named: name)
  }

  private mutating func add(_ value: DeclaredValue, named name: Int) {
    if case .scalar(let scalar) = value {
      loose.append((name, scalar))
    } else {
      containers.append(Container(member: name, property: nil, value: value))
    }
  }

  // MARK: Content

  private mutating func appendContent(
    on tape: JSONTape, to sink: inout some ChangeSink
  ) throws(EntityRefusal) {
    let order = places.used { index in
      if case .absent = placed[index] { true } else { false }
    }
    let isEmpty = loose.isEmpty && order.isEmpty
    let scalarCount = isEmpty ? 1 : loose.count + order.count
    if scalarCount > ScalarPlaces.limit { throw .tooManyScalars(limit: ScalarPlaces.limit) }
    begin(startCounter: Self.padding + 1 - UInt32(clamping: scalarCount), onto: changes[0])
    empty.removeAll(keepingCapacity: true)
    if isEmpty {
      let null = draft.set(.null, in: Self.map, key: [UInt8]().span)
      empty.append((nil, null))
    }
    for (name, value) in loose {
      let key = tape.text.span.extracting(tape.range(of: name))
      draft.set(value, in: Self.map, key: key, on: tape)
    }
    let propertyNames = properties.names
    for index in order {
      var isEmptyPlace = false
      var value = DeclaredValue.Scalar.null
      switch placed[index] {
      case .absent: isEmptyPlace = !properties.facts(at: index).isInAllVersions
      case .container: isEmptyPlace = true
      case .value(let scalar): value = scalar
      }
      let id = draft.set(
        value, in: Self.map,
        key: propertyNames.span.extracting(properties.nameRange(at: index)), on: tape)
      if isEmptyPlace { empty.append((index, id)) }
    }
    for (index, null) in empty {
      let name = index.map { properties.name(at: $0).bytes } ?? []
      draft.delete(in: Self.map, key: name.span, predecessors: [null])
    }
    finish(.declaredContent, into: &sink)
  }

  // MARK: Containers

  /// They come by name, as members and properties were read; their links follow all of them.
  /// Returns the name of the property that a change is about; nil of a skeleton and of content.
  package func property(of change: Change, on tape: JSONTape) -> [UInt8]? {
    change.property.map { name(of: containers[$0], on: tape) }
  }

  private func name(of container: Container, on tape: JSONTape) -> [UInt8] {
    container.member.map(tape.bytes(of:))
      ?? container.property.map { properties.name(at: $0).bytes } ?? []
  }

  private mutating func appendContainers(
    on tape: JSONTape, to sink: inout some ChangeSink
  ) throws(EntityRefusal) {
    let first = changes.count
    for (index, container) in containers.enumerated() {
      begin(startCounter: Self.padding, onto: changes[0])
      let name = name(of: container, on: tape)
      try Self.write(container.value, named: name.span, on: tape, types, to: &draft)
      finish(.property, index, into: &sink)
    }
    for (index, container) in containers.enumerated() {
      guard case .links(let targets) = container.value else { continue }
      let map = ChangeDraft.LocalID(counter: Self.padding, actor: 1)
      for target in targets {
        begin(startCounter: Self.padding + 1, onto: changes[first + index])
        draft.set(.boolean(true), in: map, key: target.span)
        finish(.links, index, into: &sink)
      }
    }
  }

  private static func write(
    _ value: DeclaredValue, named name: Span<UInt8>, on tape: JSONTape, _ types: StreamTypes,
    to draft: inout ChangeDraft
  ) throws(EntityRefusal) {
    switch value {
    case .scalar(let scalar): draft.set(scalar, in: map, key: name, on: tape)
    case .links: draft.makeObject(.map, in: map, key: name)
    case .text(let node):
      let text = draft.makeObject(.text, in: map, key: name)
      FieldWriter.insertScalars(of: node, on: tape, in: text, to: &draft)
    case .container(let node):
      let isMap = tape.kind(of: node) == .object
      let object = draft.makeObject(isMap ? .map : .list, in: map, key: name)
      try write(contentOf: node, on: tape, types, into: object, to: &draft)
    }
  }

  /// Writes what an array or object holds, depth first, members by the bytes of their names.
  ///
  /// The tape is at most as deep as its limit, and so is this.
  private static func write(
    contentOf node: Int, on tape: JSONTape, _ types: StreamTypes,
    into object: ChangeDraft.LocalID, to draft: inout ChangeDraft
  ) throws(EntityRefusal) {
    guard tape.kind(of: node) == .object else {
      var previous = ChangeDraft.LocalID.root
      var element = node + 1
      while element < tape.node(after: node) {
        previous = try insert(element, on: tape, types, into: object, after: previous, to: &draft)
        element = tape.node(after: element)
      }
      return
    }
    var names: [UInt32] = []
    tape.appendSortedMembers(of: node, to: &names)
    for name in names.map(Int.init) {
      let key = tape.text.span.extracting(tape.range(of: name))
      switch try DeclaredValue(name + 1, on: tape, types) {
      case .scalar(let scalar): draft.set(scalar, in: object, key: key, on: tape)
      case .text(let node):
        let text = draft.makeObject(.text, in: object, key: key)
        FieldWriter.insertScalars(of: node, on: tape, in: text, to: &draft)
      default:
        let isMap = tape.kind(of: name + 1) == .object
        let inner = draft.makeObject(isMap ? .map : .list, in: object, key: key)
        try write(contentOf: name + 1, on: tape, types, into: inner, to: &draft)
      }
    }
  }

  private static func insert(
    _ node: Int, on tape: JSONTape, _ types: StreamTypes, into list: ChangeDraft.LocalID,
    after previous: ChangeDraft.LocalID, to draft: inout ChangeDraft
  ) throws(EntityRefusal) -> ChangeDraft.LocalID {
    switch try DeclaredValue(node, on: tape, types) {
    case .scalar(let scalar):
      return draft.insert(scalar, in: list, after: previous, on: tape)
    case .text(let node):
      let text = draft.insertObject(.text, in: list, after: previous)
      FieldWriter.insertScalars(of: node, on: tape, in: text, to: &draft)
      return text
    default:
      let isMap = tape.kind(of: node) == .object
      let inner = draft.insertObject(isMap ? .map : .list, in: list, after: previous)
      try write(contentOf: node, on: tape, types, into: inner, to: &draft)
      return inner
    }
  }
}
