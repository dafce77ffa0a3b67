package import Automerge
import Diagnostics
package import Folders
package import Runs

/// Writes a document's state as JSON.
package struct StateJSON: StateVisitor {
  /// How values are written that JSON has no form for.
  package enum Style {
    /// An object with one member that names the type: `{"$timestamp":1767225600000}`.
    case typed
    /// The nearest JSON value: dates as RFC 3339, bytes as base64, `null` for what is no number.
    case plain
  }

  private let output: InspectionOutput
  private let document: DocumentState
  private let style: Style
  /// Of each text that is open, the innermost last, whether it has elements that are no letters.
  private var haveElements: [Bool] = []

  package init(_ style: Style, of document: DocumentState, to output: InspectionOutput) {
    self.style = style
    self.document = document
    self.output = output
  }

  package mutating func begin(_ kind: ObjectKind, count: Int) {
    kind == .map ? output.json.beginObject() : output.json.beginArray()
  }

  package mutating func end(_ kind: ObjectKind) {
    if kind == .text {
      if haveElements.removeLast() { output.json.endArray() }
      return output.json.endObject()
    }
    kind == .map ? output.json.endObject() : output.json.endArray()
  }

  package mutating func key(_ name: Range<Int>, valueCount: Int) {
    output.json.name(document.pool.span.extracting(name))
  }

  package mutating func index(_ index: Int, valueCount: Int) {}

  /// In a text the others are letters, so each element says where it is.
  package mutating func element(_ index: Int) { output.json.number(index) }

  package mutating func text(_ utf8: [UInt8]) {
    tagged("$text") { $0.string(utf8.span) }
  }

  /// Writes a text with its marks and with the elements that are no letters, each behind its index.
  package mutating func beginText(_ utf8: [UInt8], _ marks: [Mark], count: Int) {
    output.json.beginObject()
    output.json.name("$text")
    output.json.string(utf8.span)
    if !marks.isEmpty {
      output.json.name("$marks")
      output.json.beginArray()
      for mark in marks { write(mark) }
      output.json.endArray()
    }
    haveElements.append(count > 0)
    guard count > 0 else { return }
    output.json.name("$elements")
    output.json.beginArray()
  }

  private mutating func write(_ mark: Mark) {
    output.json.beginObject()
    output.json.name("name")
    output.json.string(mark.name)
    output.json.name("start")
    output.json.number(mark.start)
    output.json.name("end")
    output.json.number(mark.end)
    output.json.name("value")
    switch mark.value {
    case .Null: output.json.null()
    case .Boolean(let value): output.json.bool(value)
    case .String(let value): output.json.string(value)
    case .Int(let value): output.json.number(value)
    case .Uint(let value): integer("$uint", value)
    case .Counter(let value): integer("$counter", value)
    case .F64(let value): double(value)
    case .Timestamp: integer("$timestamp", mark.value.milliseconds ?? 0)
    case .Bytes(let value): bytes([UInt8](value))
    case .Unknown(let code, let value): unknown(code, [UInt8](value))
    }
    output.json.endObject()
  }

  package mutating func pause() throws(MigrationError) { try output.passOn() }

  package mutating func scalar(_ place: ScalarPlace) {
    switch place.type {
    case .null: output.json.null()
    case .boolFalse: output.json.bool(false)
    case .boolTrue: output.json.bool(true)
    case .string: output.json.string(document.pool.span.extracting(place.range))
    case .int: integer("$int", document.signed(place))
    case .uint: integer("$uint", document.unsigned(place))
    case .counter: integer("$counter", document.signed(place))
    case .timestamp: timestamp(document.signed(place))
    case .float64: double(document.double(place))
    case .bytes: bytes(document.bytes(place))
    default: unknown(place.type.code, document.bytes(place))
    }
  }

  /// Writes a value, in the typed style inside an object whose only member names the type.
  private mutating func tagged(_ tag: StaticString, _ write: (inout JSONWriter) -> Void) {
    guard style == .typed else { return write(&output.json) }
    output.json.beginObject()
    output.json.name(tag)
    write(&output.json)
    output.json.endObject()
  }

  /// Typed integers beyond ±(2^53 - 1) are strings, because most readers of JSON would round them.
  private mutating func integer(_ tag: StaticString, _ value: some FixedWidthInteger) {
    let isExact = value.magnitude <= (1 << 53) - 1
    let isText = style == .typed && !isExact
    tagged(tag) { isText ? $0.string(value.description) : $0.number(value) }
  }

  private mutating func timestamp(_ milliseconds: Int64) {
    let moment = RFC3339(milliseconds: milliseconds)
    if style == .plain, moment.isWritable {
      output.json.string(moment)
    } else {
      integer("$timestamp", milliseconds)
    }
  }

  private mutating func double(_ value: Double) {
    let isPlain = style == .plain
    tagged("$f64") {
      if value.isFinite, isPlain || value != 0 || value.sign == .plus {
        $0.number(value)
      } else if isPlain {
        $0.null()
      } else if value.isNaN {
        $0.string("NaN")
      } else if value == 0 {
        $0.string("-0")
      } else {
        $0.string(value < 0 ? "-Infinity" : "Infinity")
      }
    }
  }

  private mutating func bytes(_ bytes: [UInt8]) {
    let text = style == .typed ? Array(bytes.hexDigits.utf8) : Base64.encode(bytes.span)
    tagged("$bytes") { $0.string(text.span) }
  }

  private mutating func unknown(_ code: UInt8, _ bytes: [UInt8]) {
    guard style == .typed else { return output.json.string(Base64.encode(bytes.span).span) }
    tagged("$unknown") {
      $0.beginObject()
      $0.name("bytes")
      $0.string(bytes.hexDigits)
      $0.name("type")
      $0.number(code)
      $0.endObject()
    }
  }
}

