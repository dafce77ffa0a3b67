import Automerge
import Diagnostics
import Folders

/// Writes values of a document as JSON, with everything in them.
///
/// Values whose JSON would come back as another type are noted with that type; what nobody could read
/// again is left out and told.
struct ValueWriter {
  /// The types that the JSON written since `begin` does not show.
  private(set) var types: [(pointer: [UInt8], type: StreamType)] = []
  /// What was found since `begin`: code, severity, message.
  var findings: [Finding] = []
  /// How many further values of conflicts were left out since the value was made.
  private(set) var conflictCount = 0

  private var pointer: [UInt8] = []
  /// How many objects and arrays are around what is written.
  private var level = 0
  private var refusal: String?
  /// How long the pointers in `types` are together.
  private var typedByteCount = 0
  /// One long key may stand in front of many values, and is told with each.
  private static let mostTypedBytes = 16 << 20

  /// Begins with what is in an object that was begun at a level, 1 for the outermost; 0 is a value
  /// that nothing is around.
  mutating func begin(level: Int) {
    types.removeAll(keepingCapacity: true)
    typedByteCount = 0
    findings.removeAll(keepingCapacity: true)
    pointer.removeAll(keepingCapacity: true)
    self.level = level
  }

  /// Writes a value under no name; nothing if nobody could read it again, which is a finding.
  ///
  /// - Returns: whether it was written.
  mutating func writeValue(
    _ value: DocumentValue, of document: DocumentState, to json: inout JSONWriter
  ) -> Bool {
    write(value, of: document, to: &json)
    guard let problem = takeRefusal() else { return true }
    note(problem, "it")
    return false
  }

  /// Writes a member, or nothing if nobody could read it again, which is a finding.
  mutating func writeMember(
    _ value: DocumentValue, named name: Span<UInt8>, of document: DocumentState,
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

  /// Counts the values of a group that readers do not see.
  mutating func noteConflict(_ group: ValueGroup, _ document: DocumentState) {
    guard !document.isUnchanged(group), document.hasDifferentValues(group) else { return }
    conflictCount += document.values(in: group).count - 1
  }
}
