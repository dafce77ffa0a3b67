import Diagnostics

// Files of the frozen mapping: one holds the tags, each other one record.
extension EntityBatch {
  /// Adds the entities of a file.
  mutating func admitFile(of kind: EntityKind) {
    guard let facts = kinds.facts(about: kind) else {
      isComplete = false
      return
    }
    if facts.isOneEntity { admit(kind, at: 0) } else { admitList(of: kind) }
  }

  /// `{"tags":[...]}`, or the bare array that old exports were.
  private mutating func admitList(of kind: EntityKind) {
    var list = 0
    switch tape.kind(of: 0) {
    case .array:
      findings.append(
        Finding(.bareTagArray, .warning, message: "is a bare array, expected {\"tags\":[...]}"))
    case .object:
      noteOtherMembers()
      guard let tags = tape.member("tags", of: 0) else {
        return refuseTagsFile(.missingField, "the member \"tags\" is missing", at: 0)
      }
      guard tape.kind(of: tags) == .array else {
        return refuseTagsFile(.wrongType, "the member \"tags\" is no list", at: tags)
      }
      list = tags
    default:
      return refuseTagsFile(.wrongType, "is neither an object nor a list", at: 0)
    }
    var element = list + 1
    var position = 0
    while element < tape.node(after: list) {
      admit(kind, at: element, position: position)
      element = tape.node(after: element)
      position += 1
    }
  }

  private mutating func noteOtherMembers() {
    var member = 1
    while member < tape.node(after: 0) {
      if !tape.isEqual(member, to: "tags".utf8) {
        isComplete = false
        findings.append(
          Finding(
            .unknownMember, .warning,
            message: "the member \"\(tape.displayedString(at: member))\" is not imported",
            next: "the file stays where it is", offset: tape.offset(of: member)))
      }
      member = tape.node(after: member + 1)
    }
  }

  private mutating func refuseTagsFile(_ code: Finding.Code, _ message: String, at node: Int) {
    isComplete = false
    findings.append(
      Finding(
        code, .error, message: message, next: "restore the file from a backup",
        offset: tape.offset(of: node)))
  }
}
