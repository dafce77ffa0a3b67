import Automerge
import FolderDocuments
import Folders
import SafeFiles
import SwiftDataStores

/// What a cell of a store says, read without the code that imports it.
indirect enum RawValue {
  case nothing
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case text([UInt8])
  case bytes([UInt8])
  /// Milliseconds since 1970.
  case moment(Int64)
  /// A number in decimal, as text.
  case decimal(String)
  case list([RawValue], isSet: Bool)
  case map([[UInt8]: RawValue])
  /// Bytes in a file of their own.
  case digest(ContentHash, byteCount: Int64)

  /// Seconds since 2001 as milliseconds since 1970; nil where these are too many to count.
  static func moment(secondsSince2001 seconds: Double) -> RawValue? {
    milliseconds(secondsSince2001: seconds).map { .moment($0) }
  }

  /// The number of those milliseconds.
  static func milliseconds(secondsSince2001 seconds: Double) -> Int64? {
    let milliseconds = (seconds * 1000 + 0.5).rounded(.down)
    guard let since2001 = Int64(exactly: milliseconds) else { return nil }
    let (sum, overflow) = since2001.addingReportingOverflow(978_307_200_000)
    return overflow ? nil : sum
  }

  /// Sixteen bytes as the text of a UUID.
  static func uuid(_ bytes: [UInt8]) -> RawValue { .text(uuidText(bytes)) }

  /// Sixteen bytes as they stand in the text of a UUID.
  static func uuidText(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return text
  }

  /// Whether a text is how sixteen bytes stand in the text of a UUID.
  static func isUUIDText(_ text: Span<UInt8>, high: UInt64, low: UInt64) -> Bool {
    guard text.count == 36 else { return false }
    var position = 0
    for digit in 0..<32 {
      if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
        guard text[position] == UInt8(ascii: "-") else { return false }
        position += 1
      }
      let half = digit < 16 ? high : low
      let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (digit & 15))) & 15
      guard text[position] == value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10)
      else { return false }
      position += 1
    }
    return true
  }

  // MARK: Bytes that hold lists

  /// Reads a list or dictionary of JSON, or of a property list; nil for anything else.
  static func decoded(_ bytes: [UInt8], _ meaning: NestedMeaning) -> RawValue? {
    if bytes.starts(with: Array("bplist".utf8)) || bytes.starts(with: Array("<?xml".utf8)) {
      // What is no property list holds none.
      guard let list = try? PropertyList(bytes), list.root.count != nil,
        list.root["$archiver"] == nil
      else { return nil }
      var budget = 1 << 20
      return RawValue(list.root, meaning.dates.map { $0.tokens[...] }, &budget)
    }
    var tape = JSONTape()
    // What is no JSON holds none.
    guard bytes.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }),
      (try? tape.parse(bytes, depthLimit: JSONTape.standardDepth - 1)) != nil,
      tape.nodes[0].isContainer
    else { return nil }
    return RawValue(
      0, tape, meaning.dates.map { $0.tokens[...] }, meaning.sets.map { $0.tokens[...] })
  }

  /// Reads a value of a property list; nil for what no document says.
  static func decoded(_ value: PropertyListValue, _ meaning: NestedMeaning) -> RawValue? {
    var budget = 1 << 20
    return RawValue(value, meaning.dates.map { $0.tokens[...] }, &budget)
  }

  /// What is left of pointers one level further inside.
  private static func inside(
    _ pointers: [ArraySlice<[UInt8]>], _ name: [UInt8]
  ) -> [ArraySlice<[UInt8]>] {
    pointers.filter { $0.first == name || $0.first == [UInt8(ascii: "*")] }.map { $0.dropFirst() }
  }

  private init?(
    _ value: PropertyListValue, _ dates: [ArraySlice<[UInt8]>], _ budget: inout Int
  ) {
    budget -= 1
    guard budget > 0 else { return nil }
    if dates.contains(where: \.isEmpty), let seconds = value.real ?? value.integer.map(Double.init),
      let moment = Self.moment(secondsSince2001: seconds)
    {
      self = moment
      return
    }
    if let elements = value.elements {
      var list: [RawValue] = []
      for (index, element) in elements.enumerated() {
        let inner = Self.inside(dates, Array(String(index).utf8))
        guard let raw = RawValue(element, inner, &budget) else { return nil }
        list.append(raw)
      }
      self = .list(list, isSet: false)
    } else if let (keys, values) = value.members {
      var map: [[UInt8]: RawValue] = [:]
      for index in keys.indices {
        guard let name = keys[index].text,
          let raw = RawValue(values[index], Self.inside(dates, Array(name.utf8)), &budget),
          map.updateValue(raw, forKey: Array(name.utf8)) == nil
        else { return nil }
      }
      self = .map(map)
    } else if let text = value.text {
      self = .text(Array(text.utf8))
    } else if let seconds = value.secondsSince2001,
      let moment = Self.moment(secondsSince2001: seconds)
    {
      self = moment
    } else if let data = value.data {
      self = .bytes(data)
    } else if let integer = value.integer {
      self = .integer(integer)
    } else if let real = value.real, real.isFinite {
      self = .double(real)
    } else if let boolean = value.boolean {
      self = .boolean(boolean)
    } else {
      return nil
    }
  }

  private init?(
    _ node: Int, _ tape: JSONTape, _ dates: [ArraySlice<[UInt8]>], _ sets: [ArraySlice<[UInt8]>]
  ) {
    let text = tape.bytes(of: node)
    switch tape.kind(of: node) {
    case .null: self = .nothing
    case .true: self = .boolean(true)
    case .false: self = .boolean(false)
    case .string: self = .text(text)
    case .number:
      let literal = String(decoding: text, as: UTF8.self)
      if dates.contains(where: \.isEmpty), let seconds = Double(literal),
        let moment = Self.moment(secondsSince2001: seconds)
      {
        self = moment
      } else if let integer = Int64(literal), literal != "-0" {
        self = .integer(integer)
      } else if case .notRepresentable = tape.number(at: node) {
        return nil
      } else if UInt64(literal) != nil, literal != "-0" {
        self = .decimal(literal)
      } else {
        self = .double(Double(literal) ?? .nan)
      }
    case .array:
      var list: [RawValue] = []
      var element = node + 1
      while element < tape.node(after: node) {
        let index = Array(String(list.count).utf8)
        guard let raw = RawValue(element, tape, Self.inside(dates, index), Self.inside(sets, index))
        else {
          return nil
        }
        list.append(raw)
        element = tape.node(after: element)
      }
      self = .list(list, isSet: sets.contains { $0.isEmpty })
    case .object:
      var map: [[UInt8]: RawValue] = [:]
      var member = node + 1
      while member < tape.node(after: node) {
        let name = tape.bytes(of: member)
        guard
          let raw = RawValue(member + 1, tape, Self.inside(dates, name), Self.inside(sets, name))
        else {
          return nil
        }
        map[name] = raw
        member = tape.node(after: member + 1)
      }
      self = .map(map)
    }
  }

  // MARK: Comparing

  /// Returns whether readers of a document see what the cell says.
  func isShown(by value: DocumentValue?, of document: DocumentState) -> Bool {
    guard let value, !value.isNull else {
      if case .nothing = self { return true }
      return false
    }
    switch (self, value.content) {
    case (.list(let raws, let isSet), .object(.list)):
      var shown: [DocumentValue?] = []
      document.forEachElement(of: value.id) { _, group in
        if document.isVisible(group) { shown.append(document.winner(in: group)) }
      }
      guard shown.count == raws.count else { return false }
      if !isSet { return zip(raws, shown).allSatisfy { $0.isShown(by: $1, of: document) } }
      for raw in raws {
        guard let match = shown.firstIndex(where: { raw.isShown(by: $0, of: document) }) else {
          return false
        }
        shown.remove(at: match)
      }
      return true
    case (.map(let raws), .object(.map)):
      var count = 0
      var areEqual = true
      document.forEachKey(of: value.id) { key, group in
        guard areEqual, document.isVisible(group) else { return }
        count += 1
        areEqual =
          raws[Array(document.pool[key])]?.isShown(by: document.winner(in: group), of: document)
          ?? false
      }
      return areEqual && count == raws.count
    case (_, .scalar(let place)): return isShown(at: place, of: document)
    default: return false
    }
  }

  /// What stands for bytes that are too many for a document.
  private static func reference(_ hash: ContentHash, _ byteCount: Int64) -> [UInt8] {
    Array(["sha256", hash.description, String(byteCount)].joined(separator: ":").utf8)
  }

  private func isShown(at place: ScalarPlace, of document: DocumentState) -> Bool {
    let text = document.pool[place.range]
    return switch (self, place.type) {
    case (.boolean(let value), .boolTrue): value
    case (.boolean(let value), .boolFalse): !value
    case (.integer(let value), .int): document.signed(place) == value
    case (.double(let value), .float64): document.double(place) == value
    case (.moment(let value), .timestamp): document.signed(place) == value
    case (.text(let value), .string): text.elementsEqual(value)
    case (.bytes(let value), .bytes): document.bytes(place) == value
    case (.bytes(let value), .string):
      value.count > 65_536
        && text.elementsEqual(Self.reference(ContentHash(of: value), Int64(value.count)))
    case (.decimal(let value), .string):
      ExactDecimal(value) == ExactDecimal(String(decoding: text, as: UTF8.self))
    case (.decimal(let value), .uint): String(document.unsigned(place)) == value
    case (.digest(let hash, let count), .bytes):
      document.bytes(place).count == Int(count) && ContentHash(of: document.bytes(place)) == hash
    case (.digest(let hash, let count), .string): text.elementsEqual(Self.reference(hash, count))
    default: false
    }
  }
}
