import Folders
import SwiftDataStores

/// Turns bytes that hold JSON or a property list into JSON with the types that it does not show.
///
/// Only lists and dictionaries are decoded: what holds one value alone stays bytes. Numbers and dates
/// keep what they say; what no JSON of a stream could say leaves all of it undecoded.
struct NestedJSON {
  /// The most values of a property list, which may name one of its objects many times.
  private static let largestCount = 1 << 20
  /// How deep values may lie: those of an entity are one level deeper.
  private static let largestDepth = JSONTape.standardDepth - 1

  /// The types of the values decoded last, by pointers below the property.
  private(set) var types: [(pointer: [UInt8], type: StreamType)] = []

  private var json = JSONWriter()
  private var tape = JSONTape()
  /// How many of the dates decoded last are rounded to milliseconds.
  private(set) var roundedCount = 0
  /// How many values of a property list the last decoding went through.
  private(set) var count = 0

  init() {}

  /// Returns the JSON of bytes; nil if they hold no list or dictionary.
  ///
  /// - Parameter pointer: the pointer to the property.
  mutating func decode(
    _ bytes: [UInt8], _ meaning: NestedMeaning, at pointer: [UInt8]
  ) -> [UInt8]? {
    types.removeAll(keepingCapacity: true)
    json.removeAll()
    (count, roundedCount) = (0, 0)
    let isDecoded =
      bytes.starts(with: Array("bplist".utf8)) || bytes.starts(with: Array("<?xml".utf8))
      ? decodePropertyList(bytes, meaning, at: pointer) : decodeJSON(bytes, meaning, at: pointer)
    return isDecoded ? json.bytes : nil
  }

  /// Returns the JSON of a list or dictionary of a property list; nil if some of it cannot be said.
  mutating func decode(_ value: PropertyListValue, _ meaning: NestedMeaning) -> [UInt8]? {
    types.removeAll(keepingCapacity: true)
    json.removeAll()
    (count, roundedCount) = (0, 0)
    return write(value, meaning.dates.map { $0.tokens[...] }, [], depth: 1) ? json.bytes : nil
  }

  // MARK: JSON

