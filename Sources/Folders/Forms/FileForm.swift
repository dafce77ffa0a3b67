/// The form of a JSON file that a person writes: which members its objects have, and of what they are.
///
/// A reader refuses by this table what does not belong, and the JSON Schema is this table: so the two know
/// the same members.
package struct FileForm: Sendable {
  /// One member of an object.
  package struct Member: Sendable {
    let name: StaticString
    let isRequired: Bool
    let value: Value
    /// What it says, for people.
    let meaning: StaticString

    /// Describes a member.
    package init(
      _ name: StaticString, _ value: Value, isRequired: Bool = false, _ meaning: StaticString
    ) {
      self.name = name
      self.isRequired = isRequired
      self.value = value
      self.meaning = meaning
    }
  }

  /// What a value is.
  package indirect enum Value: Sendable {
    /// Whatever JSON can say.
    case any
    case text
    /// A name: letters, digits, `-` and `_`.
    case name
    /// A text without a slash that is no more than the name of a file.
    case fileName
    /// A whole number.
    case whole(ClosedRange<Int>)
    case flag
    case number
    case choice([String])
    case object(FileForm)
    /// At least one, and at most so many.
    case list(Value, limit: Int)
    /// An object with any names, at most so many, and values of one form.
    case table(Value, limit: Int)
    /// One of several objects, told apart by their first members.
    case oneOf(StaticString, [FileForm])
    /// A form that has a name, because it can be in itself.
    case defined(Definition)
  }

  /// A form that has a name.
  package struct Definition: Sendable {
    let name: StaticString
    let value: @Sendable () -> Value

    /// Names a form.
    package init(_ name: StaticString, _ value: @escaping @Sendable () -> Value) {
      self.name = name
      self.value = value
    }
  }

  let members: [Member]

  /// Creates a form of an object.
  package init(members: [Member]) { self.members = members }

  /// What every object may have besides, for who reads the file: nothing keeps it.
  static let comment = Member("comment", .text, "for who reads the file; nothing keeps it")

  /// The most bytes of a name.
  package static let largestNameByteCount = 64

  /// Returns whether bytes are a name: letters, digits, `-` and `_`, a letter first.
  package static func isName(_ name: some Collection<UInt8>) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
    guard let first = name.first, isLetter(first), name.count <= largestNameByteCount else {
      return false
    }
    return name.allSatisfy { byte in
      isLetter(byte) || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "_")
    }
  }
}

// The JSON Schema.
extension FileForm {
  /// The JSON Schema of files of this form (draft 2020-12). It says the form; what the parts of a file
  /// have to do with each other is beyond it.
  package func schema(title: String, definitions: [Definition] = []) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("$schema")
    writer.string("https://json-schema.org/draft/2020-12/schema")
    writer.name("title")
    writer.string(title)
    writeSchema(to: &writer)
    if !definitions.isEmpty {
      writer.name("$defs")
      writer.beginObject()
      for definition in definitions {
        writer.name(definition.name)
        writer.beginObject()
        definition.value().writeSchema(to: &writer)
        writer.endObject()
      }
      writer.endObject()
    }
    writer.endObject()
    return JSONIndentation.lines(of: writer.bytes)
  }

  fileprivate func writeSchema(to writer: inout JSONWriter) {
    writer.name("type")
    writer.string("object")
    writer.name("properties")
    writer.beginObject()
    for member in members + [Self.comment] {
      writer.name(member.name)
      writer.beginObject()
      writer.name("description")
      writer.string(member.meaning.description)
      member.value.writeSchema(to: &writer)
      writer.endObject()
    }
    writer.endObject()
    writer.name("required")
    writer.beginArray()
    for member in members where member.isRequired { writer.string(member.name.description) }
    writer.endArray()
    writer.name("additionalProperties")
    writer.bool(false)
  }
}

extension FileForm.Value {
  fileprivate func writeSchema(to writer: inout JSONWriter) {
    func member(_ name: StaticString, _ value: String) {
      writer.name(name)
      writer.string(value)
    }
    func limit(_ name: StaticString, _ value: Int) {
      writer.name(name)
      writer.number(value)
    }
    func part(_ name: StaticString, _ value: Self) {
      writer.name(name)
      writer.beginObject()
      value.writeSchema(to: &writer)
      writer.endObject()
    }
    switch self {
    case .any: break
    case .text: member("type", "string")
    case .name:
      member("type", "string")
      member("pattern", "^[A-Za-z][A-Za-z0-9_-]*$")
      limit("maxLength", FileForm.largestNameByteCount)
    case .fileName:
      member("type", "string")
      member("pattern", "^[^/]+$")
    case .whole(let range):
      member("type", "integer")
      limit("minimum", range.lowerBound)
      limit("maximum", range.upperBound)
    case .flag: member("type", "boolean")
    case .number: member("type", "number")
    case .choice(let words):
      writer.name("enum")
      writer.beginArray()
      for word in words { writer.string(word) }
      writer.endArray()
    case .object(let form): form.writeSchema(to: &writer)
    case .list(let value, let count):
      member("type", "array")
      part("items", value)
      limit("minItems", 1)
      limit("maxItems", count)
    case .table(let value, let count):
      member("type", "object")
      limit("maxProperties", count)
      part("additionalProperties", value)
    case .oneOf(_, let forms):
      writer.name("oneOf")
      writer.beginArray()
      for form in forms {
        writer.beginObject()
        form.writeSchema(to: &writer)
        writer.endObject()
      }
      writer.endArray()
    case .defined(let definition): member("$ref", "#/$defs/\(definition.name)")
    }
  }
}
