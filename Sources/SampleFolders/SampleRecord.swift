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
