import Diagnostics

/// Who the entity of a line is and where it belongs, before anybody looks at its fields.
package struct LocatedLine: Sendable {
  // There is one for each entity of a stream: in this order they take no more room than they have to.
  package let identity: Identity
  /// Where it belongs.
  package let place: EntityPlace
  /// Where the line begins in its stream.
  let offset: Int
  /// Its number, counted from 1; the greatest there is for all behind that.
  let number: UInt32
  /// The month whose document it belongs to, if it has one.
  package var month: Month?
  package let kind: EntityKind
}

extension LocatedLine {
  /// An entity whose line is in no stream that anybody sees, for whoever writes one to read it.
  package init(
    _ kind: EntityKind, _ identity: Identity, at place: EntityPlace = .common, month: Month? = nil
  ) {
    self.init(
      identity: identity, place: place, offset: 0, number: 1, month: month, kind: kind)
  }
}

/// Reads the entities of an interchange stream, each from its line.
///
/// An entity that breaks a rule is refused with findings, as in a legacy file.
package struct InterchangeLineReader {
  /// One more than for a file: the fields of an entity lie one level deeper here.
  private static let depthLimit = JSONTape.standardDepth + 1

  /// The entity of the last line, if it was not refused, and what was found about it.
  package internal(set) var batch: EntityBatch
  /// What the entity of the last line is.
  package private(set) var kind = EntityKind.other
  /// Where it belongs.
  package private(set) var place = EntityPlace.common
  /// Who it is, if its fields were not looked at.
  package private(set) var located: LocatedLine?
  private var members = Members()
  /// What the last entity lay in; nil if it was in none.
  private var container: PlaceContainer?

  /// What messages call the stream.
  let name: String
  /// Whether the lines are of rows of a store: messages name an entity by its place then, because nobody
  /// sees the lines.
  private let namesPlaces: Bool
  /// Where the last line begins in the stream, and its number, counted from 1.
  var (number, offset) = (0, 0)
  private var kinds: EntityKinds { batch.kinds }

  /// Creates a reader of lines of a stream of a profile.
  package init(
    _ name: String, of kinds: EntityKinds, rules: EntityRules, namesPlaces: Bool = false
  ) {
    self.name = name
    self.namesPlaces = namesPlaces
    batch = EntityBatch(kinds: kinds)
    batch.rules = rules
    // Nobody can write to a store but its app.
    if namesPlaces {
      batch.advice =
        "correct it in the app; until then the row stays in the store, which pack-backup keeps whole, "
        + "and is not imported"
    }
  }

  /// Reads the entity of a line again of which is known who it is.
  ///
  /// - Parameter fill: puts the line into an array that is empty.
  package mutating func read(
    _ known: LocatedLine, _ fill: (inout [UInt8]) throws(FolderError) -> Void
  ) throws(FolderError) {
    batch.removeAll()
    (number, offset) = (Int(known.number), known.offset)
    try fill(&batch.tape.text)
    try parse()
    readMembers()
    let (idNode, fields) = (try string(members.id, "id"), try fieldsNode())
    (kind, place) = (known.kind, known.place)
    try readTypes(below: fields)
    noteOtherMembers()
    admit(known.identity, of: kind, fields, idNode)
    nameFindings()
  }

  /// Reads who the entity of a line is that is in no stream that anybody sees, as
  /// `InterchangeReader.locateNext()` does.
  package mutating func locate(_ line: ArraySlice<UInt8>) throws(FolderError) {
    batch.removeAll()
    batch.tape.text.removeAll(keepingCapacity: true)
    batch.tape.text.append(contentsOf: line)
    try parse()
    try locateEntity()
  }

  /// The line that was read last, as it came.
  package var line: ArraySlice<UInt8> { batch.tape.text[..<batch.tape.sourceByteCount] }

  /// Where the fields of the line are that was read last, and its types if it has any.
  var fieldNodes: (fields: Int, types: Int?) { (members.fields ?? 0, members.types) }

  /// Parses the line whose bytes are in the batch.
  mutating func parse() throws(FolderError) {
    do { try batch.tape.parse(depthLimit: Self.depthLimit) } catch {
      throw damaged(.json(error.fact, problem: error.problem), at: error.offset)
    }
    guard batch.tape.kind(of: 0) == .object else { throw damaged(.wrongMember("the line")) }
  }

  /// Reads the entity of the line that was parsed.
  mutating func readEntity() throws(FolderError) {
    let (idNode, fields) = try locate()
    noteOtherMembers()
    admitEntity(kind, fields, idNode)
    nameFindings()
  }

  /// Reads who the entity of the line is that was parsed, and its month; of what is no entity, or has
  /// no identity, all that `readEntity` does.
  mutating func locateEntity() throws(FolderError) {
    located = nil
    let (idNode, fields) = try locate()
    guard kind != .other, let identity = identity(at: idNode, of: kind) else {
      noteOtherMembers()
      admitEntity(kind, fields, idNode)
      return nameFindings()
    }
    located = LocatedLine(
      identity: identity, place: place, offset: offset, number: UInt32(clamping: number),
      month: kinds.isDated(kind) ? month(of: fields) : place.month, kind: kind)
  }

  /// Reads what the entity of the line is and where it belongs, and the types of its values.
  private mutating func locate() throws(FolderError) -> (idNode: Int, fields: Int) {
    readMembers()
    let kindNode = try string(members.kind, "kind")
    let idNode = try string(members.id, "id")
    let placeNode = try string(members.place, "place")
    let fields = try fieldsNode()
    guard let kind = kind(at: kindNode) else {
      throw damaged(
        .unknownKind(batch.tape.displayedString(at: kindNode), expected: kinds.names),
        at: batch.tape.offset(of: kindNode))
    }
    self.kind = kind
    place = try place(at: placeNode, of: kind)
    try checkIdentity(at: idNode, kind)
    try readTypes(below: fields)
    return (idNode, fields)
  }

  /// The month that the entity's own date says.
  private func month(of fields: Int) -> Month? {
    guard let date = kinds.facts(about: kind)?.date, batch.tape.kind(of: fields) == .object,
      let node = batch.tape.member(date.bytes, of: fields), batch.tape.kind(of: node) != .null,
      let milliseconds = batch.date(at: node)
    else { return nil }
    return Month(milliseconds: milliseconds)
  }

  private mutating func nameFindings() {
    for index in batch.findings.indices {
      batch.findings[index].path = name
      batch.findings[index].message = shownPlace + ": " + batch.findings[index].message
      batch.findings[index].offset =
        namesPlaces ? nil : batch.findings[index].offset.map { offset + $0 }
    }
  }

  /// What messages call the last line.
  private var shownPlace: String {
    guard namesPlaces else { return "line \(number)" }
    var bytes: [UInt8] = []
    place.append(to: &bytes)
    return DisplayText.escaping(bytes)
  }

  private func kind(at node: Int) -> EntityKind? {
    if batch.tape.isEqual(node, to: "other".utf8) { return .other }
    return batch.kinds.kind(named: batch.tape.text.span.extracting(batch.tape.range(of: node)))
  }

  private mutating func admitEntity(_ kind: EntityKind, _ fields: Int, _ idNode: Int) {
    if kind == .other { return batch.admitOther(at: fields, idNode: idNode) }
    guard let identity = identity(at: idNode, of: kind) else {
      if batch.tape.range(of: idNode).isEmpty, batch.tape.kind(of: fields) == .object,
        let own = kinds.facts(about: kind)?.identity.property,
        let member = batch.tape.member(own.bytes, of: fields)
      {
        let isBytes = batch.types[member] == .bytes
        return batch.refuseLine(
          .invalidValue,
          "\(DisplayText.escaping(own.bytes)) is no \(kinds.isUUID(kind) ? "UUID" : "text")"
            + "\(isBytes ? ", but bytes" : ""): "
            + "\"\(batch.tape.displayedString(at: member))\"", at: member)
      }
      return batch.refuseLine(
        .invalidValue,
        "id is \(kinds.lack(of: kind)): \"\(batch.tape.displayedString(at: idNode))\"", at: idNode)
    }
    admit(identity, of: kind, fields, idNode)
  }

  private mutating func admit(
    _ identity: Identity, of kind: EntityKind, _ fields: Int, _ idNode: Int
  ) {
    batch.admitLine(kind, at: fields, identity: identity, idNode: idNode)
  }

  private func identity(at node: Int, of kind: EntityKind) -> Identity? {
    kinds.identity(batch.tape.text.span.extracting(batch.tape.range(of: node)), of: kind)
  }

  private mutating func place(
    at node: Int, of kind: EntityKind
  ) throws(FolderError) -> EntityPlace {
    let found = findPlace(at: node, of: kind)
    container = found.container
    if let place = found.place { return place }
    throw damaged(
      .wrongPlace(batch.tape.displayedString(at: node), expected: kinds.placeForm(of: kind)),
      at: batch.tape.offset(of: node))
  }

  /// Returns the place that a text is, and what it lies in.
  private func findPlace(
    at node: Int, of kind: EntityKind
  ) -> (place: EntityPlace?, container: PlaceContainer?) {
    let text = batch.tape.text.span.extracting(batch.tape.range(of: node))
    if let container, container.kind == kind, container.holds(text) {
      return (container.place(text).map(EntityPlace.file), container)
    }
    if let container = kinds.container(ofPlace: text, of: kind) {
      return (container.place(text).map(EntityPlace.file), container)
    }
    return (kinds.entityPlace(text, of: kind), nil)
  }

  /// Where the place says what an entity is known by, its line says the same.
  private func checkIdentity(at node: Int, _ kind: EntityKind) throws(FolderError) {
    guard case .file(let place) = place, let rule = kinds.facts(about: kind)?.identity else {
      return
    }
    let expected: [UInt8]? =
      switch rule {
      case .file: place.path.identity
      case .member: place.pointer?.tokens.last
      case .uuid, .string, .row, .singleton: nil
      }
    guard let expected, expected != batch.tape.bytes(of: node) else { return }
    throw damaged(
      .wrongIdentity(
        batch.tape.displayedString(at: node), expected: DisplayText.escaping(expected)),
      at: batch.tape.offset(of: node))
  }

  private mutating func readTypes(below fields: Int) throws(FolderError) {
    guard let types = members.types else { return }
    guard batch.tape.kind(of: types) == .object else { throw damaged(.wrongMember("types")) }
    var resolver = JSONPointerResolver()
    var pointer = types + 1
    while pointer < batch.tape.node(after: types) {
      guard batch.tape.kind(of: pointer + 1) == .string,
        let type = StreamType(
          name: batch.tape.text.span.extracting(batch.tape.range(of: pointer + 1))),
        let node = resolver.resolve(pointer, below: fields, on: batch.tape)
      else {
        throw damaged(
          .wrongType(batch.tape.displayedString(at: pointer)), at: batch.tape.offset(of: pointer))
      }
      batch.types.append(type, at: node)
      pointer = batch.tape.node(after: pointer + 1)
    }
    batch.types.sort()
    batch.typesNode = types
  }

  /// The values of the members that a line has.
  private struct Members {
    var kind: Int?
    var id: Int?
    var place: Int?
    var fields: Int?
    var types: Int?
    /// Whether there is any other.
    var hasOthers = false
  }

  private mutating func readMembers() {
    members = Members()
    var member = 1
    while member < batch.tape.node(after: 0) {
      func isNamed(_ name: StaticString) -> Bool {
        batch.tape.text.isEqual(in: batch.tape.range(of: member), to: name)
      }
      if isNamed("kind") {
        members.kind = member + 1
      } else if isNamed("id") {
        members.id = member + 1
      } else if isNamed("place") {
        members.place = member + 1
      } else if isNamed("fields") {
        members.fields = member + 1
      } else if isNamed("types") {
        members.types = member + 1
      } else {
        members.hasOthers = true
      }
      member = batch.tape.node(after: member + 1)
    }
  }

  private mutating func noteOtherMembers() {
    guard members.hasOthers else { return }
    let known = [members.kind, members.id, members.place, members.fields, members.types]
    var member = 1
    while member < batch.tape.node(after: 0) {
      if !known.contains(member + 1) {
        batch.isComplete = false
        batch.findings.append(
          Finding(
            .unknownMember, .warning,
            message: "the member \"\(batch.tape.displayedString(at: member))\" is not imported",
            offset: batch.tape.offset(of: member)))
      }
      member = batch.tape.node(after: member + 1)
    }
  }

  private func string(_ node: Int?, _ name: String) throws(FolderError) -> Int {
    guard let node, batch.tape.kind(of: node) == .string else { throw damaged(.wrongMember(name)) }
    return node
  }

  private func fieldsNode() throws(FolderError) -> Int {
    guard let fields = members.fields else { throw damaged(.wrongMember("fields")) }
    return fields
  }

  /// An error at an offset inside the current line.
  func damaged(_ defect: StreamDefect, at offset: Int = 0) -> FolderError {
    .damagedStream(
      stream: name, line: number, offset: self.offset + offset, defect)
  }
}
