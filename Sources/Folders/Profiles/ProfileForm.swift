/// The form of a profile file: which members its objects have, and of what they are.
///
/// The reader refuses by this table what does not belong, and the JSON Schema is this table: so the two
/// know the same members.
package struct ProfileForm: Sendable {
  /// One member of an object.
  struct Member: Sendable {
    let name: StaticString
    let isRequired: Bool
    let value: Value
    /// What it says, for people.
    let meaning: StaticString

    init(
      _ name: StaticString, _ value: Value, isRequired: Bool = false, _ meaning: StaticString
    ) {
      self.name = name
      self.isRequired = isRequired
      self.value = value
      self.meaning = meaning
    }
  }

  /// What a value is.
  indirect enum Value: Sendable {
    case text
    /// A name: letters, digits, `-` and `_`.
    case name
    /// A text without a slash that is no more than the name of a file.
    case fileName
    /// A whole number from 1.
    case version
    case flag
    case number
    case choice([String])
    case object(ProfileForm)
    /// At least one, and at most so many.
    case list(Value, limit: Int)
    /// An object with any names, and values of one form.
    case table(ProfileForm)
  }

  let members: [Member]

  /// What every object may have besides, for who reads the file: no profile has it.
  static let comment = Member("comment", .text, "for who reads the file; nothing keeps it")

  /// The whole file.
  package static let profile = ProfileForm(members: [
    Member("profile", .name, isRequired: true, "the name of the profile"),
    Member("version", .version, isRequired: true, "its newest version; it only grows"),
    Member("description", .text, "for people"),
    Member("lock", .fileName, "the app's lock, a file at the top of the folder"),
    Member(
      "recognizedBy", paths,
      "patterns of files of which one shows that a folder is this app's; without it those of the kinds"
    ),
    Member(
      "identifiers", .list(.text, limit: Profile.largestIdentifierCount),
      "what stores of each version say of their model, from version 1 on"),
    Member(
      "branches", .list(.object(branch), limit: Profile.largestPathCount),
      "versions whose tables are not what since and until say"),
    Member(
      "kinds", .list(.object(kind), limit: Profile.largestKindCount), isRequired: true,
      "the kinds of entity"),
  ])

  static let branch = ProfileForm(members: [
    Member("version", .version, isRequired: true, "the number of the version"),
    Member("name", .name, isRequired: true, "what people call it"),
    Member(
      "tables", .list(.object(table), limit: Profile.largestKindCount), isRequired: true,
      "the tables that it has"),
  ])

  static let table = ProfileForm(members: [
    Member("kind", .name, isRequired: true, "the kind whose entities are in it"),
    Member(
      "properties", .list(.text, limit: Profile.largestPropertyCount), isRequired: true,
      "the properties that are in it, without the identity's"),
  ])

  static let kind = ProfileForm(members: [
    Member("kind", .name, isRequired: true, "the name of the kind"),
    Member("description", .text, "for people"),
    Member("private", .flag, "whether entities leave only when somebody asks for them"),
    Member("identity", .object(identity), isRequired: true, "what tells one entity from another"),
    Member("files", .object(files), "where entities lie; all kinds have it or rows, or none"),
    Member("rows", .object(rows), "the rows of a SwiftData store that are the entities"),
    Member(
      "document", .object(document), "the documents that entities become; goes with files and rows"),
    Member("properties", .table(property), isRequired: true, "the declared properties by name"),
    Member(
      "attachments", .list(.object(attachment), limit: Profile.largestPathCount),
      "files that entities name"),
    Member(
      "checks", .list(.object(check), limit: Profile.largestPropertyCount),
      "what is told as a finding where it does not hold"),
  ])

  static let identity = ProfileForm(members: [
    Member(
      "type", .choice(["uuid", "string", "member", "file", "row", "singleton"]), isRequired: true,
      "a property that is a UUID or any string, a map's member, the file's path, a row, or one only"
    ),
    Member("property", .text, "with uuid and string: the property"),
  ])

  static let files = ProfileForm(members: [
    Member(
      "paths", paths, isRequired: true, "patterns of the files; the first that matches counts"),
    Member("value", .text, "JSON Pointer to the one entity inside the file"),
    Member("elements", .text, "JSON Pointer to the array whose elements are entities"),
    Member("members", .text, "JSON Pointer to the object whose members are entities"),
    Member(
      "stays", .list(.text, limit: Profile.largestPathCount),
      "JSON Pointers to what the file keeps when the entities are out of it"),
  ])

  static let rows = ProfileForm(members: [
    Member(
      "names", .list(.name, limit: Profile.largestPathCount), isRequired: true,
      "the names that the store's entity has, that of the newest version first"),
    Member(
      "uniqueUntil", .version, "the first version in which no index keeps the identity unique"),
    Member(
      "preferences", .name,
      "what the keys of the app's preferences begin with that hold the entities; their identities follow"
    ),
  ])

  static let document = ProfileForm(members: [
    Member("path", .text, isRequired: true, "the document; {year} and {month} are filled in"),
    Member(
      "month", .text, "the date that says the month; without it the path of the entity's file does"),
    Member("undated", .text, "the document of entities without a month"),
  ])

  static let property = ProfileForm(members: [
    Member(
      "type", .choice(PropertyType.names.map(\.name)), isRequired: true, "what its values are"),
    Member("kind", .name, "with reference and links: the kind they lead to"),
    Member(
      "onDelete", .choice(ReferenceTarget.DeleteRule.allCases.map(\.rawValue)),
      "with kind: what becomes of this entity when that one is deleted; keep if not given"),
    Member("required", .flag, "whether entities without it are refused"),
    Member("since", .version, "the first version that has it; 1 if not given"),
    Member("until", .version, "the first version without it"),
    Member(
      "dates", pointers, "with json: JSON Pointers to numbers that are dates, seconds since 2001"),
    Member("sets", pointers, "with json: JSON Pointers to arrays whose order means nothing"),
    Member("description", .text, "for people"),
  ])

  static let attachment = ProfileForm(members: [
    Member("property", .text, isRequired: true, "the property with a name, or a list of names"),
    Member(
      "directories", paths, isRequired: true,
      "where the files lie, in this order; {year} and {month} are filled in, . is the folder"),
  ])

  static let check = ProfileForm(members: [
    Member("property", .text, isRequired: true, "the property that is checked"),
    Member("minimum", .number, "the least number"),
    Member("maximum", .number, "the greatest number"),
    Member("pattern", .text, "what a string looks like: *, ? and [a-z] as in names of files"),
    Member("notAfter", .text, "the date that this one does not lie behind"),
    Member("atMost", .text, "the number that this one is not greater than"),
    Member("maximumLength", .version, "the most characters of a string"),
    Member("timeZone", .flag, "whether a string is the name of a time zone"),
    Member("present", .flag, "whether there is a value"),
    Member("when", .text, "with present: the property that is true where there is a value"),
  ])

  private static let pointers = Value.list(.text, limit: Profile.largestPathCount)
  private static let paths = Value.list(.text, limit: Profile.largestPathCount)
}

