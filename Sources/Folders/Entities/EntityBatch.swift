package import Diagnostics
package import SafeFiles

/// What a reader of entities is told about the user's data.
package struct EntityRules: Hashable, Sendable {
  /// What a date given as a number means; `nil` refuses entities that have one.
  package var numericDates: NumericDates?
  /// The present in milliseconds since 1970, to find times that lie ahead; `nil` does not look.
  package var now: Int64?

  /// Creates rules; by default numbers are no dates and no time lies ahead.
  package init(numericDates: NumericDates? = nil, now: Int64? = nil) {
    self.numericDates = numericDates
    self.now = now
  }
}

/// The entities of one legacy file or of one line of a stream, with the tape they lie on.
///
/// Both readers fill a batch, so that whoever uses entities need not care where they came from. A
/// batch is meant to be reused; its content is valid until the reader reads something else.
package struct EntityBatch: Sendable {
  /// The values the entities' nodes are indexes of.
  package internal(set) var tape = JSONTape()
  /// The valid entities, in the order of the source.
  package internal(set) var entities: [LegacyEntity] = []
  /// What was found, in the order of the source.
  package internal(set) var findings: [Finding] = []
  /// How many entities were refused, each with a finding of severity error.
  package internal(set) var refusedCount = 0
  /// Whether `entities` is everything the source holds: nothing refused, nothing left out.
  ///
  /// A file for which this is `false` is never cleaned up.
  package internal(set) var isComplete = true
  /// Whether a file of a declared kind holds something besides its entities, which stays in it when
  /// these are out.
  package internal(set) var holdsRest = false

  /// The `types` object of a stream's line.
  package internal(set) var typesNode: Int?

  /// The types that a stream names.
  package internal(set) var types = StreamTypes()
  /// The findings that were too many to list.
  var omitted: (count: Int, severity: Severity) = (0, .info)
  var rules = EntityRules()
  /// What a person can do about an entity that is refused.
  var advice = "correct the file; until then the entity stays there and is not imported"
  /// What kinds of entity there are.
  package let kinds: EntityKinds
  /// The declared kind that was read last.
  var declared: DeclaredKind?
  /// The value of each of its properties; kept for its storage.
  var values: [UInt32] = []

  /// Creates an empty batch.
  package init(kinds: EntityKinds = .minuta) { self.kinds = kinds }

  /// Returns what an entity is called in messages, such as `record 1F3C...`.
  package func title(of entity: LegacyEntity) -> String {
    kinds.title(entity.kind, entity.identity)
  }

  /// Returns how many entities a file of a kind holds, those included that were refused; one that cannot
  /// be read at all stands for one, if it holds one.
  package func entityCount(of kind: EntityKind) -> Int {
    let count = entities.count + refusedCount
    return count == 0 && kinds.isOneEntity(fileOf: kind) ? 1 : count
  }

  mutating func removeAll() {
    entities.removeAll(keepingCapacity: true)
    findings.removeAll(keepingCapacity: true)
    types.removeAll()
    typesNode = nil
    omitted = (0, .info)
    refusedCount = 0
    isComplete = true
    holdsRest = false
  }

  /// Returns the type a stream names for a value, `nil` if it has the type its JSON shows.
  package func streamType(of node: Int) -> StreamType? { types[node] }

  /// Returns the Automerge value of a value inside an unknown field, of an image name or of a
  /// known field that holds a string.
  ///
  /// Returns `nil` for a number that no type holds exactly and for a value that does not have the
  /// type the stream names; a valid entity has neither.
  package func value(of node: Int) -> FieldValue? {
    if let type = types[node] { return type.value(of: node, on: tape) }
    switch tape.kind(of: node) {
    case .null: return .null
    case .false: return .boolean(false)
    case .true: return .boolean(true)
    case .string: return .string
    case .array: return .list
    case .object: return .map
    case .number:
      switch tape.number(at: node) {
      case .int(let value): return .int(value)
      case .uint(let value): return .uint(value)
      case .double(let value): return .double(value)
      case .notRepresentable: return nil
      }
    }
  }

  /// Appends the name nodes of an entity's unknown members, ascending by the bytes of the names.
  ///
  /// The value of a member is the node after its name; nested objects are walked with
  /// `JSONTape.appendSortedMembers(of:to:)`.
  package func appendUnknownMembers(of entity: LegacyEntity, to names: inout [UInt32]) {
    if entity.unknownMemberCount == 0 { return }
    let base = names.count
    tape.appendSortedMembers(of: entity.node, to: &names)
    var kept = base
    for index in base..<names.count where isUnknown(Int(names[index]), of: entity) {
      names[kept] = names[index]
      kept += 1
    }
    names.removeLast(names.count - kept)
  }

  private func memberName(_ name: Int, of entity: LegacyEntity) -> MemberName {
    MemberName(tape.text.span.extracting(tape.range(of: name)), of: entity.kind)
  }

  private func isUnknown(_ name: Int, of entity: LegacyEntity) -> Bool {
    switch kinds.mapping {
    case .frozen: return memberName(name, of: entity) == .unknown
    case .declared:
      guard let declared, name + 1 != entity.idNode else { return false }
      return property(named: name, in: declared.profile.properties) == nil
    }
  }

  /// Whether a member says who an entity is, and nothing else of it.
  func isIdentity(_ name: Int, of entity: LegacyEntity) -> Bool {
    switch kinds.mapping {
    case .frozen: memberName(name, of: entity) == .id
    case .declared: name + 1 == entity.idNode
    }
  }

  /// Returns the date of a member whose value is a number, where the mapping has such dates.
  func numericDate(_ name: Int, of entity: LegacyEntity) -> RFC3339? {
    guard tape.kind(of: name + 1) == .number, case .frozen = kinds.mapping,
      case .field(let field) = memberName(name, of: entity),
      field.valueType == .date, streamType(of: name + 1) == nil
    else { return nil }
    return RFC3339(milliseconds: entity.milliseconds(of: field))
  }

  /// Returns the moment that a value of a declared kind says, in milliseconds since 1970; nil if it is no
  /// date, of which whoever reads the entity tells.
  func date(at node: Int) -> Int64? {
    if types.isEmpty, tape.kind(of: node) == .string { return tape.moment(at: node)?.milliseconds }
    // What is no value at all is told likewise.
    guard
      case .scalar(.timestamp(let milliseconds)) = try? DeclaredValue(
        node, as: .date, on: tape, types, to: nil)
    else { return nil }
    return milliseconds
  }

  /// Adds the entity of a line of a stream, where the identity stands beside the fields.
  mutating func admitLine(_ kind: EntityKind, at node: Int, identity: Identity, idNode: Int) {
    switch kinds.mapping {
    case .frozen: admit(kind, at: node, identity: .line(identity, node: idNode))
    case .declared: admitDeclared(kind, at: node, identity: identity, idNode: idNode)
    }
  }

  /// Returns how many files an entity names that lie beside the data, such as the images of a record.
  package func attachedNameCount(of entity: LegacyEntity) -> Int {
    switch kinds.mapping {
    case .frozen: entity.imagesNode.map { tape.childCount(of: $0) } ?? 0
    case .declared: attachments(of: entity).reduce(0) { $0 + $1.names.count }
    }
  }

  /// Returns the places where files may lie that an entity of a declared kind names.
  ///
  /// - Parameter month: the month of the entity, for directories that have one for each.
  package func attachedPaths(of entity: LegacyEntity, month: Month?) -> [RelativePath] {
    attachments(of: entity).flatMap { directories, names in
      names.compactMap { FileName($0) }.flatMap { name in
        directories.compactMap { $0.path(in: month)?.appending(name) }
      }
    }
  }

  /// The names that an entity has for files, and the directories to look in.
  private func attachments(
    of entity: LegacyEntity
  ) -> [(directories: [PathTemplate], names: [[UInt8]])] {
    guard let declared, !declared.attachments.isEmpty else { return [] }
    return declared.attachments.map { attachment in
      var names: [[UInt8]] = []
      if let value = tape.member(attachment.property.bytes, of: entity.node) {
        let isList = tape.kind(of: value) == .array
        var node = isList ? value + 1 : value
        while node < tape.node(after: value) {
          if tape.kind(of: node) == .string,
            let name = attachment.fileName(of: tape.bytes(of: node))
          {
            names.append(name)
          }
          node = tape.node(after: node)
        }
        if !isList, tape.kind(of: value) != .string { names = [] }
      }
      return (attachment.directories, names)
    }
  }
}

