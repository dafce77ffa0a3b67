import Folders

/// One time record of a sample folder, with every member in one of the states it has on disk.
struct SampleRecord {
  /// A member that can be there, be `null`, or not be there at all.
  enum Member<Value> {
    case absent
    case null
    case value(Value)
  }

  /// How a date is written; all forms name the same moment.
  enum DateForm {
    case utc
    case fraction(Int64)
    case offset
  }

  var identity: Identity
  /// Milliseconds since 1970.
  var start: Int64
  var end: Member<Int64>
  var dateForm = DateForm.utc
  var tag: Member<Identity>
  var comment: Member<String>
  var images: Member<[String]>
  /// Whether a newer version of the app wrote members that nobody else knows.
  var hasUnknownMembers = false
  /// Whether some editor put a byte order mark in front and a line feed behind.
  var isEdited = false

  /// The bytes of the legacy file.
  func file() -> [UInt8] {
    var json = JSONWriter()
    if isEdited { json.bytes = [0xef, 0xbb, 0xbf] }
    json.beginObject()
    json.name("id")
    json.string(identity)
    json.name("startTime")
    json.string(date(start))
    write("endTime", end, to: &json) { $0.string(date($1)) }
    write("tagId", tag, to: &json) { $0.string($1) }
    write("comment", comment, to: &json) { $0.string($1) }
    write("images", images, to: &json) { json, names in
      json.beginArray()
      for name in names { json.string(name) }
      json.endArray()
    }
    if hasUnknownMembers { writeUnknownMembers(to: &json) }
    json.endObject()
    if isEdited { json.bytes.append(UInt8(ascii: "\n")) }
    return json.bytes
  }

  private func write<Value>(
    _ name: StaticString, _ member: Member<Value>, to json: inout JSONWriter,
    _ writeValue: (inout JSONWriter, Value) -> Void
  ) {
    switch member {
    case .absent: return
    case .null:
      json.name(name)
      json.null()
    case .value(let value):
      json.name(name)
      writeValue(&json, value)
    }
  }

  private func writeUnknownMembers(to json: inout JSONWriter) {
    json.name("sync")
    json.beginObject()
    json.name("revision")
    json.number(UInt64.max - UInt64(start))
    json.name("device")
    json.beginObject()
    json.name("name")
    json.string("Zoë's iPhone")
    json.name("os")
    json.beginArray()
    json.number(18)
    json.number(2)
    json.endArray()
    json.name("beta")
    json.bool(false)
    json.name("carrier")
    json.null()
    json.endObject()
    json.name("battery")
    json.number(0.85)
    json.endObject()
    json.name("sequence")
    json.number((1 << 53) + 1)
  }

  private func date(_ milliseconds: Int64) -> String {
    switch dateForm {
    case .utc: return RFC3339(milliseconds: milliseconds).description
    case .fraction(let fraction): return RFC3339(milliseconds: milliseconds + fraction).description
    case .offset:
      return RFC3339(milliseconds: milliseconds + 7_200_000).description.dropLast() + "+02:00"
    }
  }
}

/// One tag of a sample folder.
struct SampleTag {
  let number: Int
  let identity: Identity

  /// Writes the tag as the app does; some as older versions of the app did.
  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.name("id")
    json.string(identity)
    json.name("name")
    json.string(name)
    json.name("color")
    json.string(SampleText.colors[number % SampleText.colors.count])
    json.name("createdAt")
    json.string(
      number % 5 == 3 ? "2022-11-0\(number % 9 + 1)T09:00:00+01:00" : "2022-12-01T08:00:00Z")
    // Older versions did not know archived tags.
    if number % 6 != 4 {
      json.name("isArchived")
      json.bool(number % 4 == 3)
    }
    if number == 1 {
      json.name("symbol")
      json.string("house.fill")
      json.name("order")
      json.number(3)
    }
    json.endObject()
  }

  private var name: String {
    let names = SampleText.tags
    let name = names[number % names.count]
    return number < names.count ? name : "\(name) \(number / names.count + 1)"
  }
}

