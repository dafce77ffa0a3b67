import Diagnostics

// From the bytes of a legacy file to entities.
extension EntityBatch {
  /// Reads a legacy file from bytes that are already in memory, such as an archive's.
  ///
  /// Whatever is wrong with them becomes a finding that carries `path`.
  package mutating func load(
    _ bytes: some Sequence<UInt8>, as fileClass: FileClass, path: String,
    rules: EntityRules = EntityRules()
  ) {
    tape.text.removeAll(keepingCapacity: true)
    tape.text.append(contentsOf: bytes)
    load(as: fileClass, path: path, rules: rules)
  }

  /// Reads a legacy file whose bytes are in `tape.text`.
  mutating func load(
    as fileClass: FileClass, path: @autoclosure () -> String, rules: EntityRules
  ) {
    removeAll()
    self.rules = rules
    do {
      try tape.parse()
      if fileClass == .tagsFile { admitTags() } else { admit(.record, at: 0) }
    } catch {
      isComplete = false
      findings.append(
        Finding(
          .damaged, .error, message: error.problem,
          next: "restore the file from a backup or from another device", offset: error.offset))
    }
    if findings.isEmpty { return }
    noteOmittedFindings()
    let path = path()
    for index in findings.indices { findings[index].path = path }
  }

  /// `{"tags":[...]}`, or the bare array that old exports were.
  private mutating func admitTags() {
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
      admit(.tag, at: element, position: position)
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