  private mutating func decodeJSON(
    _ bytes: [UInt8], _ meaning: NestedMeaning, at pointer: [UInt8]
  ) -> Bool {
    guard bytes.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }),
      // Bytes that are no JSON are bytes.
      (try? tape.parse(bytes, depthLimit: Self.largestDepth)) != nil,
      tape.nodes[0].isContainer, areNumbersRepresentable
    else { return false }
    if meaning.isEmpty {
      json.value(0, of: tape)
    } else {
      write(0, meaning.dates.map { $0.tokens[...] }, meaning.sets.map { $0.tokens[...] }, pointer)
    }
    return true
  }

  private var areNumbersRepresentable: Bool {
    tape.nodes.indices.allSatisfy { node in
      guard tape.kind(of: node) == .number else { return true }
      if case .notRepresentable = tape.number(at: node) { return false }
      return true
    }
  }

  /// The tape is at most as deep as its limit, and so is this.
  private mutating func write(
    _ node: Int, _ dates: [ArraySlice<[UInt8]>], _ sets: [ArraySlice<[UInt8]>], _ pointer: [UInt8]
  ) {
    let isDate = dates.contains { $0.isEmpty }
    switch tape.kind(of: node) {
    case .number where isDate:
      if writeDate(Double(String(decoding: tape.bytes(of: node), as: UTF8.self)), at: pointer) {
        return
      }
      json.value(node, of: tape)
    case .array where sets.contains { $0.isEmpty }: writeSet(node)
    case .array:
      json.beginArray()
      var (element, index) = (node + 1, 0)
      while element < tape.node(after: node) {
        let token = Array(String(index).utf8)
        write(
          element, Self.inside(dates, token), Self.inside(sets, token),
          Self.appending(token, to: pointer))
        element = tape.node(after: element)
        index += 1
      }
      json.endArray()
    case .object:
      json.beginObject()
      var member = node + 1
      while member < tape.node(after: node) {
        let name = tape.bytes(of: member)
        json.name(name.span)
        write(
          member + 1, Self.inside(dates, name), Self.inside(sets, name),
          Self.appending(name, to: pointer))
        member = tape.node(after: member + 1)
      }
      json.endObject()
    default: json.value(node, of: tape)
    }
  }

  /// What is left of pointers one level further inside.
  private static func inside(
    _ pointers: [ArraySlice<[UInt8]>], _ token: [UInt8]
  ) -> [ArraySlice<[UInt8]>] {
    pointers.compactMap { pointer in
      guard let first = pointer.first, first == token || first == [UInt8(ascii: "*")] else {
        return nil
      }
      return pointer.dropFirst()
    }
  }

  private static func appending(_ token: [UInt8], to pointer: [UInt8]) -> [UInt8] {
    var longer = pointer
    InterchangeWriter.append(token.span, toPointer: &longer)
    return longer
  }

  private mutating func writeDate(_ seconds: Double?, at pointer: [UInt8]) -> Bool {
    guard let seconds, let milliseconds = StoreValue.date(seconds).millisecondsSince1970 else {
      return false
    }
    if StoreValue.isRounded(milliseconds, from: seconds) { roundedCount += 1 }
    let moment = RFC3339(milliseconds: milliseconds)
    if moment.isWritable { json.string(moment) } else { json.number(milliseconds) }
    types.append((pointer, .timestamp))
    return true
  }

  /// Numbers by what they are, then anything by its bytes: two devices write one set in one order.
  private mutating func writeSet(_ array: Int) {
    var elements: [(number: Double, json: [UInt8])] = []
    var element = array + 1
    while element < tape.node(after: array) {
      var writer = JSONWriter()
      writer.value(element, of: tape)
      let number =
        tape.kind(of: element) == .number
        ? Double(String(decoding: writer.bytes, as: UTF8.self)) : nil
      elements.append((number ?? .infinity, writer.bytes))
      element = tape.node(after: element)
    }
    elements.sort { left, right in
      left.number == right.number
        ? left.json.lexicographicallyPrecedes(right.json) : left.number < right.number
    }
    json.beginArray()
    for element in elements { json.value(written: element.json.span) }
    json.endArray()
  }

  // MARK: Property lists

  private mutating func decodePropertyList(
    _ bytes: [UInt8], _ meaning: NestedMeaning, at pointer: [UInt8]
  ) -> Bool {
    // Bytes that are no property list are bytes.
    guard let list = try? PropertyList(bytes), list.root.count != nil,
      // An archive of objects is the app's own.
      list.root["$archiver"] == nil
    else { return false }
    return write(list.root, meaning.dates.map { $0.tokens[...] }, pointer, depth: 1)
  }

  /// - Parameter dates: pointers to numbers that are dates, as Swift writes them in JSON, too.
  private mutating func write(
    _ value: PropertyListValue, _ dates: [ArraySlice<[UInt8]>], _ pointer: [UInt8], depth: Int
  ) -> Bool {
    count += 1
    guard count <= Self.largestCount, depth <= Self.largestDepth else { return false }
    if dates.contains(where: \.isEmpty),
      writeDate(value.real ?? value.integer.map(Double.init), at: pointer)
    {
      return true
    }
    if let elements = value.elements {
      json.beginArray()
      for index in elements.indices {
        let token = Array(String(index).utf8)
        guard
          write(
            elements[index], Self.inside(dates, token), Self.appending(token, to: pointer),
            depth: depth + 1)
        else { return false }
      }
      json.endArray()
    } else if let (keys, values) = value.members {
      var names: Set<String> = []
      json.beginObject()
      for index in keys.indices {
        guard let name = keys[index].text, names.insert(name).inserted else { return false }
        let bytes = Array(name.utf8)
        json.name(bytes.span)
        guard
          write(
            values[index], Self.inside(dates, bytes), Self.appending(bytes, to: pointer),
            depth: depth + 1)
        else { return false }
      }
      json.endObject()
    } else if let text = value.text {
      json.string(text)
    } else if let integer = value.integer {
      json.number(integer)
    } else if let real = value.real {
      guard real.isFinite else { return false }
      json.number(real)
    } else if let seconds = value.secondsSince2001 {
      return writeDate(seconds, at: pointer)
    } else if let data = value.data {
      json.string(Base64.encode(data.span).span)
      types.append((pointer, .bytes))
    } else if let boolean = value.boolean {
      json.bool(boolean)
    } else {
      return false
    }
    return true
  }
}
