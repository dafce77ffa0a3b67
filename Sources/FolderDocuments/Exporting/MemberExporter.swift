package import Automerge
package import Diagnostics
package import Folders

/// Writes what a document shows of an entity as the members of a legacy object.
///
/// It undoes the mapping of the import: dates as text, absent for Null in an optional field, a list
/// of images always. Values whose JSON would come back as another type are noted with that type.
package struct MemberExporter {
  /// The types that the JSON written last does not show.
  package private(set) var types: [(pointer: [UInt8], type: StreamType)] = []
  /// What was found in the entity written last: code, severity, message.
  package private(set) var findings: [Finding] = []
  /// How many further values of conflicts were left out since the value was made.
  package private(set) var conflictCount = 0
  /// Dates that were numbers and were written as text since the value was made.
  package private(set) var convertedDates = ConvertedDates()

  private var pointer: [UInt8] = []
  /// How many objects and arrays are around what is written.
  private var level = 0
  private var refusal: String?
  /// How long the pointers in `types` are together.
  private var typedByteCount = 0
  /// One long key may stand in front of many values, and is told with each.
  private static let mostTypedBytes = 16 << 20
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
    ignoresID: Bool, level: Int, to json: inout JSONWriter
  ) {
    types.removeAll(keepingCapacity: true)
    typedByteCount = 0
    findings.removeAll(keepingCapacity: true)
    self.level = level
    unknownFields.removeAll(keepingCapacity: true)
    var known = [DocumentValue?](repeating: nil, count: kind.fields.count)
    var images: DocumentValue?
    let pool = document.pool
    let fields = kind.fields
    document.forEachKey(of: map) { key, group in
      guard let value = document.winner(in: group) else { return }
      noteConflict(group, document)
      let name = pool.span.extracting(key)
      if ignoresID, name.isEqual(to: "id") { return }
      if let index = fields.firstIndex(where: { name.isEqual(to: $0.memberName) }) {
        known[index] = value
      } else if kind == .record, name.isEqual(to: "images") {
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
    if kind == .record { writeImages(images, of: document, to: &json) }
    for (name, value) in unknownFields {
      write(value, as: pool.span.extracting(name), of: document, to: &json)
    }
  }

  /// Writes any value under no name, for keys that are no entities; nothing if nobody could read it
  /// again, which is a finding.
  ///
  /// - Returns: whether it was written.
  package mutating func writeValue(
    _ value: DocumentValue, of document: DocumentState, level: Int, to json: inout JSONWriter
  ) -> Bool {
    types.removeAll(keepingCapacity: true)
    typedByteCount = 0
    findings.removeAll(keepingCapacity: true)
    pointer.removeAll(keepingCapacity: true)
    self.level = level
    write(value, of: document, to: &json)
    guard let problem = takeRefusal() else { return true }
    note(problem, "it")
    return false
  }

  /// Writes a member, or nothing if nobody could read it again.
  private mutating func write(
    _ value: DocumentValue, as name: Span<UInt8>, of document: DocumentState,
    to json: inout JSONWriter
  ) {
    let (mark, typeCount, typedByteCount) = (json.mark, types.count, typedByteCount)
    pointer.removeAll(keepingCapacity: true)
    InterchangeWriter.append(name, toPointer: &pointer)
    json.name(name)
    write(value, of: document, to: &json)
    guard let problem = takeRefusal() else { return }
    json.rewind(to: mark)
    types.removeSubrange(typeCount...)
    self.typedByteCount = typedByteCount
    note(problem, DisplayText.escaping(pointer))
  }

  private mutating func takeRefusal() -> String? {
    defer { refusal = nil }
    return refusal
  }

  private mutating func note(_ problem: String, _ subject: String) {
    findings.append(
      Finding(
        .notExported, .error, message: "\(subject) is not exported: \(problem)",
        next: "look at it with inspect-crdt --typed"))
  }

  // MARK: Known fields

  private mutating func write(
    _ field: KnownField, _ value: DocumentValue?, of document: DocumentState,
    to json: inout JSONWriter
  ) {
    guard let value, !value.isNull else {
      if field.isRequired {
        findings.append(
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
      findings.append(
        Finding(
          .wrongType, .error,
          message: "\(field.memberName) has another type than the app writes",
          next: "the value is exported as it is; correct it before it is imported again"))
    }
    write(value, as: field.memberBytes.span, of: document, to: &json)
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
      findings.append(
        Finding(.wrongType, .error, message: "images has another type than the app writes"))
    }
    write(value, as: Self.imagesKey.span, of: document, to: &json)
  }

  // MARK: Any value

  private mutating func write(
    _ value: DocumentValue, of document: DocumentState, to json: inout JSONWriter
  ) {
    switch value.content {
    case .scalar(let place):
      write(place, of: document, to: &json)
    case .object(.text):
      note(.text)
      let text = document.textBytes(of: value.id)
      json.string(text.span)
    case .object where level == JSONTape.standardDepth:
      // A document may nest without end, and what is written here calls itself for each level.
      let levels = JSONTape.standardDepth.counted("level")
      refusal = "it is nested more than \(levels) deep"
      json.null()
    case .object(.list):
      level += 1
      defer { level -= 1 }
      json.beginArray()
      var index = 0
      document.forEachElement(of: value.id) { _, group in
        guard let element = document.winner(in: group) else { return }
        noteConflict(group, document)
        let depth = pointer.count
        let digits = Array(String(index).utf8)
        InterchangeWriter.append(digits.span, toPointer: &pointer)
        write(element, of: document, to: &json)
        pointer.removeLast(pointer.count - depth)
        index += 1
      }
      json.endArray()
    case .object(.map):
      level += 1
      defer { level -= 1 }
      json.beginObject()
      let pool = document.pool
      document.forEachKey(of: value.id) { key, group in
        guard let member = document.winner(in: group) else { return }
        noteConflict(group, document)
        let name = pool.span.extracting(key)
        let depth = pointer.count
        json.name(name)
        InterchangeWriter.append(name, toPointer: &pointer)
        write(member, of: document, to: &json)
        pointer.removeLast(pointer.count - depth)
      }
      json.endObject()
    }
  }

  private mutating func write(
    _ place: ScalarPlace, of document: DocumentState, to json: inout JSONWriter
  ) {
    switch place.type {
    case .null: json.null()
    case .boolFalse: json.bool(false)
    case .boolTrue: json.bool(true)
    case .string: json.string(document.pool.span.extracting(place.range))
    case .int: json.number(document.signed(place))
    case .uint:
      let value = document.unsigned(place)
      if value <= UInt64(Int64.max) { note(.uint) }
      json.number(value)
    case .counter:
      note(.counter)
      json.number(place.counter)
    case .float64: write(document.double(place), to: &json)
    case .timestamp:
      note(.timestamp)
      let moment = RFC3339(milliseconds: document.signed(place))
      if moment.isWritable { json.string(moment) } else { json.number(moment.milliseconds) }
    case .bytes:
      note(.bytes)
      let text = Base64.encode(document.pool.span.extracting(place.range))
      json.string(text.span)
    case let type:
      note(.unknown(type.code))
      let text = Base64.encode(document.pool.span.extracting(place.range))
      json.string(text.span)
    }
  }

  private mutating func write(_ value: Double, to json: inout JSONWriter) {
    if value.isFinite { return json.number(value) }
    note(.f64)
    json.string(value.isNaN ? "NaN" : value > 0 ? "Infinity" : "-Infinity")
  }

  private mutating func note(_ type: StreamType) {
    typedByteCount += pointer.count
    guard typedByteCount <= Self.mostTypedBytes else {
      refusal = "the paths to its typed values take more than 16 MiB"
      return
    }
    types.append((pointer, type))
  }

  private mutating func noteConflict(_ group: ValueGroup, _ document: DocumentState) {
    guard !document.isUnchanged(group), document.hasDifferentValues(group) else { return }
    conflictCount += document.values(in: group).count - 1
  }
}
