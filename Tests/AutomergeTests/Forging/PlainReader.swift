/// Reads the framing of the format without the engine, for inputs the reference wrote.
struct PlainReader {
  struct Malformed: Error {}

  let bytes: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func take(_ count: Int) throws(Malformed) -> [UInt8] {
    guard (0...bytes.count - position).contains(count) else { throw Malformed() }
    position += count
    return Array(bytes[position - count..<position])
  }

  mutating func rest() -> [UInt8] {
    defer { position = bytes.count }
    return Array(bytes[position...])
  }

  /// Reads an unsigned number of up to 56 bits, which no golden file exceeds.
  mutating func uleb() throws(Malformed) -> Int {
    var value = 0
    var shift = 0
    while shift < 56 {
      let byte = try take(1)[0]
      value |= Int(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw Malformed()
  }

  /// Reads an integer of either kind as the bytes it is made of.
  mutating func integerBytes() throws(Malformed) -> [UInt8] {
    var integer: [UInt8] = []
    repeat { integer += try take(1) } while integer[integer.count - 1] >= 0x80
    return integer
  }

  mutating func prefixed() throws(Malformed) -> [UInt8] { try take(try uleb()) }

  mutating func list(
    _ element: (inout PlainReader) throws(Malformed) -> [UInt8]
  ) throws(Malformed) -> [[UInt8]] {
    var elements: [[UInt8]] = []
    for _ in 0..<(try uleb()) { elements.append(try element(&self)) }
    return elements
  }

  /// Reads a column description; the columns' bytes are filled in by `data(for:)`.
  mutating func layout() throws(Malformed) -> [(specification: UInt64, length: Int)] {
    var columns: [(specification: UInt64, length: Int)] = []
    for _ in 0..<(try uleb()) { columns.append((UInt64(try uleb()), try uleb())) }
    return columns
  }

  mutating func data(
    for layout: [(specification: UInt64, length: Int)]
  ) throws(Malformed) -> ForgedColumnList {
    var list = ForgedColumnList([:])
    for (specification, length) in layout {
      list.columns.append(
        ForgedColumnList.Column(specification: specification, bytes: try take(length)))
    }
    return list
  }
}

extension ForgedChange.Parts {
  /// Takes the body of a change apart.
  init(parsing body: [UInt8]) throws(PlainReader.Malformed) {
    var reader = PlainReader(body)
    dependencies = try reader.list { reader throws(PlainReader.Malformed) in try reader.take(32) }
    author = try reader.prefixed()
    sequence = try reader.integerBytes()
    startCounter = try reader.integerBytes()
    time = try reader.integerBytes()
    message = try reader.prefixed()
    otherActors = try reader.list { reader throws(PlainReader.Malformed) in try reader.prefixed() }
    columns = try reader.data(for: try reader.layout())
    extra = reader.rest()
  }
}

extension ForgedDocument {
  /// Takes the body of a document chunk apart; deflated columns stay deflated.
  init(parsing body: [UInt8]) throws(PlainReader.Malformed) {
    var reader = PlainReader(body)
    actors = try reader.list { reader throws(PlainReader.Malformed) in try reader.prefixed() }
    heads = try reader.list { reader throws(PlainReader.Malformed) in try reader.take(32) }
    let layouts = (try reader.layout(), try reader.layout())
    changeColumns = try reader.data(for: layouts.0)
    operationColumns = try reader.data(for: layouts.1)
    headIndexes = nil
    trailing = reader.rest()
  }

  /// The same document without deflated columns.
  var inflated: ForgedDocument {
    get throws {
      var document = self
      try document.changeColumns.inflate()
      try document.operationColumns.inflate()
      return document
    }
  }
}

extension ForgedColumnList {
  fileprivate mutating func inflate() throws {
    for index in columns.indices where columns[index].specification & 8 != 0 {
      columns[index] = Column(
        specification: columns[index].specification & ~8,
        bytes: try PlainInflater.inflate(columns[index].bytes))
    }
  }
}
