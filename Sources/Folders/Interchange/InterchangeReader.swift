package import Diagnostics
package import SafeFiles

/// Reads an interchange stream line by line: one entity at a time, in bounded memory.
///
/// A damaged stream throws, and then nothing that came before may be published, because the writer
/// may have died at any point. `InterchangeLineReader` says what an entity is.
package struct InterchangeReader {
  /// The entity of the last line, if it was not refused, and what was found about it.
  package var batch: EntityBatch { current.batch }
  /// What the entity of the last line is.
  package var kind: EntityKind { current.kind }
  /// Where it belongs.
  package var place: EntityPlace { current.place }
  /// Who the entity of the last line is, if it was read by `locateNext`.
  package var located: LocatedLine? { current.located }
  /// The last line, as it came.
  package var line: ArraySlice<UInt8> { current.line }
  /// The last line, parsed.
  package var tape: JSONTape { current.batch.tape }
  /// Where the fields of the last line are on its tape, and its types if it has any.
  package var fieldNodes: (fields: Int, types: Int?) { current.fieldNodes }
  /// The profile the first line names.
  package private(set) var profile = ""
  /// The first line.
  package private(set) var header: StreamHeader?
  /// How many entities were read so far, refused ones included.
  package private(set) var entityCount = 0
  /// How many entities the last line promises; `nil` before it was read.
  package private(set) var promisedCount: Int?

  private var lines: StreamLines
  private var current: InterchangeLineReader
  private var kinds: EntityKinds { current.batch.kinds }

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
  ///
  /// - Parameter namesPlaces: whether messages name an entity by its place, because nobody sees the lines.
  package init(
    _ pieces: @escaping StreamLines.Pieces, name: String, of kinds: EntityKinds,
    rules: EntityRules = EntityRules(), namesPlaces: Bool = true
  ) throws(FolderError) {
    try self.init(
      StreamLines(pieces, name: name, longestLine: JSONTape.largestSource), kinds, rules,
      namesPlaces: namesPlaces)
  }

  private init(
    _ lines: StreamLines, _ kinds: EntityKinds, _ rules: EntityRules, namesPlaces: Bool = false
  ) throws(FolderError) {
    self.lines = lines
    current = InterchangeLineReader(
      lines.name, of: kinds, rules: rules, namesPlaces: namesPlaces)
    try readHeader()
  }

  /// Reads the next entity into `batch` and `place`; returns `false` after the last line.
  package mutating func next() throws(FolderError) -> Bool {
    guard try parseNext() else { return false }
    try current.readEntity()
    return true
  }

  /// Reads who the next entity is, for somebody who reads its line again; what is no entity, or is known
  /// by nothing, goes into `batch` as `next` does it. Returns `false` after the last line.
  package mutating func locateNext() throws(FolderError) -> Bool {
    guard try parseNext() else { return false }
    try current.locateEntity()
    return true
  }

  private mutating func parseNext() throws(FolderError) -> Bool {
    current.batch.removeAll()
    if promisedCount != nil { return false }
    guard try readLine() else { throw damaged(.noEnd) }
    try current.parse()
    if let end = current.batch.tape.member("end", of: 0) {
      try readEnd(end)
      return false
    }
    entityCount += 1
    return true
  }

  /// Puts the next line into the batch; false behind the last one.
  private mutating func readLine() throws(FolderError) -> Bool {
    defer { (current.number, current.offset) = (lines.number, lines.offset) }
    return try lines.read(into: &current.batch.tape.text)
  }

  private func damaged(_ defect: StreamDefect, at offset: Int = 0) -> FolderError {
    current.damaged(defect, at: offset)
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
    guard try readLine() else { throw damaged(.noHeader) }
    do { try current.batch.tape.parse() } catch {
      // A first line that is no JSON is not worth a byte's name: this is another file.
      throw damaged(.noHeader, at: error.offset)
    }
    let tape = current.batch.tape
    guard tape.kind(of: 0) == .object, let stream = tape.member("stream", of: 0),
      tape.kind(of: stream) == .string,
      tape.isEqual(stream, to: "automerge-migrate".utf8)
    else { throw damaged(.noHeader) }
    guard let version = tape.member("version", of: 0),
      tape.kind(of: version) == .number
    else { throw damaged(.wrongMember("version")) }
    guard tape.isEqual(version, to: "1".utf8) else {
      throw damaged(.unsupportedVersion(tape.displayedString(at: version)))
    }
    guard let profile = tape.member("profile", of: 0),
      tape.kind(of: profile) == .string
    else { throw damaged(.wrongMember("profile")) }
    self.profile = tape.displayedString(at: profile)
    guard self.profile.utf8.elementsEqual(kinds.profileName.utf8) else {
      throw damaged(
        .unsupportedProfile(
          self.profile, expected: kinds.profileName,
          isBuiltIn: Profile.builtInNames.contains(self.profile)))
    }
    if kinds.declaresTypes { try readDeclaredTypes() }
    guard let header = StreamHeader(tape) else { throw damaged(.wrongMember("schema")) }
    self.header = header
  }

  /// An older version of the profile declares less. What a newer one declares besides would be read as
  /// something else, so the newer one is asked for.
  private mutating func readDeclaredTypes() throws(FolderError) {
    let tape = current.batch.tape
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
    let tape = current.batch.tape
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
    let tape = current.batch.tape
    guard tape.kind(of: end) == .true else { throw damaged(.wrongMember("end")) }
    guard let entities = tape.member("entities", of: 0), tape.kind(of: entities) == .number,
      case .int(let count) = tape.number(at: entities),
      let promised = Int(exactly: count), promised >= 0
    else { throw damaged(.wrongMember("entities")) }
    guard try !readLine() else { throw damaged(.contentAfterEnd) }
    promisedCount = promised
  }
}
