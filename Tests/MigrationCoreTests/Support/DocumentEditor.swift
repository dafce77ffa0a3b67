import Automerge
import Folders

@testable import MigrationCore

/// Makes one change of a document as another device's app would.
struct DocumentEditor {
  private(set) var state: DocumentState
  private var draft = ChangeDraft()
  private let actor: ActorId
  private let others: [ActorId]
  private var used: Set<ActorId> = []
  private var operations: [(inout ChangeDraft, (ActorId) -> UInt32) -> Void] = []

  init(_ state: DocumentState, actor: UInt8) {
    self.init(state, actor: ActorId(bytes: [UInt8](repeating: actor, count: 16)))
  }

  init(_ state: DocumentState, actor: ActorId) {
    self.state = state
    self.actor = actor
    others = state.actorIDs
  }

  func map(_ identity: Identity) throws -> OpID {
    guard let value = state.value(of: .root, key: identity.canonicalBytes) else {
      throw EditorError.noEntity
    }
    return value.id
  }

  enum EditorError: Error { case noEntity }

  /// Sets a field of an entity to a string.
  mutating func set(_ field: String, of identity: Identity, to text: String) throws {
    let map = try map(identity)
    let author = state.author(of: map)
    let predecessors = predecessors(of: map, Array(field.utf8))
    use([author] + predecessors.map(\.author))
    operations.append { draft, index in
      draft.set(
        .string, Array(text.utf8).span, in: .init(counter: map.counter, actor: index(author)),
        key: Array(field.utf8).span,
        predecessors: predecessors.map { .init(counter: $0.counter, actor: index($0.author)) })
    }
  }

  /// Sets a field of a map in an entity to a string.
  mutating func set(
    _ field: String, inMap map: String, of identity: Identity, to text: String
  ) throws {
    guard let inner = state.value(of: try self.map(identity), key: Array(map.utf8)) else {
      throw EditorError.noEntity
    }
    let author = state.author(of: inner.id)
    let predecessors = predecessors(of: inner.id, Array(field.utf8))
    use([author] + predecessors.map(\.author))
    operations.append { draft, index in
      draft.set(
        .string, Array(text.utf8).span, in: .init(counter: inner.id.counter, actor: index(author)),
        key: Array(field.utf8).span,
        predecessors: predecessors.map { .init(counter: $0.counter, actor: index($0.author)) })
    }
  }

  /// Deletes an element of a record's list of images.
  mutating func remove(_ name: String, fromImagesOf identity: Identity) throws {
    try remove(name, fromList: "images", of: identity)
  }

  /// Deletes an element of a list of an entity.
  mutating func remove(
    _ name: String, fromList field: String, of identity: Identity
  ) throws {
    guard let list = state.value(of: try map(identity), key: Array(field.utf8))?.id else {
      throw EditorError.noEntity
    }
    var found: OpID?
    state.forEachElement(of: list) { element, group in
      guard case .scalar(let place)? = state.winner(in: group)?.content else { return }
      if state.bytes(place) == Array(name.utf8) { found = element }
    }
    guard let found else { throw EditorError.noEntity }
    let (listAuthor, author) = (state.author(of: list), state.author(of: found))
    use([listAuthor, author])
    operations.append { draft, index in
      let element = ChangeDraft.LocalID(counter: found.counter, actor: index(author))
      draft.delete(
        in: .init(counter: list.counter, actor: index(listAuthor)), element: element,
        predecessors: [element])
    }
  }

  /// Deletes a field of an entity.
  mutating func delete(_ field: String, of identity: Identity) throws {
    let map = try map(identity)
    let author = state.author(of: map)
    let predecessors = predecessors(of: map, Array(field.utf8))
    use([author] + predecessors.map(\.author))
    operations.append { draft, index in
      draft.delete(
        in: .init(counter: map.counter, actor: index(author)), key: Array(field.utf8).span,
        predecessors: predecessors.map { .init(counter: $0.counter, actor: index($0.author)) })
    }
  }

  /// Appends a string to a list of an entity; nothing if there is no list.
  mutating func append(_ text: String, toList field: String, of identity: Identity) throws {
    guard let list = state.value(of: try map(identity), key: Array(field.utf8)),
      list.content == .object(.list)
    else { return }
    var last: OpID?
    state.forEachElement(of: list.id) { element, _ in last = element }
    let author = state.author(of: list.id)
    let place = last.map { (counter: $0.counter, author: state.author(of: $0)) }
    use([author] + (place.map { [$0.author] } ?? []))
    operations.append { draft, index in
      draft.insert(
        .string, Array(text.utf8).span, in: .init(counter: list.id.counter, actor: index(author)),
        after: place.map { .init(counter: $0.counter, actor: index($0.author)) } ?? .root)
    }
  }