// From the bytes of a legacy file to entities.
extension EntityBatch {
  /// Reads a legacy file from bytes that are already in memory, such as an archive's.
  ///
  /// Whatever is wrong with them becomes a finding that carries `path`.
  ///
  /// - Parameter identityPath: the path that is the identity where a path is one; by default `path`.
  package mutating func load(
    _ bytes: some Sequence<UInt8>, as kind: EntityKind, path: RelativePath,
    identifiedBy identityPath: RelativePath? = nil, rules: EntityRules = EntityRules()
  ) {
    tape.text.removeAll(keepingCapacity: true)
    tape.text.append(contentsOf: bytes)
    load(as: kind, identifiedBy: identityPath ?? path, rules: rules)
    if !findings.isEmpty { name(findingsBy: path) }
  }

  /// Reads a legacy file whose bytes are in `tape.text`. Findings get no path yet.
  ///
  /// - Parameter identityPath: looked at only where a path is the identity.
  mutating func load(
    as kind: EntityKind, identifiedBy identityPath: RelativePath, rules: EntityRules
  ) {
    removeAll()
    self.rules = rules
    do {
      try tape.parse()
      switch kinds.mapping {
      case .frozen: admitFile(of: kind)
      case .declared: admitDeclared(kind, path: identityPath)
      }
    } catch {
      isComplete = false
      findings.append(
        Finding(
          .damaged, .error, message: error.problem,
          next: "restore the file from a backup or from another device", offset: error.offset))
    }
    noteOmittedFindings()
  }

  /// Says of all findings which file they are about.
  mutating func name(findingsBy path: RelativePath) {
    let shownPath = path.description
    for index in findings.indices { findings[index].path = shownPath }
  }
}
