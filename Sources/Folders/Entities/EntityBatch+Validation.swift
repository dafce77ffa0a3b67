import Diagnostics

// The rules of an entity. Nothing is repaired and nothing invented: what does not follow them is
// refused with a finding that says why and where, and stays in its file.
extension EntityBatch {
  /// How many findings of one file are listed one by one.
  static let listedFindings = 1000

  /// Where the identity of an entity stands.
  enum IdentitySource {
    /// In the member `id` of the entity itself.
    case member
    /// Beside the fields, in a line of a stream.
    case line(Identity, node: Int)
  }

  /// Adds the entity at `node` if it follows every rule, else a finding for each broken one.
  mutating func admit(
    _ kind: EntityKind, at node: Int, position: Int = 0, identity source: IdentitySource = .member
  ) {
    let findingsBefore = findings.count
    if let entity = validated(kind, at: node, position: position, identity: source) {
      entities.append(entity)
    } else {
      refusedCount += 1
      isComplete = false
    }
    guard findings.count > findingsBefore, case .member = source,
      !kinds.isOneEntity(fileOf: kind)
    else { return }
    for index in findingsBefore..<findings.count {
      findings[index].message =
        "\(kinds.name(of: kind)) \(position + 1): " + findings[index].message
    }
  }

  /// Adds the value of a root key that is no entity, if every number in it can be held.
  mutating func admitOther(at node: Int, idNode: Int) {
    var entity = LegacyEntity(
      kind: .other, identity: Identity(high: 0, low: 0), position: 0, node: node, idNode: idNode)
    if admitUnknown(idNode, value: node, to: &entity) {
      entities.append(entity)
    } else {
      refusedCount += 1
      isComplete = false
    }
  }

  /// Refuses the entity of a stream's line for something outside its fields.
  mutating func refuseLine(_ code: Finding.Code, _ message: String, at node: Int) {
    refuse(code, message, at: node)
    refusedCount += 1
    isComplete = false
  }

  private mutating func validated(
    _ kind: EntityKind, at node: Int, position: Int, identity source: IdentitySource
  ) -> LegacyEntity? {
    guard tape.kind(of: node) == .object else {
      refuse(
        .wrongType, "a \(kinds.name(of: kind)) is an object, found \(describe(node))", at: node)
      return nil
    }
    guard let (identity, idNode) = identity(of: node, source) else { return nil }
    var entity = LegacyEntity(
      kind: kind, identity: identity, position: position, node: node, idNode: idNode)
    var isValid = true
    let end = tape.node(after: node)
    var member = node + 1
    while member < end {
      let value = member + 1
      switch MemberName(tape.text.span.extracting(tape.range(of: member)), of: kind) {
      case .id: break
      case .field(let field): isValid = admitField(field, value, to: &entity) && isValid
      case .images: isValid = admitImages(value, to: &entity) && isValid
      case .unknown: isValid = admitUnknown(member, value: value, to: &entity) && isValid
      }
      member = tape.node(after: value)
    }
    for field in kind.fields where field.isRequired && entity.node(of: field) == nil {
      refuse(.missingField, "\(field.memberName) is missing", at: node)
      isValid = false
    }
    if isValid { noteCuriosities(of: entity) }
    return isValid ? entity : nil
  }

  private mutating func identity(
    of node: Int, _ source: IdentitySource
  ) -> (Identity, node: Int)? {
    let member = tape.member("id", of: node)
    switch source {
    case .line(let identity, let idNode):
      guard let member else { return (identity, idNode) }
      refuse(.invalidValue, "id stands in the line, not among the fields", at: member)
      return nil
    case .member:
      guard let member else {
        refuse(.missingField, "id is missing", at: node)
        return nil
      }
      guard tape.kind(of: member) == .string else {
        refuse(.wrongType, "id is \(describe(member)), expected a UUID", at: member)
        return nil
      }
      guard let identity = tape.identity(at: member) else {
        refuse(.invalidValue, "id is no UUID: \"\(tape.displayedString(at: member))\"", at: member)
        return nil
      }
      return (identity, member)
    }
  }

  // MARK: Fields

  private mutating func admitField(
    _ field: KnownField, _ node: Int, to entity: inout LegacyEntity
  ) -> Bool {
    let found = tape.kind(of: node)
    entity.setNode(node, of: field)
    if found == .null {
      if !field.isRequired, streamType(of: node) == nil { return true }
      refuse(.missingField, "\(field.memberName) is null", at: node)
      return false
    }
    switch field.valueType {
    case .date: return admitDate(field, node, to: &entity)
    case .boolean where found == .true || found == .false: break
    case .string where found == .string: break
    case .boolean, .string:
      let expected = field.valueType == .string ? "a string" : "true or false"
      refuse(.wrongType, "\(field.memberName) is \(describe(node)), expected \(expected)", at: node)
      return false
    }
    guard let type = streamType(of: node), type != .text || field.valueType != .string else {
      return true
    }
    refuse(.wrongType, "\(field.memberName) cannot be of type \(type.name)", at: node)
    return false
  }