  /// Deletes an entity.
  mutating func delete(_ identity: Identity) throws {
    try delete(key: identity.canonicalBytes)
  }

  /// Deletes the entity at a key.
  mutating func delete(key: [UInt8]) throws {
    let predecessors = predecessors(of: .root, key)
    use(predecessors.map(\.author))
    operations.append { draft, index in
      draft.delete(
        in: .root, key: key.span,
        predecessors: predecessors.map { .init(counter: $0.counter, actor: index($0.author)) })
    }
  }

  /// Makes an entity with one field.
  mutating func make(_ identity: Identity, _ field: String, _ text: String) {
    operations.append { draft, _ in
      let map = draft.makeObject(.map, in: .root, key: identity.canonicalBytes.span)
      draft.set(.string, Array(text.utf8).span, in: map, key: Array(field.utf8).span)
    }
  }

  /// Gives the entity that this change makes first a list of images.
  mutating func makeImages(_ identity: Identity, _ names: [String]) {
    makeList(identity, "images", names)
  }

  /// Gives the entity that this change makes first a list of strings.
  mutating func makeList(_ identity: Identity, _ field: String, _ names: [String]) {
    let map = ChangeDraft.LocalID(counter: state.maxCounter + 1, actor: 0)
    operations.append { draft, _ in
      let list = draft.makeObject(.list, in: map, key: Array(field.utf8).span)
      var last = ChangeDraft.LocalID.root
      for name in names {
        last = draft.insert(.string, Array(name.utf8).span, in: list, after: last)
      }
    }
  }

  /// Gives the entity that this change makes first a map of strings.
  mutating func makeMap(_ identity: Identity, _ field: String, _ members: [String: String]) {
    let map = ChangeDraft.LocalID(counter: state.maxCounter + 1, actor: 0)
    operations.append { draft, _ in
      let inner = draft.makeObject(.map, in: map, key: Array(field.utf8).span)
      for (name, text) in members.sorted(by: { $0.key < $1.key }) {
        draft.set(.string, Array(text.utf8).span, in: inner, key: Array(name.utf8).span)
      }
    }
  }

  /// Appends a name to a record's list of images.
  mutating func append(_ name: String, toImagesOf identity: Identity) throws {
    guard let list = state.value(of: try map(identity), key: Array("images".utf8))?.id else {
      throw EditorError.noEntity
    }
    var last = OpID.root
    state.forEachElement(of: list) { element, _ in last = element }
    let listAuthor = state.author(of: list)
    let lastAuthor = last.isRoot ? nil : state.author(of: last)
    use([listAuthor] + (lastAuthor.map { [$0] } ?? []))
    operations.append { draft, index in
      draft.insert(
        .string, Array(name.utf8).span, in: .init(counter: list.counter, actor: index(listAuthor)),
        after: .init(counter: last.counter, actor: lastAuthor.map(index) ?? 0))
    }
  }

  private mutating func use(_ actors: [ActorId]) { used.formUnion(actors) }

  private func predecessors(of map: OpID, _ key: [UInt8]) -> [(counter: UInt32, author: ActorId)] {
    guard let group = state.group(of: map, key: key) else { return [] }
    return state.values(in: group).map { ($0.id.counter, state.author(of: $0.id)) }
  }

  /// Applies the change and returns the document.
  mutating func finish() throws -> DocumentState {
    let others = used.subtracting([actor]).sorted()
    draft.begin(
      sequence: UInt32(sequence), startCounter: state.maxCounter + 1, dependencies: state.heads,
      otherActors: others)
    for operation in operations {
      operation(&draft) { actor in
        others.firstIndex(of: actor).map { UInt32($0 + 1) } ?? 0
      }
    }
    draft.finish(author: actor)
    var batch = ChangeBatch()
    batch.append(draft)
    try state.apply(batch)
    return state
  }

  private var sequence: Int {
    var next = 1
    while state.row(ofChangeBy: actor, sequence: next) != nil { next += 1 }
    return next
  }
}

extension DocumentState {
  /// The document with all changes of another.
  func merging(_ other: DocumentState) throws -> DocumentState {
    var merged = self
    try merged.apply(other.batch(0..<other.changeCount))
    return merged
  }

  /// The string at a field of an entity.
  func text(_ field: String, of identity: Identity) -> String? {
    guard let map = value(of: .root, key: identity.canonicalBytes),
      case .scalar(let place)? = value(of: map.id, key: Array(field.utf8))?.content
    else { return nil }
    return String(decoding: pool[place.range], as: UTF8.self)
  }
}
