import Diagnostics
import SafeFiles

/// A declared kind with what is worked out once for all of its entities, who share it.
final class DeclaredKind: Sendable {
  let kind: EntityKind
  let profile: EntityKindProfile
  /// The bytes of the property that is the identity; nil if none is. A copy, which no other thread counts.
  let identityName: [UInt8]?
  /// What each property refers to.
  let targets: [TargetKind?]
  let home: EntityHome
  let places: ScalarPlaces
  let attachments: [Attachment]
  let checks: [DeclaredCheck]
  /// What each of them asks first.
  let questions: [DeclaredCheck.Question]
  /// The properties that every entity has, by their positions.
  let required: [Int]

  init?(_ kind: EntityKind, of kinds: EntityKinds) {
    guard let profile = kinds[kind], let home = profile.home else { return nil }
    self.kind = kind
    self.profile = profile
    identityName = profile.identity.property.map { $0.bytes.map(\.self) }
    targets = profile.properties.map { kinds.profile.kind(of: $0.type.target) }
    self.home = home
    places = ScalarPlaces(of: profile.properties)
    attachments = profile.allAttachments
    checks = profile.checks.compactMap { DeclaredCheck($0, of: profile.properties) }
    questions = checks.map(\.question)
    required = profile.properties.indices.filter { profile.properties[$0].isAlwaysThere }
  }
}

// Entities of kinds that a profile declares: where they are in a file, and whether they follow the
// rules of convergent-import.md.
extension EntityBatch {
  /// Adds the entities of a file of a declared kind.
  mutating func admitDeclared(_ kind: EntityKind, path: RelativePath) {
    guard let declared = choose(kind) else {
      isComplete = false
      return
    }
    noteOthers(in: 0, at: [], of: declared.home)
    guard let node = value(at: declared.home.content.pointer ?? JSONPointer(), of: declared) else {
      return
    }
    switch declared.home.content {
    case .entity:
      admit(node, of: declared, position: 0, member: nil, path: path)
    case .value:
      // What a clean-up leaves in the place of the entity.
      if tape.kind(of: node) == .null { return }
      admit(node, of: declared, position: 0, member: nil, path: path)
    case .elements:
      guard tape.kind(of: node) == .array else {
        return refuseFile(.wrongType, "is \(describe(node)), expected a list", declared, at: node)
      }
      var element = node + 1
      var position = 0
      while element < tape.node(after: node) {
        admit(element, of: declared, position: position, member: nil, path: path)
        element = tape.node(after: element)
        position += 1
      }
    case .members:
      guard tape.kind(of: node) == .object else {
        return refuseFile(
          .wrongType, "is \(describe(node)), expected an object", declared, at: node)
      }
      var member = node + 1
      var position = 0
      while member < tape.node(after: node) {
        if declared.home.staysInMap(tape.bytes(of: member)) {
          holdsRest = true
        } else {
          admit(member + 1, of: declared, position: position, member: member, path: path)
        }
        member = tape.node(after: member + 1)
        position += 1
      }
    }
  }

  /// Adds the entity of a line of a stream, where the identity stands beside the fields.
  mutating func admitDeclared(_ kind: EntityKind, at node: Int, identity: Identity, idNode: Int) {
    guard let declared = choose(kind), tape.kind(of: node) == .object else {
      return refuseLine(
        .wrongType, "a \(kinds.name(of: kind)) is an object, found \(describe(node))", at: node)
    }
    if let own = declared.identityName, let member = tape.member(own, of: node) {
      return refuseLine(
        .invalidValue,
        "\(DisplayText.escaping(own)) stands in the line as id, not among the fields",
        at: member)
    }
    var entity = LegacyEntity(
      kind: kind, identity: identity, position: 0, node: node, idNode: idNode)
    if admitMembers(of: &entity, declared) {
      entities.append(entity)
    } else {
      refusedCount += 1
      isComplete = false
    }
  }

  /// Reads of a file whose bytes are in `tape.text`, and which is one entity, only who that is and the
  /// month that a date of it says; nil if it holds no entity with an identity.
  ///
  /// What is wrong with the rest is not looked at, and nothing told: who reads all of it is.
  mutating func loadDate(
    as kind: EntityKind, identifiedBy path: RelativePath
  ) -> (identity: Identity, month: Month?)? {
    removeAll()
    defer { removeAll() }
    // As above: damage is told by who reads all of it.
    guard (try? tape.parse()) != nil, let declared = choose(kind) else { return nil }
    let (node, isThere) = value(at: declared.home.content.pointer ?? JSONPointer())
    guard isThere, tape.kind(of: node) == .object,
      let (identity, _) = identity(of: node, declared, member: nil, path: path)
    else { return nil }
    guard case .monthly(_, of: .date(let property), _) = declared.home.document,
      let date = tape.member(property.bytes, of: node), tape.kind(of: date) == .string
    else { return (identity, nil) }
    return (identity, tape.moment(at: date).map { Month(milliseconds: $0.milliseconds) })
  }

  private mutating func choose(_ kind: EntityKind) -> DeclaredKind? {
    if declared?.kind != kind { declared = DeclaredKind(kind, of: kinds) }
    return declared
  }

  // MARK: Files

