import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// Reads entities of documents as steps see them, and says what became of them. One worker has one.
struct StepEntities {
  private let kinds: EntityKinds
  private var exporter: EntityExporter
  private var writer: InterchangeWriter
  private var lines: InterchangeLineReader
  /// The entity that was read last.
  var entity = ChangingEntity()
  /// Where its fields are on its tape, and its types if it has any.
  private(set) var fields = 0
  private(set) var types: Int?

  init(_ kinds: EntityKinds) {
    self.kinds = kinds
    exporter = EntityExporter(kinds)
    writer = InterchangeWriter(kinds)
    lines = InterchangeLineReader("a document", of: kinds, rules: EntityRules())
  }

  /// The batch with the entity that was made last.
  var batch: EntityBatch { lines.batch }

  /// Reads what readers see of an entity; returns why it cannot be read whole, nil if it can.
  mutating func read(
    _ map: OpID, _ kind: EntityKind, _ identity: Identity, in document: DocumentState
  ) throws(MigrationError) -> String? {
    begin(kind, identity)
    writer.json.beginObject()
    exporter.writeMembers(of: map, kind, identity, in: document, to: &writer.json)
    writer.json.endObject()
    writer.endEntity(types: exporter.types)
    try read(writer.json.bytes, kind, identity)
    return exporter.findings.first { $0.code == .notExported }?.message
  }

  /// Reads an entity of its line.
  mutating func read(
    _ line: [UInt8], _ kind: EntityKind, _ identity: Identity
  ) throws(MigrationError) {
    (entity.kind, entity.identity) = (kind, identity)
    do {
      try entity.tape.parse(line, depthLimit: JSONTape.standardDepth + 1)
    } catch {
      throw .brokenInvariant("an entity that was written cannot be read: \(error.problem)")
    }
    guard let fields = entity.tape.member("fields", of: 0) else {
      throw .brokenInvariant("an entity without fields")
    }
    (self.fields, types) = (fields, entity.tape.member("types", of: 0))
    entity.fields.take(fields, types: types, of: entity.tape)
  }

  /// Returns the line of an entity that a step has not changed.
  mutating func line(of entity: ChangingEntity, types: Int? = nil) -> [UInt8] {
    begin(entity.kind, entity.identity)
    entity.fields.write(to: &writer.json, of: entity.tape)
    entity.fields.writeTypes(types, to: &writer.json, of: entity.tape)
    writer.endEntity()
    return writer.json.bytes
  }

  /// Begins the line of an entity; its fields come next.
  private mutating func begin(_ kind: EntityKind, _ identity: Identity) {
    writer.json.removeAll()
    writer.beginEntity(kind, id: kinds.bytes(of: identity, kind).span, place: .common)
  }

  /// Makes an entity of what steps left of the one that was read, or of one that they made.
  ///
  /// Nil if it breaks a rule of its kind; the batch says which.
  mutating func make(
    _ entity: ChangingEntity, types: Int? = nil
  ) throws(MigrationError) -> LegacyEntity? {
    try make(
      LocatedLine(entity.kind, entity.identity), of: line(of: entity, types: types))
  }

  /// Makes an entity of a line.
  mutating func make(
    _ line: LocatedLine, of bytes: [UInt8]
  ) throws(MigrationError) -> LegacyEntity? {
    do throws(FolderError) {
      try lines.read(line) { text throws(FolderError) in
        text.removeAll(keepingCapacity: true)
        text.append(contentsOf: bytes.dropLast())
      }
    } catch {
      throw MigrationError(error)
    }
    return lines.batch.entities.first
  }
}

// Members one by one, to bring them back as they were.
extension StepEntities {
  /// A member: its value as JSON, and the types in it that JSON does not show.
  struct Member: Equatable {
    var json: [UInt8]
    var types: [[UInt8]: [UInt8]]
  }

  /// The names of the members of the entity that was read.
  var names: Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    let tape = entity.tape
    var name = fields + 1
    while name < tape.node(after: fields) {
      names.insert(tape.bytes(of: name))
      name = tape.node(after: name + 1)
    }
    return names
  }

  /// Returns a member; nil if it is not there.
  func member(_ name: [UInt8]) -> Member? {
    let tape = entity.tape
    guard let value = tape.member(name, of: fields) else { return nil }
    var writer = JSONWriter()
    writer.value(value, of: tape)
    return Member(json: writer.bytes, types: types(below: name))
  }

  /// The types of values in a member, by the pointers to them.
  private func types(below name: [UInt8]) -> [[UInt8]: [UInt8]] {
    guard let types else { return [:] }
    let tape = entity.tape
    var found: [[UInt8]: [UInt8]] = [:]
    var pointer = types + 1
    while pointer < tape.node(after: types) {
      let text = tape.bytes(of: pointer)
      if JSONPointer(text)?.tokens.first == name { found[text] = tape.bytes(of: pointer + 1) }
      pointer = tape.node(after: pointer + 1)
    }
    return found
  }

  /// Makes the entity that was read, with members as they were before; nil is absent.
  ///
  /// Nil if it breaks a rule of its kind; the batch says which.
  mutating func make(restoring members: [[UInt8]: Member?]) throws(MigrationError) -> LegacyEntity?
  {
    var types: [[UInt8]: [UInt8]] = [:]
    begin(entity.kind, entity.identity)
    writer.json.beginObject()
    for name in names.union(members.keys).sorted(by: { ByteOrder.precedes($0, $1) }) {
      guard let member = members[name] ?? self.member(name) else { continue }
      writer.json.name(name.span)
      writer.json.value(written: member.json.span)
      types.merge(member.types) { first, _ in first }
    }
    writer.json.endObject()
    if !types.isEmpty {
      writer.json.name("types")
      writer.json.beginObject()
      for (pointer, type) in types.sorted(by: { ByteOrder.precedes($0.key, $1.key) }) {
        writer.json.name(pointer.span)
        writer.json.string(type.span)
      }
      writer.json.endObject()
    }
    writer.endEntity()
    return try make(LocatedLine(entity.kind, entity.identity), of: writer.json.bytes)
  }
}
