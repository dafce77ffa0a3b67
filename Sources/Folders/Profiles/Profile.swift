package import SafeFiles

/// What an app's data is, as a value: which kinds of entity it has, where they lie in a folder, and
/// which documents they become.
///
/// A profile only grows: no kind or property is taken off, renamed, retyped or moved, and a new version
/// gets a greater number. Every value of this type keeps the rules of `Profile+Rules`.
package struct Profile: Hashable, Sendable {
  /// What the profile is called, in streams too.
  package let name: String
  /// The number of the newest version, from 1; `since` and `until` of properties count in it.
  package let version: Int
  /// For people.
  package let description: String?
  /// The app's own lock, at the top of the folder; nil if the app has none.
  package let lock: FileName?
  /// The files of which one shows that a folder is this app's; empty: those of the kinds. Documents of
  /// the kinds show it in any case.
  package let recognition: [PathPattern]
  /// The identifier that stores of each version have for their model, from the first version on; empty
  /// where that tells nothing.
  package let identifiers: [String]
  /// The versions whose tables are not what `since` and `until` say.
  package let branches: [VersionBranch]
  /// The kinds, in the order in which they are listed and written.
  package let kinds: [EntityKindProfile]

  /// Whether the profile says in which files entities lie; one that does not describes the values of
  /// streams only, or the rows of stores, not a folder of JSON.
  package var describesFolder: Bool { kinds.contains { !($0.home?.paths.isEmpty ?? true) } }

  /// How the entities become documents. A profile file declares its kinds, unless it is Minuta's own.
  package var mapping: EntityMapping { name == "minuta" ? .frozen : .declared }

  /// Whether entities of the app are rows of a store.
  package var describesStore: Bool { kinds.contains { $0.home?.rows != nil } }

  /// Returns the kind of that name.
  package func kind(named name: String) -> EntityKindProfile? {
    kinds.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// Creates a profile that keeps the rules.
  package init(
    name: String, version: Int, description: String? = nil, lock: FileName? = nil,
    recognition: [PathPattern] = [], identifiers: [String] = [], branches: [VersionBranch] = [],
    kinds: [EntityKindProfile]
  ) throws(ProfileDefect) {
    self.name = name
    self.version = version
    self.description = description
    self.lock = lock
    self.recognition = recognition
    self.identifiers = identifiers
    self.branches = branches
    self.kinds = kinds
    try checkRules()
  }
}

/// A version that no other grew out of: its tables have properties of the line of versions, and lack
/// others.
///
/// `since` and `until` fix where values stand in documents, so neither can say that: a property that such
/// a version lacks is an absent one. This only tells by which tables a store is of the version.
package struct VersionBranch: Hashable, Sendable {
  /// The number of the version.
  package var version: Int
  /// What people call it.
  package var name: String
  /// The kinds that have tables, and the properties in them besides the identity.
  package var tables: [Table]

  /// What a table has.
  package struct Table: Hashable, Sendable {
    /// The name of the kind.
    package var kind: String
    /// The properties, without the identity's.
    package var properties: [PropertyName]
  }

  /// Returns the properties that the table of a kind has; nil if it has no table.
  package func properties(of kind: String) -> [PropertyName]? {
    tables.first { $0.kind.utf8.elementsEqual(kind.utf8) }?.properties
  }
}

/// One kind of entity.
package struct EntityKindProfile: Hashable, Sendable {
  /// What the kind is called.
  package var name: String
  /// For people.
  package var description: String?
  /// Whether entities leave only when somebody asks for them.
  package var isPrivate = false
  /// What tells one entity from another.
  package var identity: IdentityRule
  /// Where entities lie; nil where a profile is about values only.
  package var home: EntityHome?
  /// The declared properties; the identity's is none of them.
  package var properties: PropertyTable
  /// The files that entities name.
  package var attachments: [Attachment] = []
  /// What is told as a finding where it does not hold.
  package var checks: [PropertyCheck] = []

  /// The files that entities name, those included that are too large for a document: any value of a
  /// store can be.
  package var allAttachments: [Attachment] {
    guard home?.rows != nil, let directory = BlobReference.template else { return attachments }
    return attachments
      + properties.filter { $0.type == .bytes || $0.type == .json }.map { property in
        var attachment = Attachment(property.name, in: [directory])
        attachment.isBlob = true
        return attachment
      }
  }

  /// Creates a kind; `Profile.init` looks whether it keeps the rules.
  package init(
    _ name: String, description: String? = nil, isPrivate: Bool = false, identity: IdentityRule,
    home: EntityHome? = nil, properties: PropertyTable, attachments: [Attachment] = [],
    checks: [PropertyCheck] = []
  ) {
    self.name = name
    self.description = description
    self.isPrivate = isPrivate
    self.identity = identity
    self.home = home
    self.properties = properties
    self.attachments = attachments
    self.checks = checks
  }
}

/// What values say of the kind that a property refers to.
package final class TargetKind: Sendable {
  /// How its entities are identified.
  package let identity: IdentityRule
  /// Where its entities are, if they are rows of a store.
  let rows: StoreRows?

  init(of kind: EntityKindProfile) {
    identity = kind.identity
    rows = kind.home?.rows
  }

  /// Whether a text is an identity of the kind, as the kind writes it.
  func isCanonical(_ text: Span<UInt8>) -> Bool {
    switch identity {
    case .uuid: Identity(text)?.isCanonical(text) ?? false
    case .string, .member, .file, .row: !text.isEmpty
    case .singleton: text.isEqual(to: IdentityRule.singletonBytes.span)
    }
  }
}

extension Profile {
  /// Returns the kind that a property refers to; nil if it refers to none, or to any text.
  package func kind(of target: ReferenceTarget?) -> TargetKind? {
    target?.kind.flatMap(kind(named:)).map(TargetKind.init(of:))
  }
}

/// What tells one entity of a kind from another.
package enum IdentityRule: Hashable, Sendable {
  /// A property that is a UUID.
  case uuid(PropertyName)
  /// A property that is any other string.
  case string(PropertyName)
  /// The name under which a map holds the entity.
  case member
  /// The path of the entity's file, without its extension.
  case file
  /// The number of the entity's row, in the store that has it: nothing that two devices share, unless its
  /// rows have a `key`.
  case row
  /// There is one entity at most.
  case singleton

  /// The property, if it is one.
  package var property: PropertyName? {
    switch self {
    case .uuid(let name), .string(let name): name
    case .member, .file, .row, .singleton: nil
    }
  }

  /// Whether no two entities of any folders have the same identity by chance.
  package var isUnique: Bool { if case .uuid = self { true } else { false } }

  /// What a singleton is known by.
  package static let singletonBytes = Array("singleton".utf8)

  /// Returns the identity that a text is by this rule, as its kind writes it; nil if it is none.
  package func bytes(_ text: Span<UInt8>) -> [UInt8]? {
    switch self {
    case .uuid: return Identity(text)?.canonicalBytes
    case .string, .member, .file, .row: return text.isEmpty ? nil : Array(text)
    case .singleton: return Array(text) == Self.singletonBytes ? Self.singletonBytes : nil
    }
  }

  /// What the rule is called.
  package var typeName: String {
    switch self {
    case .uuid: "uuid"
    case .string: "string"
    case .member: "member"
    case .file: "file"
    case .row: "row"
    case .singleton: "singleton"
    }
  }
}

/// The rows of a store's entity that are the entities of a kind.
package struct StoreRows: Hashable, Sendable {
  /// The names of the store's entity, that of the newest version first.
  package var names: [String]
  /// The first version in which no index keeps the identity unique; nil if that tells no version.
  package var uniqueUntil: Int?
  /// What the keys begin with under which the app keeps the entities in its preferences, followed by
  /// their identities; nil for rows of tables.
  package var preferenceKeys: String?
  /// Whether the app expects one row, although nothing in its tables keeps it from having more.
  package var isSingle: Bool
  /// The property that no two rows of a store have alike, where rows may lack it; nil if there is none.
  ///
  /// With an identity that is a `string` it is that property, and a row without it is known by its number.
  /// With `row` it is an integer, and a row that has one is known by its digits.
  package var key: PropertyName?

  /// Creates a rule; `Profile.init` looks whether it keeps the rules.
  package init(
    _ names: [String], uniqueUntil: Int? = nil, preferenceKeys: String? = nil,
    isSingle: Bool = false, key: PropertyName? = nil
  ) {
    self.names = names
    self.isSingle = isSingle
    self.key = key
    self.uniqueUntil = uniqueUntil
    self.preferenceKeys = preferenceKeys
  }

  /// The most bytes that the name of an entity has.
  package static let largestNameByteCount = 255

  /// Whether a text can be the name of an entity: any letters, but nothing that ends a place or a line.
  package static func isName(_ name: String) -> Bool {
    (1...largestNameByteCount).contains(name.utf8.count) && RelativePath(Array(name.utf8)) != nil
      && name.unicodeScalars.allSatisfy { $0 != "/" && $0.value >= 32 && $0.value != 127 }
  }

  /// Whether a store's entity is this one: by its name, or with `V` and the digits of a version behind it.
  package func holds(_ name: String) -> Bool {
    names.contains(name) || names.contains(Self.withoutVersion(name))
  }

  private static func withoutVersion(_ name: String) -> String {
    let digits = name.utf8.reversed().prefix { $0 &- UInt8(ascii: "0") < 10 }.count
    let stem = name.utf8.dropLast(digits)
    guard digits > 0, stem.last == UInt8(ascii: "V") else { return name }
    return String(stem.dropLast()) ?? name
  }
}

/// Where the entities of a kind lie, in the app's files or in its store, and in which documents.
package struct EntityHome: Hashable, Sendable {
  /// What a file holds.
  package enum Content: Hashable, Sendable {
    /// One entity.
    case entity
    /// One entity, which is the value that a pointer names.
    case value(JSONPointer)
    /// The elements of the array that a pointer names.
    case elements(JSONPointer)
    /// The members of the object that a pointer names.
    case members(JSONPointer)

    /// Where in the file the entities are; nil for the file itself.
    package var pointer: JSONPointer? {
      switch self {
      case .entity: nil
      case .value(let pointer), .elements(let pointer), .members(let pointer): pointer
      }
    }
  }

  /// The files; of several patterns the first that matches counts. None where entities are rows.
  package var paths: [PathPattern]
  /// The rows, where entities lie in a store.
  package var rows: StoreRows?
  /// What each of them holds.
  package var content: Content
  /// What such a file holds besides and keeps when the entities are out of it. What is neither an
  /// entity nor listed here it keeps, too, and that is told.
  package var stays: [JSONPointer]
  /// The documents that the entities become.
  package var document: DocumentPlace

  /// Creates a home; `Profile.init` looks whether it keeps the rules.
  package init(
    paths: [PathPattern], rows: StoreRows? = nil, content: Content = .entity,
    stays: [JSONPointer] = [], document: DocumentPlace
  ) {
    self.paths = paths
    self.rows = rows
    self.content = content
    self.stays = stays
    self.document = document
  }

  /// Returns how a path is one of the files; nil if it is none.
  package func match(_ path: Span<UInt8>) -> PathPattern.Match? {
    for pattern in paths {
      if let match = pattern.match(path) { return match }
    }
    return nil
  }
}

/// Which document an entity belongs to.
package enum DocumentPlace: Hashable, Sendable {
  /// All entities of the kind are in one document.
  case one(PathTemplate)
  /// Each month has a document.
  case monthly(PathTemplate, of: MonthSource, undated: PathTemplate?)

  /// What says which month an entity belongs to.
  package enum MonthSource: Hashable, Sendable {
    /// What `{year}` and `{month}` stand for in the path of its file.
    case path
    /// A date, in UTC, as it is when the entity is imported first.
    case date(PropertyName)
  }

  /// The templates of the documents.
  package var templates: [PathTemplate] {
    switch self {
    case .one(let template): [template]
    case .monthly(let template, _, let undated): [template] + (undated.map { [$0] } ?? [])
    }
  }

  /// Returns the document for entities of a month, or for those without one; nil if there is none.
  package func path(in month: Month?) -> RelativePath? {
    switch (self, month) {
    case (.one(let template), _): template.path(in: nil)
    case (.monthly(let template, _, _), .some): template.path(in: month)
    case (.monthly(_, _, let undated), nil): undated?.path(in: nil)
    }
  }
}

/// Files that the entities of a kind name, and that stay beside the documents.
package struct Attachment: Hashable, Sendable {
  /// The property that names them: a string, or a list of strings.
  package var property: PropertyName
  /// The directories to look in, in this order; `.` is the folder itself.
  package var directories: [PathTemplate]
  /// Whether the property names a file by its hash, where its value is too large for a document.
  package var isBlob = false

  /// Creates a rule; `Profile.init` looks whether it keeps the rules.
  package init(_ property: PropertyName, in directories: [PathTemplate]) {
    self.property = property
    self.directories = directories
  }

  /// Returns the name of the file that a value names; nil if it names none.
  package func fileName(of value: [UInt8]) -> [UInt8]? {
    isBlob ? BlobReference(value.span)?.fileName : value
  }
}
