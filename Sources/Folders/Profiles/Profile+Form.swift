/// The form of a profile file.
extension FileForm {
  /// The whole file.
  package static let profile = FileForm(members: [
    Member("profile", .name, isRequired: true, "the name of the profile"),
    Member("version", version, isRequired: true, "its newest version; it only grows"),
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

  private static let branch = FileForm(members: [
    Member("version", version, isRequired: true, "the number of the version"),
    Member("name", .name, isRequired: true, "what people call it"),
    Member(
      "tables", .list(.object(table), limit: Profile.largestKindCount), isRequired: true,
      "the tables that it has"),
  ])

  private static let table = FileForm(members: [
    Member("kind", .name, isRequired: true, "the kind whose entities are in it"),
    Member(
      "properties", .list(.text, limit: Profile.largestPropertyCount), isRequired: true,
      "the properties that are in it, without the identity's"),
  ])

  private static let kind = FileForm(members: [
    Member("kind", .name, isRequired: true, "the name of the kind"),
    Member("description", .text, "for people"),
    Member("private", .flag, "whether entities leave only when somebody asks for them"),
    Member("identity", .object(identity), isRequired: true, "what tells one entity from another"),
    Member("files", .object(files), "where entities lie; all kinds have it or rows, or none"),
    Member("rows", .object(rows), "the rows of a SwiftData store that are the entities"),
    Member(
      "document", .object(document), "the documents that entities become; goes with files and rows"),
    Member(
      "properties", .table(.object(property), limit: Profile.largestPropertyCount),
      isRequired: true, "the declared properties by name"),
    Member(
      "attachments", .list(.object(attachment), limit: Profile.largestPathCount),
      "files that entities name"),
    Member(
      "checks", .list(.object(check), limit: Profile.largestPropertyCount),
      "what is told as a finding where it does not hold"),
  ])

  private static let identity = FileForm(members: [
    Member(
      "type", .choice(["uuid", "string", "member", "file", "row", "singleton"]), isRequired: true,
      "a property that is a UUID or any string, a map's member, the file's path, a row, or one only"
    ),
    Member("property", .text, "with uuid and string: the property"),
  ])

  private static let files = FileForm(members: [
    Member(
      "paths", paths, isRequired: true, "patterns of the files; the first that matches counts"),
    Member("value", .text, "JSON Pointer to the one entity inside the file"),
    Member("elements", .text, "JSON Pointer to the array whose elements are entities"),
    Member("members", .text, "JSON Pointer to the object whose members are entities"),
    Member(
      "stays", .list(.text, limit: Profile.largestPathCount),
      "JSON Pointers to what the file keeps when the entities are out of it"),
  ])

  private static let rows = FileForm(members: [
    Member(
      "names", .list(.text, limit: Profile.largestPathCount), isRequired: true,
      "the names that the store's entity has, that of the newest version first"),
    Member(
      "uniqueUntil", version, "the first version in which no index keeps the identity unique"),
    Member(
      "preferences", .name,
      "what the keys of the app's preferences begin with that hold the entities; their identities follow"
    ),
    Member("single", .flag, "whether the app expects one row"),
    Member(
      "key", .text,
      "the identity's string, or with row an integer, that no two rows have alike and some may lack"
    ),
  ])

  private static let document = FileForm(members: [
    Member("path", .text, isRequired: true, "the document; {year} and {month} are filled in"),
    Member(
      "month", .text, "the date that says the month; without it the path of the entity's file does"),
    Member("undated", .text, "the document of entities without a month"),
  ])

  private static let property = FileForm(members: [
    Member(
      "type", .choice(PropertyType.names.map(\.name)), isRequired: true, "what its values are"),
    Member("kind", .name, "with reference and links: the kind they lead to"),
    Member(
      "onDelete", .choice(ReferenceTarget.DeleteRule.allCases.map(\.rawValue)),
      "with kind: what becomes of this entity when that one is deleted; keep if not given"),
    Member("required", .flag, "whether entities without it are refused"),
    Member("since", version, "the first version that has it; 1 if not given"),
    Member("until", version, "the first version without it"),
    Member(
      "dates", pointers, "with json: JSON Pointers to numbers that are dates, seconds since 2001"),
    Member("sets", pointers, "with json: JSON Pointers to arrays whose order means nothing"),
    Member("description", .text, "for people"),
  ])

  private static let attachment = FileForm(members: [
    Member("property", .text, isRequired: true, "the property with a name, or a list of names"),
    Member(
      "directories", paths, isRequired: true,
      "where the files lie, in this order; {year} and {month} are filled in, . is the folder"),
  ])

  private static let check = FileForm(members: [
    Member("property", .text, isRequired: true, "the property that is checked"),
    Member("at", .text, "with json and minimum or maximum: JSON Pointer to the number inside"),
    Member("minimum", .number, "the least number"),
    Member("maximum", .number, "the greatest number"),
    Member("pattern", .text, "what a string looks like: *, ? and [a-z] as in names of files"),
    Member("notAfter", .text, "the date that this one does not lie behind"),
    Member("atMost", .text, "the number that this one is not greater than"),
    Member("maximumLength", version, "the most characters of a string"),
    Member("maximumCount", version, "the most elements of a list"),
    Member("sameAs", .text, "the reference that leads to the same as this one"),
    Member("notBlank", .flag, "whether a string has more than blanks"),
    Member("past", .flag, "whether a date does not lie ahead, by more than a day"),
    Member("timeZone", .flag, "whether a string is the name of a time zone"),
    Member("present", .flag, "whether there is a value"),
    Member("when", .text, "with present: the property that is true where there is a value"),
  ])

  private static let version = Value.whole(1...Profile.largestVersion)
  private static let pointers = Value.list(.text, limit: Profile.largestPathCount)
  private static let paths = Value.list(.text, limit: Profile.largestPathCount)
}

extension Profile {
  /// The JSON Schema of profile files.
  package static var schema: [UInt8] {
    FileForm.profile.schema(title: "A profile of automerge-migrate: what an app's data is")
  }
}
