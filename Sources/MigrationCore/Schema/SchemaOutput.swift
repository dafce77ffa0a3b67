import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// The stream that steps make, line by line.
final class SchemaOutput {
  private let sink: ByteSink?
  private let kinds: EntityKinds
  private var writer = JSONWriter()
  private var places: CreatedPlaces
  /// How many entities were written, and bytes.
  private(set) var entityCount = 0
  private(set) var byteCount = 0
  /// The entities that are different, the first ones only, and how many more there are.
  private(set) var changes: [SchemaReport.Change] = []
  private(set) var furtherChangeCount = 0
  private let recordsChanges: Bool
  /// What could not be written.
  private(set) var findings: [Finding] = []

  /// So many bytes are sent at once, and so many changes kept.
  private static let pieceByteCount = 1 << 18
  private static let largestChangeCount = 10_000

  init(_ sink: ByteSink?, of kinds: EntityKinds, recordsChanges: Bool) {
    self.sink = sink
    self.kinds = kinds
    self.recordsChanges = recordsChanges
    places = CreatedPlaces(kinds)
  }

  /// Writes a line as it is.
  func write(line: some Sequence<UInt8>) {
    writer.bytes.append(contentsOf: line)
    endLine()
    entityCount += 1
  }

  /// Writes an entity that was read.
  func write(_ entity: ChangingEntity, fields: Int, types: Int?) {
    guard entity.fields.isChanged else {
      return write(line: entity.tape.text[..<entity.tape.sourceByteCount])
    }
    let tape = entity.tape
    writer.beginObject()
    var name = 1
    while name < tape.node(after: 0) {
      let value = name + 1
      if value == fields {
        writer.name("fields")
        entity.fields.write(to: &writer, of: tape)
      } else if value != types {
        let range = tape.range(of: name)
        writer.name(tape.text.span.extracting(range))
        writer.value(value, of: tape)
      }
      name = tape.node(after: value)
    }
    entity.fields.writeTypes(types, to: &writer, of: tape)
    writer.endObject()
    endLine()
    entityCount += 1
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
    writer.entity(
      entity, kinds.name(of: entity.kind), kinds.bytes(of: entity.identity, entity.kind), place)
    endLine()
    entityCount += 1
    if recordsChanges { record(entity, fields: nil) }
  }

  /// Writes the first line.
  func write(header: [UInt8]) {
    writer.bytes += header
    endLine()
  }

  /// Writes the last line.
  func end() {
    writer.beginObject()
    writer.name("end")
    writer.bool(true)
    writer.name("entities")
    writer.number(entityCount)
    writer.endObject()
    endLine()
  }

  private func endLine() {
    writer.bytes.append(UInt8(ascii: "\n"))
    writer.restart()
  }

  /// Sends what was written, if it is enough.
  func send(all: Bool = false) throws(MigrationError) {
    guard all || writer.bytes.count >= Self.pieceByteCount else { return }
    byteCount += writer.bytes.count
    if let sink {
      do {
        try sink.write(writer.bytes)
      } catch {
        throw MigrationError(streamFailure: error, name: sink.name)
      }
    }
    writer.removeAll()
  }

  private func record(_ entity: ChangingEntity, fields: Int?) {
    guard changes.count < Self.largestChangeCount else {
      furtherChangeCount += 1
      return
    }
    let properties = entity.fields.differences(from: fields, of: entity.tape).map { difference in
      SchemaReport.Change.Property(
        name: difference.name, before: Self.shown(difference.before),
        after: Self.shown(difference.after))
    }
    changes.append(
      SchemaReport.Change(
        kind: kinds.name(of: entity.kind), id: kinds.text(of: entity.identity),
        isNew: fields == nil, properties: properties))
  }

  private static func shown(_ value: MigrationValue?) -> String {
    guard let value else { return "" }
    let json = value.json
    return String(decoding: json.prefix(200), as: UTF8.self) + (json.count > 200 ? "..." : "")
  }
}

extension JSONWriter {
  fileprivate mutating func entity(
    _ entity: ChangingEntity, _ kind: String, _ identity: [UInt8], _ place: [UInt8]
  ) {
    beginObject()
    name("kind")
    string(kind)
    name("id")
    string(identity.span)
    name("place")
    string(place.span)
    name("fields")
    entity.fields.write(to: &self, of: entity.tape)
    entity.fields.writeTypes(nil, to: &self, of: entity.tape)
    endObject()
  }
}

/// Where entities belong that steps make: no file or row holds them yet.
struct CreatedPlaces {
  private let kinds: EntityKinds
  private var taken: Set<RelativePath> = []

  init(_ kinds: EntityKinds) { self.kinds = kinds }

  /// Returns the place of an entity; nil if no file of its kind could be it.
  mutating func place(of entity: ChangingEntity) -> [UInt8]? {
    let month = entity.month(of: kinds)
    let identity = kinds.bytes(of: entity.identity, entity.kind)
    var bytes: [UInt8] = []
    if kinds.hasLayouts {
      guard kinds.hasMonths(entity.kind) else {
        EntityPlace.common.append(to: &bytes)
        return bytes
      }
      guard let month else { return nil }
      EntityPlace.dated(month, name: identity).append(to: &bytes)
      return bytes
    }
    guard
      let place = DerivedPlaces(entity.kind, of: kinds)?.place(
        of: identity, month: month, unless: { taken.contains($0) })
    else { return nil }
    if place.isMadeUp { taken.insert(place.path) }
    EntityPlace.file(
      kinds.place(
        of: entity.kind, in: place.path, identity: identity, element: nil)
    ).append(to: &bytes)
    return bytes
  }
}

extension ChangingEntity {
  /// The month that the entity's own date says.
  fileprivate func month(of kinds: EntityKinds) -> Month? {
    guard let property = kinds.dateProperty(of: kind),
      let text = fields.text(property.bytes, of: tape), let moment = RFC3339(text)
    else { return nil }
    return Month(milliseconds: moment.milliseconds)
  }
}