// The JSON Schema.
extension ProfileForm {
  /// The JSON Schema of profile files (draft 2020-12). It says the form; what the parts of a profile
  /// have to do with each other is beyond it.
  package static var schema: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("$schema")
    writer.string("https://json-schema.org/draft/2020-12/schema")
    writer.name("title")
    writer.string("A profile of automerge-migrate: what an app's data is")
    profile.writeSchema(to: &writer)
    writer.endObject()
    return JSONIndentation.lines(of: writer.bytes)
  }

  private func writeSchema(to writer: inout JSONWriter) {
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

extension ProfileForm.Value {
  fileprivate func writeSchema(to writer: inout JSONWriter) {
    func member(_ name: StaticString, _ value: String) {
      writer.name(name)
      writer.string(value)
    }
    func limit(_ name: StaticString, _ value: Int) {
      writer.name(name)
      writer.number(value)
    }
    switch self {
    case .text: member("type", "string")
    case .name:
      member("type", "string")
      member("pattern", "^[A-Za-z][A-Za-z0-9_-]*$")
      limit("maxLength", Profile.largestNameByteCount)
    case .fileName:
      member("type", "string")
      member("pattern", "^[^/]+$")
    case .version:
      member("type", "integer")
      limit("minimum", 1)
      limit("maximum", Profile.largestVersion)
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
      writer.name("items")
      writer.beginObject()
      value.writeSchema(to: &writer)
      writer.endObject()
      limit("minItems", 1)
      limit("maxItems", count)
    case .table(let form):
      member("type", "object")
      limit("maxProperties", Profile.largestPropertyCount)
      writer.name("additionalProperties")
      writer.beginObject()
      form.writeSchema(to: &writer)
      writer.endObject()
    }
  }
}
