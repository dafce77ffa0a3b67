import Folders
import SafeFiles

/// One of the app's own files that holds several entities, or one beside other things, as an export
/// writes it.
struct DeclaredFile {
  let home: EntityHome
  private(set) var entities: [DeclaredEntity] = []
  private var json = JSONWriter()

  init(_ home: EntityHome) { self.home = home }

  /// Whether nothing is in the file but empty objects and lists on the way to entities.
  private(set) var isEmpty = true

  mutating func add(_ entity: DeclaredEntity) { entities.append(entity) }

  /// Returns the file: entities in the order in which a model of it has them, then in that of the files
  /// that had them, then others by the bytes of their identities; what else is in the model stays where
  /// it is.
  mutating func bytes(like model: (file: KnownFiles.File, tape: JSONTape)?) -> [UInt8] {
    entities.sort { left, right in
      switch (left.place, right.place) {
      case (let one?, let other?):
        let isOfModel = one.file == model?.file
        return isOfModel == (other.file == model?.file) ? one < other : isOfModel
      case (_?, nil): return true
      case (nil, _?): return false
      case (nil, nil): return ByteOrder.precedes(left.identity, right.identity)
      }
    }
    entities = entities.map { entity in
      let place = entity.place.flatMap { $0.file == model?.file ? $0 : nil }
      return DeclaredEntity(identity: entity.identity, place: place, json: entity.json)
    }
    isEmpty = entities.isEmpty
    json.removeAll()
    write(model.map { ($0.tape, 0) }, depth: 0)
    return json.bytes + [UInt8(ascii: "\n")]
  }

  private var tokens: [[UInt8]] { home.content.pointer?.tokens ?? [] }

  /// Whether there is something to write at the pointer.
  private var hasContent: Bool {
    if case .value = home.content { !entities.isEmpty } else { true }
  }

  private typealias Source = (tape: JSONTape, node: Int)

  private mutating func write(_ source: Source?, depth: Int) {
    if depth == tokens.count { return writeEntities(source) }
    let isLast = depth + 1 == tokens.count
    var isThere = false
    json.beginObject()
    forEachMember(of: source) { file, tape, member in
      if tape.isEqual(member, to: file.tokens[depth]) {
        isThere = true
        // What a clean-up left in the place of an entity stays; an entity of the model goes.
        let isEmptied = isLast && !file.hasContent
        if isEmptied, tape.kind(of: member + 1) != .null { return }
        file.json.name(tape.text.span.extracting(tape.range(of: member)))
        if isEmptied { return file.json.null() }
        file.write((tape, member + 1), depth: depth + 1)
      } else {
        file.isEmpty = false
        file.json.name(tape.text.span.extracting(tape.range(of: member)))
        file.json.value(member + 1, of: tape)
      }
    }
    if !isThere, hasContent {
      let name = tokens[depth]
      json.name(name.span)
      write(nil, depth: depth + 1)
    }
    json.endObject()
  }

  private mutating func forEachMember(
    of source: Source?, _ body: (inout Self, JSONTape, Int) -> Void
  ) {
    guard let (tape, node) = source, tape.kind(of: node) == .object else { return }
    var member = node + 1
    while member < tape.node(after: node) {
      body(&self, tape, member)
      member = tape.node(after: member + 1)
    }
  }

  private mutating func writeEntities(_ source: Source?) {
    switch home.content {
    case .entity, .value:
      if let entity = entities.first { json.value(written: entity.json.span) }
    case .elements:
      json.beginArray()
      for entity in entities { json.value(written: entity.json.span) }
      json.endArray()
    case .members:
      json.beginObject()
      var next = 0
      var position = 0
      forEachMember(of: source) { file, tape, member in
        defer { position += 1 }
        if file.home.staysInMap(tape.bytes(of: member)) {
          file.isEmpty = false
          file.json.name(tape.text.span.extracting(tape.range(of: member)))
          file.json.value(member + 1, of: tape)
        } else if next < file.entities.count, file.entities[next].place?.position == position {
          file.writeMember(next)
          next += 1
        }
      }
      while next < entities.count {
        writeMember(next)
        next += 1
      }
      json.endObject()
    }
  }

  private mutating func writeMember(_ index: Int) {
    let entity = entities[index]
    json.name(entity.identity.span)
    json.value(written: entity.json.span)
  }
}