/// The smallest images that are valid: one grey pixel each.
enum SampleImage {
  /// A baseline JPEG of one pixel; the comment makes two images differ.
  static func jpeg(comment: String) -> [UInt8] {
    let text = Array(comment.utf8)
    var bytes: [UInt8] = [0xff, 0xd8]
    // A comment: [FF FE][length with itself][text]
    bytes += [0xff, 0xfe, UInt8(truncatingIfNeeded: (text.count + 2) >> 8)]
    bytes += [UInt8(truncatingIfNeeded: text.count + 2)] + text
    // One quantization table of ones.
    bytes += [0xff, 0xdb, 0x00, 0x43, 0x00] + [UInt8](repeating: 1, count: 64)
    // A frame of 1 x 1, 8 bits, one component.
    bytes += [0xff, 0xc0, 0x00, 0x0b, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]
    // Two Huffman tables with one code of one bit: difference 0, and end of block.
    for table in [0x00, 0x10] as [UInt8] {
      bytes += [0xff, 0xc4, 0x00, 0x14, table, 1] + [UInt8](repeating: 0, count: 16)
    }
    // The scan: two zero bits, filled up with ones.
    bytes += [0xff, 0xda, 0x00, 0x08, 1, 1, 0x00, 0, 0x3f, 0, 0x3f]
    return bytes + [0xff, 0xd9]
  }

  /// A PNG of one pixel.
  static let png: [UInt8] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
    0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78,
    0x01, 0x01, 0x02, 0x00, 0xfd, 0xff, 0x00, 0x7f, 0x00, 0x81, 0x00, 0x80, 0x7c, 0x4b,
    0x6c, 0xa3, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
  ]
}

/// The words of a sample folder: everything people type, in every form that went wrong somewhere.
enum SampleText {
  static let tags = [
    "Work", "Familie", "Étude", "Caf\u{65}\u{301}", "読書", "Sport 🏃🏽‍♀️", "Hausarbeit",
    "Reading \"list\"",
    "עברית", "Projekt/α", "Music & Noise", "old \\ unused",
  ]
  static let colors = [
    "#FF8800", "#3366CC", "#00aa55", "#9B59B6", "#E74C3C", "#2ECC71", "#1ABC9C", "#F1C40F",
    "#34495E", "#7F8C8D", "#000000", "#FFFFFF",
  ]
  static let comments = [
    "Call with the team", "Weekly review", "Café au coin ☕", "Cafe\u{301} au coin",
    "Zoë's appointment",
    "会議の準備と議事録", "회의 준비", "🧑🏽‍💻 deep work 🎧", "Überstunden für Müller & Söhne",
    "first line\nsecond line",
    "tab\tseparated", "\"quoted\" and back\\slash", "عربي مع English", "a/b testing",
    "  leading and trailing  ",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 beyond the first plane", "zero\u{200b}width", "100 % done", "\u{1f1e9}\u{1f1ea} trip",
  ]
  /// What files and members of maps are called.
  static let places = [
    "harbour", "lantern", "orchard", "river", "attic", "meadow", "station", "garden", "tower",
    "bridge", "market", "island",
  ]
  static let notes = """
    Things to do in the folder of the time tracker:
    - nothing, the app does it
    """
  /// What the Finder leaves behind; only its first bytes matter.
  static let finderState: [UInt8] =
    [0, 0, 0, 1] + Array("Bud1".utf8) + [0, 0, 0x10, 0] + [UInt8](repeating: 0, count: 52)
}

/// SplitMix64: the same seed gives the same numbers on every machine and in every version.
package struct SeededRandom {
  private var state: UInt64

  /// Starts at a seed.
  package init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  package mutating func bits() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number below `limit`.
  ///
  /// The standard library's way may change between versions, and the bytes of a sample must not.
  package mutating func number(below limit: Int) -> Int {
    Int(truncatingIfNeeded: bits().multipliedFullWidth(by: UInt64(limit)).high)
  }

  /// Returns whether a thing happens that happens `percentage` times out of a hundred.
  package mutating func happens(_ percentage: Int) -> Bool { number(below: 100) < percentage }

  /// Returns one of the elements.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }
}
