package import Diagnostics
package import SafeFiles

/// Reads an interchange stream line by line: one entity at a time, in bounded memory.
///
/// A damaged stream throws, and then nothing that came before may be published, because the writer
/// may have died at any point. An entity that breaks a rule is refused with findings, as in a
/// legacy file.
package struct InterchangeReader {
  /// One more than for a file: the fields of an entity lie one level deeper here.
  private static let depthLimit = JSONTape.standardDepth + 1

  /// The entity of the last line, if it was not refused, and what was found about it.
  package private(set) var batch = EntityBatch()
  /// Where the entity of the last line belongs.
  package private(set) var place = EntityPlace.tags
  /// The profile the first line names.
  package private(set) var profile = ""
  /// How many entities were read so far, refused ones included.
  package private(set) var entityCount = 0
  /// How many entities the last line promises; `nil` before it was read.
  package private(set) var promisedCount: Int?

  private let rules: EntityRules
  private var lines: StreamLines
  private var line: [UInt8] = []

  /// Starts to read a stream: reads its first line and checks it.
  package init(_ source: FileReader, rules: EntityRules = EntityRules()) throws(FolderError) {
    try self.init(source, rules: rules, longestLine: JSONTape.largestSource)
  }

  init(_ source: FileReader, rules: EntityRules, longestLine: Int) throws(FolderError) {
    lines = StreamLines(source, longestLine: longestLine)
    self.rules = rules
    batch.rules = rules
    try readHeader()
  }

  /// Starts to read a stream that is in memory whole.
  package init(
    _ bytes: [UInt8], name: String, rules: EntityRules = EntityRules()
  ) throws(FolderError) {
    lines = StreamLines(bytes, name: name, longestLine: JSONTape.largestSource)
    self.rules = rules
    batch.rules = rules
    try readHeader()
  }

  /// Reads the next entity into `batch` and `place`; returns `false` after the last line.
  package mutating func next() throws(FolderError) -> Bool {
    batch.removeAll()
    if promisedCount != nil { return false }
    guard try lines.read(into: &batch.tape.text) else { throw damaged(.noEnd) }
    try parseLine()
    if let end = batch.tape.member("end", of: 0) {
      try readEnd(end)
      return false
    }
    try readEntity()
    entityCount += 1
    return true
  }

  /// The finding that a filter changed the number of entities, once the stream was read.
  package var countFinding: Finding? {
    guard let promisedCount, promisedCount != entityCount else { return nil }
    return Finding(
      .filtered, .warning, path: lines.name,
      message: "holds \(entityCount.counted("entity", "entities")), its last line says "
        + promisedCount.grouped,
      next: "nothing to do if a filter was meant to change it")
  }

  // MARK: First and last line

  private mutating func readHeader() throws(FolderError) {
    guard try lines.read(into: &batch.tape.text) else { throw damaged(.noHeader) }
    do { try batch.tape.parse() } catch {
      // A first line that is no JSON is not worth a byte's name: this is another file.
      throw damaged(.noHeader, at: error.offset)
    }
    guard batch.tape.kind(of: 0) == .object, let stream = batch.tape.member("stream", of: 0),
      batch.tape.kind(of: stream) == .string,
      batch.tape.isEqual(stream, to: "automerge-migrate".utf8)
    else { throw damaged(.noHeader) }
    guard let version = batch.tape.member("version", of: 0),
      batch.tape.kind(of: version) == .number
    else { throw damaged(.wrongMember("version")) }
    guard batch.tape.isEqual(version, to: "1".utf8) else {
      throw damaged(.unsupportedVersion(batch.tape.displayedString(at: version)))
    }
    guard let profile = batch.tape.member("profile", of: 0),
      batch.tape.kind(of: profile) == .string
    else { throw damaged(.wrongMember("profile")) }
    self.profile = batch.tape.displayedString(at: profile)
    guard self.profile == "minuta" else { throw damaged(.unsupportedProfile(self.profile)) }
  }

  private mutating func readEnd(_ end: Int) throws(FolderError) {
    let tape = batch.tape
    guard tape.kind(of: end) == .true else { throw damaged(.wrongMember("end")) }
    guard let entities = tape.member("entities", of: 0), tape.kind(of: entities) == .number,
      case .int(let count) = tape.number(at: entities),
      let promised = Int(exactly: count), promised >= 0
    else { throw damaged(.wrongMember("entities")) }
    guard try !lines.read(into: &line) else { throw damaged(.contentAfterEnd) }
    promisedCount = promised
  }

  // MARK: Entities

  private mutating func parseLine() throws(FolderError) {
    do { try batch.tape.parse(depthLimit: Self.depthLimit) } catch {
      throw damaged(.json(error.fact, problem: error.problem), at: error.offset)
    }
    guard batch.tape.kind(of: 0) == .object else { throw damaged(.wrongMember("the line")) }
  }

  private mutating func readEntity() throws(FolderError) {
    let kindNode = try string("kind")
    let idNode = try string("id")
    let placeNode = try string("place")
    guard let fields = batch.tape.member("fields", of: 0) else {
      throw damaged(.wrongMember("fields"))
    }
    guard let kind = kind(at: kindNode) else {
      throw damaged(.unknownKind(batch.tape.displayedString(at: kindNode)), at: kindNode)
    }
    place = try place(at: placeNode, of: kind)
    try readTypes(below: fields)
    noteOtherMembers()
    admitEntity(kind, fields, idNode)
    for index in batch.findings.indices {
      batch.findings[index].path = lines.name
      batch.findings[index].message =
        "line \(lines.number): " + batch.findings[index].message
      batch.findings[index].offset = batch.findings[index].offset.map { lines.offset + $0 }
    }
  }

  private func kind(at node: Int) -> EntityKind? {
    if batch.tape.isEqual(node, to: "other".utf8) { return .other }
    return batch.kinds.kind(named: batch.tape.text.span.extracting(batch.tape.range(of: node)))
  }

  private mutating func admitEntity(_ kind: EntityKind, _ fields: Int, _ idNode: Int) {
    if kind == .other { return batch.admitOther(at: fields, idNode: idNode) }
    guard let identity = batch.tape.identity(at: idNode) else {
      return batch.refuseLine(
        .invalidValue, "id is no UUID: \"\(batch.tape.displayedString(at: idNode))\"", at: idNode)
    }
    batch.admit(kind, at: fields, identity: .line(identity, node: idNode))
  }

  private func place(at node: Int, of kind: EntityKind) throws(FolderError) -> EntityPlace {
    let place = EntityPlace(batch.tape.text.span.extracting(batch.tape.range(of: node)))
    switch (place, kind) {
    case (.tags?, .tag), (.tags?, .other), (.record?, .record), (.record?, .other):
      if let place { return place }
    default: break
    }
    throw damaged(
      .wrongPlace(batch.tape.displayedString(at: node)), at: batch.tape.offset(of: node))
  }

  private mutating func readTypes(below fields: Int) throws(FolderError) {
    guard let types = batch.tape.member("types", of: 0) else { return }
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
      batch.types.append((node, type))
      pointer = batch.tape.node(after: pointer + 1)
    }
    batch.types.sort { $0.node < $1.node }
    batch.typesNode = types
  }

  private mutating func noteOtherMembers() {
    var member = 1
    while member < batch.tape.node(after: 0) {
      let name = String(decoding: batch.tape.bytes(of: member), as: UTF8.self)
      if !["kind", "id", "place", "fields", "types"].contains(name) {
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

  private func string(_ name: String) throws(FolderError) -> Int {
    guard let node = batch.tape.member(name, of: 0), batch.tape.kind(of: node) == .string else {
      throw damaged(.wrongMember(name))
    }
    return node
  }

  /// An error at an offset inside the current line.
  private func damaged(_ defect: StreamDefect, at offset: Int = 0) -> FolderError {
    .damagedStream(
      stream: lines.name, line: lines.number, offset: lines.offset + offset, defect)
  }
}
