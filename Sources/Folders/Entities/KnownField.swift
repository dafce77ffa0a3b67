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
