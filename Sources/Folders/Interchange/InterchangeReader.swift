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
  package private(set) var batch: EntityBatch
  /// What the entity of the last line is.
  package private(set) var kind = EntityKind.other
  /// Where it belongs.
  package private(set) var place = EntityPlace.tags
  /// The profile the first line names.
  package private(set) var profile = ""
  /// How many entities were read so far, refused ones included.
  package private(set) var entityCount = 0
  /// How many entities the last line promises; `nil` before it was read.
  package private(set) var promisedCount: Int?

  private var lines: StreamLines
  private var line: [UInt8] = []
  /// Whether messages name an entity by its place, because nobody sees the lines.
  private var namesPlaces = false
  private var kinds: EntityKinds { batch.kinds }

  /// Starts to read a stream of a profile: reads its first line and checks it.
  package init(
    _ source: FileReader, of kinds: EntityKinds = .minuta, rules: EntityRules = EntityRules()
  ) throws(FolderError) {
    try self.init(source, of: kinds, rules: rules, longestLine: JSONTape.largestSource)
  }

  init(
    _ source: FileReader, of kinds: EntityKinds = .minuta, rules: EntityRules, longestLine: Int
  ) throws(FolderError) {
    try self.init(StreamLines(source, longestLine: longestLine), kinds, rules)
  }

  /// Starts to read a stream that is in memory whole.
  package init(
    _ bytes: [UInt8], name: String, of kinds: EntityKinds = .minuta,
    rules: EntityRules = EntityRules()
  ) throws(FolderError) {
    try self.init(
      StreamLines(bytes, name: name, longestLine: JSONTape.largestSource), kinds, rules)
  }

  /// Starts to read a stream that somebody makes piece by piece.
  package init(
    _ pieces: @escaping StreamLines.Pieces, name: String, of kinds: EntityKinds,
    rules: EntityRules = EntityRules()
  ) throws(FolderError) {
    try self.init(
      StreamLines(pieces, name: name, longestLine: JSONTape.largestSource), kinds, rules)
    namesPlaces = true
  }

  /// The line that was read last, as it came.
  package var lastLine: ArraySlice<UInt8> { batch.tape.text[..<batch.tape.sourceByteCount] }

  private init(
    _ lines: StreamLines, _ kinds: EntityKinds, _ rules: EntityRules
  ) throws(FolderError) {
    self.lines = lines
    batch = EntityBatch(kinds: kinds)
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
    guard self.profile.utf8.elementsEqual(kinds.profileName.utf8) else {
      throw damaged(.unsupportedProfile(self.profile, expected: kinds.profileName))
    }
    if !kinds.isMinuta { try readDeclaredTypes() }
  }

  /// An older version of the profile declares less. What a newer one declares besides would be read as
  /// something else, so the newer one is asked for.
  private mutating func readDeclaredTypes() throws(FolderError) {
    let tape = batch.tape
    guard let types = tape.member("types", of: 0), tape.kind(of: types) == .object else {
      throw damaged(.wrongMember("types"))
    }
    var name = types + 1
    while name < tape.node(after: types) {
      let shown = tape.displayedString(at: name)
      guard let kind = kinds.kind(named: tape.text.span.extracting(tape.range(of: name))),
        let properties = kinds[kind]?.properties
      else { throw damaged(.undeclared(property: nil, kind: shown), at: tape.offset(of: name)) }
      guard tape.kind(of: name + 1) == .object else { throw damaged(.wrongMember("types")) }
      var property = name + 2
      while property < tape.node(after: name + 1) {
        try check(property, is: properties, of: shown)
        property = tape.node(after: property + 1)
      }
      name = tape.node(after: name + 1)
    }
  }

  private func check(
    _ name: Int, is properties: PropertyTable, of kind: String
  ) throws(FolderError) {
    let tape = batch.tape
    let shown = tape.displayedString(at: name)
    guard tape.kind(of: name + 1) == .string else { throw damaged(.wrongMember("types")) }
    guard let index = properties.index(of: tape.text.span.extracting(tape.range(of: name))) else {
      throw damaged(.undeclared(property: shown, kind: kind), at: tape.offset(of: name))
    }
    let expected = properties[index].type.name
    guard tape.isEqual(name + 1, to: expected.utf8) else {
      throw damaged(
        .otherType(
          tape.displayedString(at: name + 1), property: shown, kind: kind, expected: expected),
        at: tape.offset(of: name + 1))
    }
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
      throw damaged(
        .unknownKind(batch.tape.displayedString(at: kindNode), expected: kinds.names), at: kindNode)
    }
    self.kind = kind
    place = try place(at: placeNode, of: kind)
    try checkIdentity(at: idNode, kind)
    try readTypes(below: fields)
    noteOtherMembers()
    admitEntity(kind, fields, idNode)
    for index in batch.findings.indices {
      batch.findings[index].path = lines.name
      batch.findings[index].message = shownPlace + ": " + batch.findings[index].message
      batch.findings[index].offset =
        namesPlaces ? nil : batch.findings[index].offset.map { lines.offset + $0 }
    }
  }

  /// What messages call the last line.
  private var shownPlace: String {
    guard namesPlaces else { return "line \(lines.number)" }
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
    let kinds = kinds
    guard let identity = identity(at: idNode, of: kind) else {
      return batch.refuseLine(
        .invalidValue,
        "id is \(kinds.lack(of: kind)): \"\(batch.tape.displayedString(at: idNode))\"", at: idNode)
    }
    if kinds.isMinuta {
      batch.admit(kind, at: fields, identity: .line(identity, node: idNode))
    } else {
      batch.admitDeclared(kind, at: fields, identity: identity, idNode: idNode)
    }
  }

  private func identity(at node: Int, of kind: EntityKind) -> Identity? {
    kinds.identity(batch.tape.text.span.extracting(batch.tape.range(of: node)), of: kind)
  }

  private func place(at node: Int, of kind: EntityKind) throws(FolderError) -> EntityPlace {
    guard kinds.isMinuta else { return .file(try filePlace(at: node, of: kind)) }
    let place = EntityPlace(batch.tape.text.span.extracting(batch.tape.range(of: node)))
    switch (place, kind) {
    case (.tags?, .tag), (.tags?, .other), (.record?, .record), (.record?, .other):
      if let place { return place }
    default: break
    }
    throw damaged(
      .wrongPlace(batch.tape.displayedString(at: node)), at: batch.tape.offset(of: node))
  }

  private func filePlace(at node: Int, of kind: EntityKind) throws(FolderError) -> FilePlace {
    let text = batch.tape.bytes(of: node)
    let place = kind == .other ? kinds.placeOfOther(text) : kinds.place(text, of: kind)
    if let place { return place }
    throw damaged(
      .wrongPlace(batch.tape.displayedString(at: node), expected: kinds.placeForm(of: kind)),
      at: batch.tape.offset(of: node))
  }

  /// Where the place says what an entity is known by, its line says the same.
  private func checkIdentity(at node: Int, _ kind: EntityKind) throws(FolderError) {
    guard case .file(let place) = place, let rule = kinds[kind]?.identity else { return }
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
      batch.types.append(type, at: node)
      pointer = batch.tape.node(after: pointer + 1)
    }
    batch.types.sort()
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
