import SafeFiles

// The kinds of the frozen mapping, and their fields. Outside this folder nobody names them.
extension EntityKind {
  /// A tag.
  package static let tag = EntityKind(index: 0)
  /// A time record.
  package static let record = EntityKind(index: 1)

  /// What the entities of a document of the frozen mapping are: what has another name than that of all
  /// tags is taken for records.
  init(ofDocumentIn path: RelativePath) {
    self = path == DocumentLayout.commonDocument ? .tag : .record
  }
}

extension EntityGroup {
  /// All tags.
  package static let tags = EntityGroup(.tag)

  /// The entities of a month in the frozen mapping, or those without one.
  package init(month: Month?) { self.init(month == nil ? .tag : .record, month: month) }
}

extension KindFacts {
  /// The facts about the kinds of the frozen mapping, so that nobody has to read its profile for them.
  /// Paths are told by the names of directories, not by patterns.
  static let frozen = [
    KindFacts(identity: .uuid("id"), isOneEntity: false, isGroupedByMonth: false),
    KindFacts(identity: .uuid("id"), isOneEntity: true, isGroupedByMonth: true),
  ]
}

extension Profile {
  /// Whether documents keep a string of a kind as a text object, too, as versions of the app do; readers
  /// take both alike.
  package func mayBeText(_ property: PropertyName, of kind: EntityKindProfile) -> Bool {
    guard mapping == .frozen, kind.name == "record" else { return false }
    return property == PropertyName(KnownField.comment.bytesOfName)
  }
}

// What is asked about the fields of an entity, and answered for kinds of either mapping.
extension EntityKinds {
  /// Returns the fields that every entity of a kind has, in the order in which they are told.
  package func requiredFields(of kind: EntityKind) -> [[UInt8]] {
    switch mapping {
    case .frozen: kind.fields.filter(\.isRequired).map(\.bytesOfName)
    case .declared: self[kind]?.properties.filter(\.isAlwaysThere).map(\.name.bytes) ?? []
    }
  }

  /// Returns the date of the entities of a kind that says which month a new one is of.
  package func dateOfNewFiles(of kind: EntityKind) -> PropertyName? {
    switch mapping {
    case .frozen: hasMonths(kind) ? PropertyName(KnownField.startTime.bytesOfName) : nil
    case .declared: dateProperty(of: kind)
    }
  }

  /// Returns the fields of a kind in which Null says that there is nothing, as imports write it.
  package func optionalFields(of kind: EntityKind) -> Set<[UInt8]> {
    switch mapping {
    case .frozen: Set(kind.fields.filter { !$0.isRequired }.map(\.bytesOfName))
    case .declared:
      Set(
        self[kind]?.properties.filter { $0.type != .json && !$0.isAlwaysThere }.map(\.name.bytes)
          ?? [])
    }
  }

  /// Returns the fields of a kind that a change writes behind all others, in this order.
  package func lastFields(of kind: EntityKind) -> [[UInt8]] {
    switch mapping {
    case .frozen: kind.fields.map(\.bytesOfName)
    case .declared: []
    }
  }

  /// Whether entities of a kind have lists of images that are joined when objects of one entity are.
  package func joinsImages(of kind: EntityKind) -> Bool {
    switch mapping {
    case .frozen: kind.hasImages
    case .declared: false
    }
  }

  /// Whether imports make lists, maps and texts separately in one object of an entity, where devices
  /// read different ones.
  package var makesContainersApart: Bool {
    switch mapping {
    case .frozen: false
    case .declared: true
    }
  }

  /// Whether only its fields tell the kind of an entity, because a document of any name may hold it.
  package var areToldByFields: Bool {
    switch mapping {
    case .frozen: true
    case .declared: false
    }
  }

  /// Returns the kind of an entity by the fields that it has, where these tell it; nil if it has none
  /// that says so.
  package func kind(havingFields has: ([UInt8]) -> Bool) -> EntityKind? {
    guard areToldByFields else { return nil }
    return all.first { $0.hasImages && has(Array("images".utf8)) }
      ?? all.first { $0.fields.contains { has($0.bytesOfName) } }
  }
}

extension KnownField {
  fileprivate var bytesOfName: [UInt8] { Array(memberName.description.utf8) }
}

extension EntityKind {
  /// The known fields of a kind of the frozen mapping, in the order the convergent import writes them.
  ///
  /// `id` is no field, and the `images` of a record are a list of their own.
  package var fields: [KnownField] {
    switch self {
    case .tag: KnownField.ofTag
    case .record: KnownField.ofRecord
    default: []
    }
  }

  /// Whether entities of a kind of the frozen mapping have a list of image names, which their skeleton
  /// makes.
  package var hasImages: Bool { self == .record }
}

/// A field that the schema of a kind names, besides `id` and a record's `images`.
package enum KnownField: UInt8, CaseIterable, Hashable, Sendable {
  case name, color, createdAt, isArchived
  case startTime, endTime, tagId, comment

  /// The types of value a known field can have besides `null`.
  package enum ValueType: Hashable, Sendable {
    case string, date, boolean
  }

  static let ofTag: [KnownField] = [.name, .color, .createdAt, .isArchived]
  static let ofRecord: [KnownField] = [.startTime, .endTime, .tagId, .comment]

  /// The kind of the entity whose identity the field holds; nil if it holds none.
  package var target: EntityKind? { self == .tagId ? .tag : nil }

  /// The name of the member.
  package var memberName: StaticString {
    switch self {
    case .name: "name"
    case .color: "color"
    case .createdAt: "createdAt"
    case .isArchived: "isArchived"
    case .startTime: "startTime"
    case .endTime: "endTime"
    case .tagId: "tagId"
    case .comment: "comment"
    }
  }

  /// The type of value the schema prescribes.
  package var valueType: ValueType {
    switch self {
    case .name, .color, .tagId, .comment: .string
    case .createdAt, .startTime, .endTime: .date
    case .isArchived: .boolean
    }
  }

  /// Whether an entity without the field is refused.
  package var isRequired: Bool {
    switch self {
    case .name, .color, .createdAt, .startTime: true
    case .isArchived, .endTime, .tagId, .comment: false
    }
  }

  /// The position of the field among those of its kind.
  var slot: Int { Int(rawValue & 3) }
}

/// What the name of an entity's member means.
enum MemberName: Hashable {
  case id
  case field(KnownField)
  /// The image names of an entity.
  case images
  case unknown

  /// Compares by length first: most names are told apart without looking at their bytes.
  init(_ name: Span<UInt8>, of kind: EntityKind) {
    let candidate: MemberName =
      switch (kind, name.count) {
      case (.tag, 2), (.record, 2): .id
      case (.record, 9): .field(.startTime)
      case (.record, 7): name.isEqual(to: "endTime") ? .field(.endTime) : .field(.comment)
      case (.record, 5): .field(.tagId)
      case (.record, 6): .images
      case (.tag, 4): .field(.name)
      case (.tag, 5): .field(.color)
      case (.tag, 9): .field(.createdAt)
      case (.tag, 10): .field(.isArchived)
      default: .unknown
      }
    self = name.isEqual(to: candidate.text) ? candidate : .unknown
  }

  /// The name itself; empty for what is unknown.
  private var text: StaticString {
    switch self {
    case .id: "id"
    case .field(let field): field.memberName
    case .images: "images"
    case .unknown: ""
    }
  }
}