  /// Returns the value that a pointer names, after a finding if there is none.
  private mutating func value(at pointer: JSONPointer, of declared: DeclaredKind) -> Int? {
    let (node, isThere) = value(at: pointer)
    if !isThere { refuseFile(.missingField, "is not there", declared, at: node) }
    return isThere ? node : nil
  }

  /// Returns the value that a pointer names, or the last one on the way to it that is there.
  func value(at pointer: JSONPointer) -> (node: Int, isThere: Bool) {
    var node = 0
    for token in pointer.tokens {
      guard tape.kind(of: node) == .object, let value = tape.member(token, of: node) else {
        return (node, false)
      }
      node = value
    }
    return (node, true)
  }

  private mutating func refuseFile(
    _ code: Finding.Code, _ problem: String, _ declared: DeclaredKind, at node: Int
  ) {
    isComplete = false
    let place = declared.home.content.pointer.map { DisplayText.escaping($0.text) } ?? ""
    let what = place.isEmpty ? "the file" : "\"\(place)\""
    note(
      code, .error, "\(what), where entities of kind \(declared.profile.name) are, \(problem)",
      at: node, next: "correct the file, or the profile if it is not about this file")
  }

  /// Notes what a file holds besides its entities; what the profile does not expect there is told.
  private mutating func noteOthers(in node: Int, at place: [[UInt8]], of home: EntityHome) {
    guard let pointer = home.content.pointer, pointer.tokens != place,
      tape.kind(of: node) == .object
    else { return }
    var member = node + 1
    while member < tape.node(after: node) {
      let inner = place + [tape.bytes(of: member)]
      let isWay =
        pointer.tokens.starts(with: inner) || home.stays.contains { $0.tokens.starts(with: inner) }
      if isWay {
        if home.stays.contains(where: { $0.tokens == inner }) {
          holdsRest = true
        } else {
          noteOthers(in: member + 1, at: inner, of: home)
        }
      } else {
        holdsRest = true
        note(
          .unknownMember, .warning,
          "the member \"\(tape.displayedString(at: member))\" is not imported", at: member,
          next: "it stays in the file")
      }
      member = tape.node(after: member + 1)
    }
  }

  // MARK: Entities

  private mutating func admit(
    _ node: Int, of declared: DeclaredKind, position: Int, member: Int?, path: RelativePath
  ) {
    let firstFinding = findings.count
    if let entity = validated(
      node, of: declared, position: position, member: member, path: path)
    {
      entities.append(entity)
    } else {
      refusedCount += 1
      isComplete = false
    }
    switch declared.home.content {
    case .entity, .value: return
    case .elements, .members: break
    }
    let name = member.map { "\"\(tape.displayedString(at: $0))\"" } ?? "\(position + 1)"
    for index in findings.indices[min(firstFinding, findings.count)...] {
      findings[index].message = "\(declared.profile.name) \(name): \(findings[index].message)"
    }
  }

  private mutating func validated(
    _ node: Int, of declared: DeclaredKind, position: Int, member: Int?, path: RelativePath
  ) -> LegacyEntity? {
    guard tape.kind(of: node) == .object else {
      refuse(
        .wrongType, "a \(declared.profile.name) is an object, found \(describe(node))", at: node)
      return nil
    }
    guard let (identity, idNode) = identity(of: node, declared, member: member, path: path) else {
      return nil
    }
    var entity = LegacyEntity(
      kind: declared.kind, identity: identity, position: position, node: node, idNode: idNode)
    return admitMembers(of: &entity, declared) ? entity : nil
  }

  private mutating func identity(
    of node: Int, _ declared: DeclaredKind, member: Int?, path: RelativePath
  ) -> (Identity, node: Int)? {
    let kind = declared.kind
    switch declared.profile.identity {
    case .singleton:
      let text = IdentityRule.singletonBytes
      return kinds.identity(text.span, of: kind).map { ($0, node) }
    case .row:
      refuse(.invalidValue, "a row has its identity from a store", at: node)
    case .file:
      let text = path.identity
      return kinds.identity(text.span, of: kind).map { ($0, node) }
    case .member:
      if let member, let found = identity(at: member, of: kind) { return (found, member) }
      refuse(.invalidValue, "its name in the map is empty", at: node)
    case .uuid(let name), .string(let name):
      guard let value = tape.member(name.bytes, of: node) else {
        refuse(.missingField, "\(DisplayText.escaping(name.bytes)) is missing", at: node)
        return nil
      }
      guard tape.kind(of: value) == .string else {
        refuse(
          .wrongType,
          "\(DisplayText.escaping(name.bytes)) is \(describe(value)), expected an identity",
          at: value)
        return nil
      }
      if let found = identity(at: value, of: kind) { return (found, value) }
      let what = tape.range(of: value).isEmpty ? "empty" : kinds.lack(of: kind)
      refuse(
        .invalidValue,
        "\(DisplayText.escaping(name.bytes)) is \(what): \"\(tape.displayedString(at: value))\"",
        at: value)
    }
    return nil
  }

  private func identity(at node: Int, of kind: EntityKind) -> Identity? {
    kinds.identity(tape.text.span.extracting(tape.range(of: node)), of: kind)
  }
}
