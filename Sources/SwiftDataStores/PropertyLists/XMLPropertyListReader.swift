/// Reads XML property lists in UTF-8, strictly: the elements that property lists have, the entities
/// that XML has, and nothing that a document type could add.
struct XMLPropertyListReader {
  let bytes: [UInt8]
  var position = 0
  private var list: PropertyList

  static func recognizes(_ bytes: [UInt8]) -> Bool {
    let start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    let first = bytes[start...].prefix { isSpace($0) }.endIndex
    return bytes[first...].starts(with: "<?xml".utf8) || bytes[first...].starts(with: "<!DOC".utf8)
      || bytes[first...].starts(with: "<plist".utf8)
  }

  static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    var reader = XMLPropertyListReader(bytes)
    try reader.readDocument()
    return reader.list
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // Texts are shorter decoded than they are written.
    list = PropertyList(bytesOf: [])
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
  }

  private mutating func readDocument() throws(PropertyListError) {
    try skipMisc()
    guard try openTag() == .opening("plist") else { throw malformed("the outermost element") }
    try skipMisc()
    list.rootNode = try element(depth: 1)
    try skipMisc()
    try expectClosing("plist")
    try skipMisc()
    guard position == bytes.count else { throw malformed("what follows the list") }
  }

  // MARK: Elements

  /// Reads one element with everything in it and returns its position in the table.
  private mutating func element(depth: Int) throws(PropertyListError) -> Int {
    guard depth <= PropertyList.maximumDepth else {
      throw PropertyListError(.limitExceeded("levels"), at: position)
    }
    let start = position
    switch try openTag() {
    case .opening("dict"): return try dictionary(from: start, depth: depth)
    case .opening("array"):
      var children: [Int] = []
      while try !isClosing("array") { children.append(try element(depth: depth + 1)) }
      return try add(.array(refer(to: children)), at: start)
    case .empty("dict"): return try add(.dictionary(refer(to: [])), at: start)
    case .empty("array"): return try add(.array(refer(to: [])), at: start)
    case .empty("true"): return try add(.boolean(true), at: start)
    case .empty("false"): return try add(.boolean(false), at: start)
    case .opening("true"): return try emptyElement("true", .boolean(true), from: start)
    case .opening("false"): return try emptyElement("false", .boolean(false), from: start)
    case .empty("string"): return try add(.utf8(store([])), at: start)
    case .empty("data"): return try add(.data(store([])), at: start)
    case .opening("string"): return try add(.utf8(store(text("string"))), at: start)
    case .opening("data"): return try add(.data(store(data(from: start))), at: start)
    case .opening("integer"): return try add(integer(from: start), at: start)
    case .opening("real"):
      guard let value = Double(trimmed(try text("real"))) else {
        throw malformed("a number", start)
      }
      return try add(.real(value), at: start)
    case .opening("date"):
      guard let value = Self.seconds(trimmed(try text("date"))) else {
        throw malformed("a date", start)
      }
      return try add(.date(value), at: start)
    default: throw malformed("an element", start)
    }
  }

  private mutating func dictionary(
    from start: Int, depth: Int
  ) throws(PropertyListError) -> Int {
    var (keys, values): ([Int], [Int]) = ([], [])
    while try !isClosing("dict") {
      let key = position
      switch try openTag() {
      case .opening("key"): keys.append(try add(.utf8(store(text("key"))), at: key))
      case .empty("key"): keys.append(try add(.utf8(store([])), at: key))
      default: throw malformed("a dictionary", key)
      }
      try skipMisc()
      values.append(try element(depth: depth + 1))
    }
    return try add(.dictionary(refer(to: keys + values)), at: start)
  }

  private mutating func emptyElement(
    _ name: String, _ node: PropertyList.Node, from start: Int
  ) throws(PropertyListError) -> Int {
    try expectClosing(name)
    return try add(node, at: start)
  }

  private mutating func integer(
    from start: Int
  ) throws(PropertyListError) -> PropertyList.Node {
    let digits = trimmed(try text("integer"))
    let unsigned = digits.drop { $0 == "+" || $0 == "-" }
    if unsigned.hasPrefix("0x") || unsigned.hasPrefix("0X") {
      guard let magnitude = UInt64(unsigned.dropFirst(2), radix: 16),
        let value = Int64(exactly: magnitude)
      else { throw malformed("a number", start) }
      return .integer(digits.hasPrefix("-") ? -value : value)
    }
    if let value = Int64(digits) { return .integer(value) }
    if let value = UInt64(digits) { return .unsigned(value) }
    throw malformed("a number", start)
  }

  private mutating func data(from start: Int) throws(PropertyListError) -> [UInt8] {
    var (output, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
    var isPadded = false
    for byte in try text("data") where !Self.isSpace(byte) {
      let value: UInt32
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(byte) - 65
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(byte) - 71
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(byte) + 4
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      case UInt8(ascii: "="):
        isPadded = true
        continue
      default: throw malformed("data in base64", start)
      }
      guard !isPadded else { throw malformed("data in base64", start) }
      (bits, count) = (bits << 6 & 0xff_ffff | value, count + 1)
      if count % 4 == 0 {
        output += [UInt8(bits >> 16), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
      }
    }
    switch count % 4 {
    case 2: output.append(UInt8(bits >> 4 & 255))
    case 3: output += [UInt8(bits >> 10 & 255), UInt8(bits >> 2 & 255)]
    case 1: throw malformed("data in base64", start)
    default: break
    }
    return output
  }

  /// Returns what `YYYY-MM-DDTHH:MM:SSZ` says as seconds since 2001-01-01 UTC.
  private static func seconds(_ text: String) -> Double? {
    let form = Array("0000-00-00T00:00:00Z".utf8)
    let bytes = Array(text.utf8)
    guard bytes.count == form.count else { return nil }
    var numbers: [Int] = [0]
    for (byte, sample) in zip(bytes, form) {
      if sample == UInt8(ascii: "0") {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - 48)
      } else {
        guard byte == sample else { return nil }
        numbers.append(0)
      }
    }
    let (year, month, day) = (numbers[0], numbers[1], numbers[2])
    guard (1...12).contains(month), (1...31).contains(day), numbers[3] < 24, numbers[4] < 60,
      numbers[5] < 60
    else { return nil }
    // Days since 0000-03-01 of a calendar whose years begin in March.
    let (y, m) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let days =
      era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * m + 2) / 5 + day
      - 1
    let daysUntil2001 = 730_791
    return Double(
      (days - daysUntil2001) * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5])
  }

  // MARK: The table

  private mutating func add(
    _ node: PropertyList.Node, at offset: Int
  ) throws(PropertyListError) -> Int {
    guard list.nodes.count < PropertyList.maximumCount else {
      throw PropertyListError(.limitExceeded("objects"), at: offset)
    }
    list.nodes.append(node)
    list.offsets.append(offset)
    return list.nodes.count - 1
  }

  private mutating func refer(to children: [Int]) -> Range<Int> {
    list.references += children
    return list.references.count - children.count..<list.references.count
  }

  private mutating func store(_ bytes: [UInt8]) -> Range<Int> {
    list.bytes += bytes
    return list.bytes.count - bytes.count..<list.bytes.count
  }
}
