package import Automerge
package import Diagnostics
package import Folders

/// Writes what a document shows of an entity as the members of a legacy object.
///
/// It undoes the mapping of the import: dates as text, absent for Null in an optional field, a list
/// of images always. Values whose JSON would come back as another type are noted with that type.
package struct MemberExporter {
  /// The types that the JSON written last does not show.
  package var types: [(pointer: [UInt8], type: StreamType)] { values.types }
  /// What was found in the entity written last: code, severity, message.
  package var findings: [Finding] { values.findings }
  /// How many further values of conflicts were left out since the value was made.
  package var conflictCount: Int { values.conflictCount }
  /// Dates that were numbers and were written as text since the value was made.
  package private(set) var convertedDates = ConvertedDates()

  private var values = ValueWriter()
  private var unknownFields: [(name: Range<Int>, value: DocumentValue)] = []
  private let dates: NumericDateTable?
  private static let imagesKey = Array("images".utf8)

  /// - Parameter dates: the dates that were numbers, which become numbers again.
  package init(dates: NumericDateTable? = nil) {
    self.dates = dates
  }

  /// Writes the members of an entity into an object that was begun at a level, 1 for the outermost.
  package mutating func writeMembers(
    of map: OpID, _ kind: EntityKind, _ identity: Identity, in document: DocumentState,
    level: Int, to json: inout JSONWriter
  ) {
    values.begin(level: level)
    unknownFields.removeAll(keepingCapacity: true)
    var known = [DocumentValue?](repeating: nil, count: kind.fields.count)
    var images: DocumentValue?
    let pool = document.pool
    let fields = kind.fields
    document.forEachKey(of: map) { key, group in
      guard let value = document.winner(in: group) else { return }
      let name = pool.span.extracting(key)
      if name.isEqual(to: "id") { return check(value, is: identity, document) }
      values.noteConflict(group, document)
      if let index = fields.firstIndex(where: { name.isEqual(to: $0.memberName) }) {
        known[index] = value
      } else if kind.hasImages, name.isEqual(to: "images") {
        images = value
      } else {
        unknownFields.append((key, value))
      }
    }
    for (field, value) in zip(fields, known) {
      if let dates, let value, field.valueType == .date,
        case .scalar(let place) = value.content, place.type == .timestamp
      {
        let milliseconds = document.signed(place)
        if let number = dates.number(for: milliseconds, field, kind, identity) {
          json.name(field.memberName)
          json.number(literal: number.span)
          continue
        }
        if let literal = dates.literal(of: field, kind, identity) {
          convertedDates.note(literal, as: milliseconds)
        }
      }
      write(field, value, of: document, to: &json)
    }
    if kind.hasImages { writeImages(images, of: document, to: &json) }
    for (name, value) in unknownFields {
      values.writeMember(value, named: pool.span.extracting(name), of: document, to: &json)
    }
  }

  /// An app may keep the identity in the entity, too; it is not written twice.
  private mutating func check(
    _ value: DocumentValue, is identity: Identity, _ document: DocumentState
  ) {
    if case .scalar(let place) = value.content, place.type == .string,
      Identity(document.pool.span.extracting(place.range)) == identity
    {
      return
    }
    values.findings.append(
      Finding(
        .notExported, .error,
        message: "id is not exported: it is not what the entity is known by",
        next: "look at it with inspect-crdt --typed"))
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

  // MARK: Known fields

  private mutating func write(
    _ field: KnownField, _ value: DocumentValue?, of document: DocumentState,
    to json: inout JSONWriter
  ) {
    guard let value, !value.isNull else {
      if field.isRequired {
        values.findings.append(
          Finding(.missingField, .error, message: "\(field.memberName) is missing"))
      }
      return
    }
    if field.valueType == .date, case .scalar(let place) = value.content,
      place.type == .timestamp
    {
      let moment = RFC3339(milliseconds: document.signed(place))
      if moment.isWritable {
        json.name(field.memberName)
        return json.string(moment)
      }
    } else if !isExpected(value, in: field) {
      values.findings.append(
        Finding(
          .wrongType, .error,
          message: "\(field.memberName) has another type than the app writes",
          next: "the value is exported as it is; correct it before it is imported again"))
    }
    values.writeMember(value, named: field.memberBytes.span, of: document, to: &json)
  }

  private func isExpected(_ value: DocumentValue, in field: KnownField) -> Bool {
    switch (field.valueType, value.content) {
    case (.string, .scalar(let place)): place.type == .string
    case (.string, .object(.text)): field == .comment
    case (.boolean, .scalar(let place)): place.type == .boolTrue || place.type == .boolFalse
    case (.date, .scalar(let place)): place.type == .timestamp
    default: false
    }
  }

  private mutating func writeImages(
    _ value: DocumentValue?, of document: DocumentState, to json: inout JSONWriter
  ) {
    guard let value, !value.isNull else {
      json.name("images")
      json.beginArray()
      return json.endArray()
    }
    if value.content != .object(.list) {
      values.findings.append(
        Finding(.wrongType, .error, message: "images has another type than the app writes"))
    }
    values.writeMember(value, named: Self.imagesKey.span, of: document, to: &json)
  }
}
