/// What the name of an entity's member means.
enum MemberName: Hashable {
  case id
  case field(KnownField)
  /// The image names of a record.
  case images
  case unknown

  /// Compares by length first: most names are told apart without looking at their bytes.
  init(_ node: Int, on tape: JSONTape, kind: EntityKind) {
    func isName(_ name: StaticString) -> Bool {
      tape.isEqual(node, to: name.description.utf8)
    }
    func field(_ field: KnownField) -> MemberName {
      isName(field.memberName) ? .field(field) : .unknown
    }
    let length = tape.range(of: node).count
    self =
      switch (kind, length) {
      case (.other, _): .unknown
      case (_, 2): isName("id") ? .id : .unknown
      case (.record, 9): field(.startTime)
      case (.record, 7): isName("endTime") ? .field(.endTime) : field(.comment)
      case (.record, 5): field(.tagId)
      case (.record, 6): isName("images") ? .images : .unknown
      case (.tag, 4): field(.name)
      case (.tag, 5): field(.color)
      case (.tag, 9): field(.createdAt)
      case (.tag, 10): field(.isArchived)
      default: .unknown
      }
  }
}
