import SafeFiles

/// Writes an interchange stream into a byte buffer that the caller empties now and then.
package struct InterchangeWriter: Sendable {
  /// The bytes to write next; empty it with `json.removeAll()` between two entities only.
  package var json = JSONWriter()
  /// How many entities were written.
  package private(set) var entityCount = 0
  private let kinds: EntityKinds

  /// A store that a stream is made of.
  package struct Store: Hashable, Sendable {
    /// The name of its file.
    package var name: String
    /// Its identifier, as it is written; empty if it does not say.
    package var uuid: String
    /// The version of the profile that it is of; nil if none fits.
    package var version: Int?

    /// Describes a store.
    package init(name: String, uuid: String, version: Int?) {
      self.name = name
      self.uuid = uuid
      self.version = version
    }
  }

  /// Starts a stream: its first line is in the buffer.
  ///
  /// - Parameter stores: the stores that it is made of.
  package init(_ kinds: EntityKinds = .minuta, stores: [Store] = []) {
    self.kinds = kinds
    json.beginObject()
    json.name("stream")
    json.string("automerge-migrate")
    json.name("version")
    json.number(1)
    json.name("profile")
    json.string(kinds.profileName)
    if !stores.isEmpty { write(stores) }
    // What Minuta's are is older than profiles, and in no stream.
    if kinds.declaresTypes { writeDeclaredTypes() }
    json.endObject()
    endLine()
  }

  private mutating func write(_ stores: [Store]) {
    json.name("profileVersion")
    json.number(kinds.profile.version)
    json.name("stores")
    json.beginArray()
    for store in stores {
      json.beginObject()
      json.name("name")
      json.string(store.name)
      json.name("uuid")
      json.string(store.uuid)
      json.name("version")
      if let version = store.version { json.number(version) } else { json.null() }
      json.endObject()
    }
    json.endArray()
  }

  private mutating func writeDeclaredTypes() {
    json.name("types")
    json.beginObject()
    for kind in kinds.profile.kinds {
      json.name(Array(kind.name.utf8).span)
      json.beginObject()
      for property in kind.properties {
        json.name(property.name.bytes.span)
        json.string(property.type.name)
      }
      json.endObject()
    }
    json.endObject()
  }

  /// Begins the line of an entity; the caller then writes its `fields` with `json`.
  ///
  /// The identity is written as it is given: in its canonical form, but for keys that are no entities.
  package mutating func beginEntity(_ kind: EntityKind, id: Span<UInt8>, place: EntityPlace) {
    json.beginObject()
    json.name("kind")
    json.string(kinds.name(of: kind))
    json.name("id")
    json.string(id)
    json.name("place")
    var bytes: [UInt8] = []
    place.append(to: &bytes)
    json.string(bytes.span)
    json.name("fields")
  }

  /// What the lines of all rows of an entity begin with.
  package struct RowHead: Hashable, Sendable {
    /// The members of kind and identity, without the value of that.
    fileprivate let kind: [UInt8]
    fileprivate let place: [UInt8]
    /// The place as a string, escaped, without the number of the row.
    fileprivate let path: [UInt8]
    /// The name of the entity as a reader finds it in the place of a row; nil if it finds another.
    private let name: RelativePath?

    /// Writes it; nil if the name of the entity can be no place.
    package init?(_ kind: EntityKind, of kinds: EntityKinds, entity: String) {
      guard let place = kinds.place(ofRow: 0, of: entity) else { return nil }
      var json = JSONWriter()
      json.name("kind")
      json.string(kinds.name(of: kind))
      json.name("id")
      self.kind = json.bytes
      json = JSONWriter()
      json.name("place")
      self.place = json.bytes
      json = JSONWriter()
      var bytes: [UInt8] = []
      EntityPlace.file(place).append(to: &bytes)
      json.string(bytes.span)
      // The quotation marks and the zero.
      path = Array(json.bytes.dropFirst().dropLast(2))
      name = kinds.entityPlace(bytes.span, of: kind) == .file(place) ? place.path : nil
    }

    /// Returns where a reader of its line finds a row; nil if only that can tell.
    package func place(ofRow row: Int64) -> EntityPlace? {
      guard let name, row >= 0 else { return nil }
      return .file(FilePlace(path: name, row: row))
    }
  }

  /// Begins the line of a row as `beginEntity` does.
  package mutating func beginRow(_ head: RowHead, id: Span<UInt8>, row: Int64) {
    json.beginObject()
    json.name(written: head.kind)
    json.string(id)
    json.name(written: head.place)
    json.plainString { bytes in
      bytes += head.path
      bytes.append(digitsOf: row)
    }
    json.name("fields")
  }

  /// Ends the line of an entity, with the types that its JSON does not show.
  ///
  /// Pointers should come in the order of the fields, which readers follow fastest.
  package mutating func endEntity(types: [(pointer: [UInt8], type: StreamType)] = []) {
    if !types.isEmpty {
      json.name("types")
      json.beginObject()
      for (pointer, type) in types {
        json.name(pointer.span)
        json.string(type.name)
      }
      json.endObject()
    }
    json.endObject()
    endLine()
    entityCount += 1
  }

  /// Writes an entity as its source has it, members in the order of the source.
  ///
  /// `id` moves to the line, and a date that the source gives as a number becomes an RFC 3339 date.
  package mutating func entity(_ entity: LegacyEntity, of batch: EntityBatch, place: EntityPlace) {
    let tape = batch.tape
    if entity.kind == .other {
      let id = tape.text.span.extracting(tape.range(of: entity.idNode))
      beginEntity(.other, id: id, place: place)
      json.value(entity.node, of: tape)
    } else {
      beginEntity(entity.kind, id: kinds.bytes(of: entity.identity).span, place: place)
      json.fields(of: entity, in: batch)
    }
    if let types = batch.typesNode {
      json.name("types")
      json.value(types, of: tape)
    }
    endEntity()
  }

  /// Ends the stream with its last line.
  package mutating func end() { json.bytes += Self.lastLine(entityCount: entityCount) }

  /// The last line of a stream, with its line feed.
  package static func lastLine(entityCount: Int) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.name("end")
    json.bool(true)
    json.name("entities")
    json.number(entityCount)
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }

  /// Writes the line of an entity as it is.
  package mutating func entity(line: some Sequence<UInt8>) {
    json.bytes.append(contentsOf: line)
    endLine()
    entityCount += 1
  }

  /// Writes the first line as it is, in the place of one's own.
  package mutating func begin(with header: [UInt8]) {
    json.removeAll()
    json.bytes += header
    endLine()
  }

  /// Appends `/` and a name to a JSON Pointer, escaped.
  package static func append(_ name: Span<UInt8>, toPointer pointer: inout [UInt8]) {
    JSONPointer.append(name, to: &pointer)
  }

  private mutating func endLine() {
    json.bytes.append(UInt8(ascii: "\n"))
    json.restart()
  }
}

extension JSONWriter {
  /// Writes the members of an entity as its source has them, without its identity; a date that is a
  /// number becomes an RFC 3339 date.
  package mutating func fields(of entity: LegacyEntity, in batch: EntityBatch) {
    let tape = batch.tape
    beginObject()
    var member = entity.node + 1
    while member < tape.node(after: entity.node) {
      let value = member + 1
      if !batch.isIdentity(member, of: entity) {
        name(tape.text.span.extracting(tape.range(of: member)))
        if let date = batch.numericDate(member, of: entity) {
          string(date)
        } else {
          self.value(value, of: tape)
        }
      }
      member = tape.node(after: value)
    }
    endObject()
  }
}