  private mutating func admitDate(
    _ field: KnownField, _ node: Int, to entity: inout LegacyEntity
  ) -> Bool {
    if let type = streamType(of: node) {
      guard type == .timestamp, case .timestamp(let milliseconds)? = value(of: node) else {
        refuse(.wrongType, "\(field.memberName) cannot be of type \(type.name)", at: node)
        return false
      }
      entity.setMilliseconds(milliseconds, of: field)
      return true
    }
    let moment: RFC3339?
    switch tape.kind(of: node) {
    case .string: moment = tape.moment(at: node)
    case .number:
      guard let numericDates = rules.numericDates else {
        refuse(
          .numericDate, "\(field.memberName) is a number, and nothing says since when it counts",
          at: node, next: "say so with --numeric-dates reference, unix or unix-ms")
        return false
      }
      moment = tape.moment(at: node, counting: numericDates)
    default:
      refuse(.wrongType, "\(field.memberName) is \(describe(node)), expected a date", at: node)
      return false
    }
    guard let moment else {
      refuse(
        .invalidValue,
        "\(field.memberName) is no RFC 3339 date: \"\(tape.displayedString(at: node))\"", at: node)
      return false
    }
    entity.setMilliseconds(moment.milliseconds, of: field)
    if moment.isPrecisionReduced {
      note(
        .precisionReduced, .info,
        "\(field.memberName) is rounded to milliseconds: \(tape.displayedString(at: node))",
        at: node)
    }
    return true
  }

  private mutating func admitImages(_ node: Int, to entity: inout LegacyEntity) -> Bool {
    if tape.kind(of: node) == .null { return true }
    guard tape.kind(of: node) == .array else {
      refuse(.wrongType, "images is \(describe(node)), expected a list", at: node)
      return false
    }
    var element = node + 1
    while element < tape.node(after: node) {
      guard tape.kind(of: element) == .string else {
        refuse(.wrongType, "images holds \(describe(element)), expected file names", at: element)
        return false
      }
      if let type = streamType(of: element) {
        refuse(.wrongType, "an image name cannot be of type \(type.name)", at: element)
        return false
      }
      element = tape.node(after: element)
    }
    entity.imagesNode = node
    return true
  }

  private mutating func admitUnknown(
    _ name: Int, value: Int, to entity: inout LegacyEntity
  ) -> Bool {
    entity.unknownMemberCount += 1
    return holdsValues(value, named: name)
  }

  /// Whether everything in a value has an Automerge type that holds it, and the type that a stream
  /// names; else it is refused.
  mutating func holdsValues(_ value: Int, named name: Int) -> Bool {
    for node in value..<tape.node(after: value) {
      guard tape.kind(of: node) == .number || !types.isEmpty, self.value(of: node) == nil else {
        continue
      }
      let field = tape.displayedString(at: name)
      if let type = streamType(of: node) {
        refuse(.wrongType, "\(describe(node)) in \(field) cannot be of type \(type.name)", at: node)
      } else {
        refuse(
          .numberNotRepresentable,
          "a number in \(field) has no exact Automerge form: \(tape.displayedString(at: node))",
          at: node)
      }
      return false
    }
    return true
  }

  // MARK: Findings

  /// Notes what is unusual but valid; it is carried as it is.
  private mutating func noteCuriosities(of entity: LegacyEntity) {
    switch entity.kind.fields.first {
    case .name:
      if let name = entity.node(of: .name), isBlank(name) {
        note(.invalidValue, .warning, "name is blank", at: name)
      }
      if let color = entity.node(of: .color), !isColor(color) {
        note(
          .invalidValue, .warning,
          "color is \"\(tape.displayedString(at: color))\", expected #RRGGBB", at: color)
      }
      if let created = entity.node(of: .createdAt) {
        noteUnusualYear(.createdAt, entity.milliseconds(of: .createdAt), at: created)
      }
    case .startTime:
      guard let start = entity.node(of: .startTime) else { return }
      noteUnusualYear(.startTime, entity.milliseconds(of: .startTime), at: start)
      guard let end = entity.node(of: .endTime), tape.kind(of: end) != .null else { return }
      noteUnusualYear(.endTime, entity.milliseconds(of: .endTime), at: end)
      if entity.milliseconds(of: .endTime) < entity.milliseconds(of: .startTime) {
        note(.endBeforeStart, .warning, "endTime lies before startTime", at: end)
      }
    default: break
    }
  }

  /// 1970 and 9999 are what a clock that was not set, or "never", looks like.
  private mutating func noteUnusualYear(_ field: KnownField, _ milliseconds: Int64, at node: Int) {
    let year: Int64 = 365 * 86_400_000
    let isAhead = rules.now.map { milliseconds > $0 } ?? false
    if milliseconds < year || milliseconds >= 253_370_764_800_000 || isAhead {
      let moment = RFC3339(milliseconds: milliseconds)
      note(.invalidValue, .warning, "\(field.memberName) is unusual: \(moment)", at: node)
    }
  }

  private func isBlank(_ node: Int) -> Bool {
    String(decoding: tape.bytes(of: node), as: UTF8.self).allSatisfy(\.isWhitespace)
  }

  private func isColor(_ node: Int) -> Bool {
    let text = tape.text[tape.range(of: node)]
    return text.count == 7 && text.first == UInt8(ascii: "#")
      && text.dropFirst().allSatisfy { HexDigit.value(of: $0) != nil }
  }

  func describe(_ node: Int) -> String {
    switch tape.kind(of: node) {
    case .null: "null"
    case .true, .false: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// - Parameter next: what a person can do; nil for what they can do about any entity.
  mutating func refuse(
    _ code: Finding.Code, _ message: String, at node: Int, next: String? = nil
  ) {
    note(code, .error, message, at: node, next: next ?? advice)
  }

  mutating func note(
    _ code: Finding.Code, _ severity: Severity, _ message: String, at node: Int,
    next: String? = nil
  ) {
    guard findings.count < Self.listedFindings else {
      omitted.count += 1
      omitted.severity = max(omitted.severity, severity)
      return
    }
    findings.append(
      Finding(code, severity, message: message, next: next, offset: tape.offset(of: node)))
  }

  /// Says how many findings were left out, so that a file of millions of mistakes costs no memory.
  mutating func noteOmittedFindings() {
    if omitted.count == 0 { return }
    findings.append(
      Finding(
        .invalidValue, omitted.severity,
        message: omitted.count.counted("more finding") + " in this file"))
  }
}
