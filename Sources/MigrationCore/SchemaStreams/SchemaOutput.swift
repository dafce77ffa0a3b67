import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// The stream that steps make, line by line.
final class SchemaOutput {
  private let sink: ByteSink?
  private let kinds: EntityKinds
  private var writer: InterchangeWriter
  private var places: CreatedPlaces
  /// How many entities were written.
  var entityCount: Int { writer.entityCount }
  /// How many bytes were sent.
  private(set) var byteCount = 0
  /// The entities that are different, the first ones only, and how many more there are.
  private(set) var changes: [SchemaReport.Change] = []
  private(set) var furtherChangeCount = 0
  private let recordsChanges: Bool
  /// What could not be written.
  private(set) var findings: [Finding] = []

  /// So many bytes are sent at once, and so many changes kept.
  private static let pieceByteCount = 1 << 18

  init(_ sink: ByteSink?, of kinds: EntityKinds, recordsChanges: Bool) {
    self.sink = sink
    self.kinds = kinds
    self.recordsChanges = recordsChanges
    writer = InterchangeWriter(kinds)
    places = CreatedPlaces(kinds)
  }

  /// Writes a line as it is.
  func write(line: some Sequence<UInt8>) { writer.entity(line: line) }

  /// Writes an entity that was read.
  func write(_ entity: ChangingEntity, fields: Int, types: Int?) {
    guard entity.fields.isChanged else {
      return write(line: entity.tape.text[..<entity.tape.sourceByteCount])
    }
    let tape = entity.tape
    writer.json.beginObject()
    var name = 1
    while name < tape.node(after: 0) {
      let value = name + 1
      if value == fields {
        writer.json.name("fields")
        entity.fields.write(to: &writer.json, of: tape)
      } else if value != types {
        let range = tape.range(of: name)
        writer.json.name(tape.text.span.extracting(range))
        writer.json.value(value, of: tape)
      }
      name = tape.node(after: value)
    }
    entity.fields.writeTypes(types, to: &writer.json, of: tape)
    writer.endEntity()
    if recordsChanges { record(entity, fields: fields) }
  }

  /// Writes an entity that a step made.
  func write(new entity: ChangingEntity) {
    guard let place = places.place(of: entity) else {
      findings.append(
        Finding(
          .notConverted, .error,
          message:
            "\(kinds.title(entity.kind, entity.identity)): no file of the app can hold it",
          next: "look at the paths that the profile has for its kind"))
      return
    }
    let identity = kinds.bytes(of: entity.identity, entity.kind)
    writer.beginEntity(entity.kind, id: identity.span, place: place)
    entity.fields.write(to: &writer.json, of: entity.tape)
    entity.fields.writeTypes(nil, to: &writer.json, of: entity.tape)
    writer.endEntity()
    if recordsChanges { record(entity, fields: nil) }
  }

  /// Writes the first line.
  func write(header: [UInt8]) { writer.begin(with: header) }

  /// Writes the last line.
  func end() { writer.end() }

  /// Sends what was written, if it is enough.
  func send(all: Bool = false) throws(MigrationError) {
    guard all || writer.json.bytes.count >= Self.pieceByteCount else { return }
    byteCount += writer.json.bytes.count
    if let sink {
      do {
        try sink.write(writer.json.bytes)
      } catch {
        throw MigrationError(streamFailure: error, name: sink.name)
      }
    }
    writer.json.removeAll()
  }

  private func record(_ entity: ChangingEntity, fields: Int?) {
    guard changes.count < SchemaReport.largestChangeCount else {
      furtherChangeCount += 1
      return
    }
    changes.append(SchemaReport.Change(entity, fields: fields, of: kinds))
  }
}