extension StateWalk {
  /// Visits a value as `visit(_:with:)` does; what is generic is not specialized for who calls it from
  /// another module.
  package func write(
    _ value: DocumentValue = root, to json: inout StateJSON
  ) throws(MigrationError) {
    try visit(value, with: &json)
  }
}

extension DocumentState {
  /// Returns a value with everything below it as typed JSON: equal values give equal bytes.
  ///
  /// - Parameter entersTexts: whether marks, and what else texts have beside their letters, belong
  ///   to it.
  package func typedJSON(
    of value: DocumentValue, enteringTexts entersTexts: Bool = false
  ) throws(MigrationError) -> [UInt8] {
    let collector = ByteCollector()
    let output = InspectionOutput(collector.sink)
    var json = StateJSON(.typed, of: self, to: output)
    let walk = StateWalk(document: self, view: nil, entersTexts: entersTexts)
    try walk.visit(value, with: &json)
    try output.finish()
    return collector.bytes
  }
}

/// Takes output in memory.
private final class ByteCollector {
  package private(set) var bytes: [UInt8] = []

  var sink: ByteSink { ByteSink(name: "memory") { self.bytes += $0 } }
}

/// Collects output and passes it on in pieces, so that no view is ever whole in memory.
package final class InspectionOutput {
  /// What was written since the last piece; plain text goes to its `bytes`.
  package var json = JSONWriter()

  private let sink: ByteSink
  private static let pieceByteCount = 1 << 16

  package init(_ sink: ByteSink) { self.sink = sink }

  /// Appends text as it is.
  package func text(_ text: String) { json.bytes.append(contentsOf: text.utf8) }

  /// Passes on what was collected once it is worth a call.
  package func passOn() throws(MigrationError) {
    if json.bytes.count >= Self.pieceByteCount { try flush() }
  }

  /// Passes on everything.
  package func finish() throws(MigrationError) {
    if !json.bytes.isEmpty { try flush() }
  }

  private func flush() throws(MigrationError) {
    do {
      try sink.write(json.bytes)
    } catch let error as any DiagnosableError {
      throw MigrationError(error)
    } catch {
      throw .streamFailed(name: sink.name, problem: "\(error)")
    }
    json.bytes.removeAll(keepingCapacity: true)
  }
}
