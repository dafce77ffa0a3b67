package import SafeFiles

/// The first line of an interchange stream, with what it says beside its profile.
package struct StreamHeader: Sendable {
  /// The line, without its line feed.
  package let line: [UInt8]
  /// The versions of the stores that it was made of; nil of one that fits none.
  package let storeVersions: [Int?]
  /// What steps made of the data; nil if nobody has said so.
  package let schema: SchemaRecord?

  /// Reads a line that was parsed; nil if what it says of steps is none of that.
  init?(_ tape: JSONTape) {
    line = Array(tape.text[..<tape.sourceByteCount])
    storeVersions = Self.storeVersions(tape)
    guard let node = tape.member("schema", of: 0) else {
      schema = nil
      return
    }
    guard let record = SchemaRecord(node, of: tape) else { return nil }
    schema = record
  }

  private static func storeVersions(_ tape: JSONTape) -> [Int?] {
    guard let stores = tape.member("stores", of: 0), tape.kind(of: stores) == .array else {
      return []
    }
    var versions: [Int?] = []
    var store = stores + 1
    while store < tape.node(after: stores) {
      let version = tape.kind(of: store) == .object ? tape.member("version", of: store) : nil
      versions.append(version.flatMap { tape.wholeNumber(at: $0) })
      store = tape.node(after: store)
    }
    return versions
  }

  /// The version of the data: what steps made of it, or else that of all stores; nil if nobody says.
  package var version: Int? {
    if let version = schema?.version { return version }
    guard let first = storeVersions.first, storeVersions.allSatisfy({ $0 == first }) else {
      return nil
    }
    return first
  }

  /// The line of a stream after steps; nothing else of it changes.
  package func line(with record: SchemaRecord) -> [UInt8] {
    var tape = JSONTape()
    // What was parsed once is parsed again; else nothing would be here.
    guard (try? tape.parse(line)) != nil else { return line }
    var writer = JSONWriter()
    writer.beginObject()
    var name = 1
    while name < tape.node(after: 0) {
      // Before the types, which are long.
      let isTypes = tape.isEqual(name, to: "types".utf8)
      if isTypes { record.write(to: &writer) }
      if !tape.isEqual(name, to: "schema".utf8) {
        writer.name(tape.text.span.extracting(tape.range(of: name)))
        writer.value(name + 1, of: tape)
      }
      name = tape.node(after: name + 1)
    }
    if tape.member("types", of: 0) == nil { record.write(to: &writer) }
    writer.endObject()
    return writer.bytes
  }
}

/// What steps made of the data of a stream: it travels in its first line.
package struct SchemaRecord: Hashable, Sendable {
  /// A step that was done.
  package struct Step: Hashable, Sendable {
    /// What names it.
    package let id: String
    /// What tells it from another one of that name.
    package let checksum: ContentHash

    /// Notes a step.
    package init(id: String, checksum: ContentHash) {
      self.id = id
      self.checksum = checksum
    }
  }

  /// The version of the data; nil if nobody says.
  package var version: Int?
  /// The steps in the order in which they were done.
  package var steps: [Step]

  /// Creates a record.
  package init(version: Int? = nil, steps: [Step] = []) {
    self.version = version
    self.steps = steps
  }

  /// Reads a record; nil if it is none.
  init?(_ node: Int, of tape: JSONTape) {
    guard tape.kind(of: node) == .object, let list = tape.member("steps", of: node),
      tape.kind(of: list) == .array
    else { return nil }
    steps = []
    if let node = tape.member("version", of: node) {
      guard let version = tape.wholeNumber(at: node) else { return nil }
      self.version = version
    }
    var step = list + 1
    while step < tape.node(after: list) {
      guard tape.kind(of: step) == .object, let id = tape.string("id", of: step),
        let digits = tape.string("checksum", of: step),
        let checksum = ContentHash(hexDigits: digits)
      else { return nil }
      steps.append(Step(id: String(decoding: id, as: UTF8.self), checksum: checksum))
      step = tape.node(after: step)
    }
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.name("schema")
    writer.beginObject()
    if let version {
      writer.name("version")
      writer.number(version)
    }
    writer.name("steps")
    writer.beginArray()
    for step in steps {
      writer.beginObject()
      writer.name("id")
      writer.string(step.id)
      writer.name("checksum")
      writer.string(step.checksum)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

extension JSONTape {
  /// Returns a whole number that is not negative; nil if the value is none.
  fileprivate func wholeNumber(at node: Int) -> Int? {
    guard kind(of: node) == .number, case .int(let number) = number(at: node) else { return nil }
    return Int(exactly: number).flatMap { $0 >= 0 ? $0 : nil }
  }
}
