import Crypto
import Diagnostics
import Folders
import SafeFiles

/// Reads a manifest line by line, strictly: exactly what `ManifestWriter` writes, within limits.
///
/// A manifest that was touched by anything else is damage. Everything a restore relies on is
/// checked here: places stay inside the folder, parents are directories, nothing comes twice, and
/// our own state is not among them.
struct ManifestReader {
  /// The most entries a manifest may have.
  static let mostEntries = 4_000_000
  /// The longest line: a path and a link target of 4096 bytes, each byte escaped.
  static let longestLine = 1 << 16

  /// The shortest line an entry can be; the number of entries is bounded by it.
  private static let shortestLine: Int64 = 80

  private let path: String
  private let length: Int64
  private var line: [UInt8] = []
  private var lineOffset = 0
  private var hash = SHA256()
  private var isFirstLine = true
  private var isComplete = false
  private(set) var manifest = BackupManifest(
    BackupSummary(folderName: "", origin: "", created: ""))
  private var announced = BackupSummary(folderName: "", origin: "", created: "")
  /// The directories that contain the last entry, outermost first, as ranges of the pool.
  private var parents: [Range<Int>] = []
  private var lastKey: [UInt8] = []
  private var tape = JSONTape()

  /// `length` is how long the text will be.
  init(path: String, length: Int64) {
    self.path = path
    self.length = length
  }

  /// Whether the first line was read; `summary` is then what it says.
  var hasSummary: Bool { !isFirstLine }
  var summary: BackupSummary { announced }

  /// Takes the next piece of text.
  mutating func read(_ bytes: UnsafeRawBufferPointer) throws(BackupError) {
    let count = bytes.count
    var start = 0
    for end in 0..<count {
      // SAFETY: the caller's buffer lives as long as this call, and `end` is below its count.
      guard unsafe bytes[end] == UInt8(ascii: "\n") else { continue }
      // SAFETY: as above.
      try unsafe append(bytes[start..<end])
      try endLine()
      start = end + 1
    }
    // SAFETY: as above.
    try unsafe append(bytes[start..<count])
  }

  private mutating func append(
    _ piece: Slice<UnsafeRawBufferPointer>
  ) throws(BackupError) {
    // SAFETY: the slice is of the caller's buffer, which lives as long as the call.
    let count = unsafe piece.count
    guard line.count + count <= Self.longestLine else { throw damage("a line is too long") }
    // SAFETY: as above.
    unsafe line.append(contentsOf: piece)
  }

  /// Ends the text and returns the manifest.
  mutating func finish() throws(BackupError) -> BackupManifest {
    guard isComplete, line.isEmpty else { throw damage("it ends early") }
    manifest.hash = ContentHash(hash.finalize())
    manifest.trim()
    return manifest
  }

  private mutating func endLine() throws(BackupError) {
    if isComplete { throw damage("text after the end") }
    if isFirstLine {
      announced = try readSummary()
      isFirstLine = false
      manifest.summary = announced.withoutCounts
      // Which files hold entities a profile knows, and the manifest has only its name.
      if announced.scope.profile != nil {
        manifest.summary.holdsLegacyFiles = announced.holdsLegacyFiles
      }
      manifest.records.reserveCapacity(
        min(announced.entryCount, Int(length / Self.shortestLine)))
    } else if line.first == UInt8(ascii: "]") {
      try readLastLine()
    } else {
      try readEntry()
    }
    lineOffset += line.count + 1
    line.append(UInt8(ascii: "\n"))
    hash.update(line, 0..<line.count)
    line.removeAll(keepingCapacity: true)
  }

  /// Puts a line without its last `dropped` bytes onto the tape, between what makes it a value.
  private mutating func parse(
    _ kind: String, dropping dropped: Int = 0, before: String = "", after: String = "",
    depth: Int = 2
  ) throws(BackupError) {
    tape.text.removeAll(keepingCapacity: true)
    tape.text.append(contentsOf: before.utf8)
    tape.text.append(contentsOf: line[..<(line.count - dropped)])
    tape.text.append(contentsOf: after.utf8)
    do {
      try tape.parse(depthLimit: depth)
    } catch {
      throw malformed(kind, at: max(0, error.offset - before.utf8.count))
    }
    guard tape.kind(of: 0) == .object else { throw malformed(kind, at: 0) }
  }

  /// Throws unless this is the line.
  private func require(_ written: [UInt8], _ kind: String) throws(BackupError) {
    guard written == line else {
      throw malformed(kind, at: zip(written, line).prefix { $0 == $1 }.count)
    }
  }

  private mutating func readLastLine() throws(BackupError) {
    let kind = "its last line"
    try parse(kind, before: "{\"\":[")
    guard let stated = tape.string("sha256").flatMap({ ContentHash(hexDigits: $0) }) else {
      throw malformed(kind, at: 0)
    }
    try require(ManifestWriter.line(hash: stated), kind)
    guard ContentHash(hash.finalize()) == stated else {
      throw damage("its bytes do not have the hash its last line says")
    }
    isComplete = true
    guard manifest.summary == announced else {
      throw damage("the first line counts other entries than there are")
    }
  }

  private mutating func readSummary() throws(BackupError) -> BackupSummary {
    let kind = "its first line"
    let start = ManifestWriter.start
    let digits = line.dropFirst(start.count).prefix { $0 &- UInt8(ascii: "0") < 10 }
    guard line.starts(with: start), let version = Int(String(decoding: digits, as: UTF8.self))
    else {
      throw BackupError.notABackup(path: path, problem: "its first entry is no manifest")
    }
    guard version == ManifestWriter.version else {
      throw .laterVersion(path: path, version: String(version))
    }
    // The entities of a store lie deepest.
    try parse(kind, after: "]}", depth: 4)
    guard var member = tape.firstMember,
      tape.takeText("schema", at: &member) != nil, tape.takeCount("version", at: &member) != nil,
      let folder = string("folder", &member), let origin = string("origin", &member),
      let created = string("created", &member),
      let files = tape.takeCount("files", at: &member),
      let directories = tape.takeCount("directories", at: &member),
      let links = tape.takeCount("links", at: &member),
      let special = tape.takeCount("special", at: &member),
      let bytes = tape.takeCount("bytes", at: &member),
      let legacy = tape.take("legacyFiles", at: &member), tape.nodes[legacy].isBoolean
    else { throw malformed(kind, at: 0) }
    guard RFC3339(created) != nil else { throw malformed(kind, at: 0) }
    // Backups made before folders had numbers have none.
    let number = string("id", &member)
    guard number?.isEmpty != true else { throw malformed(kind, at: 0) }
    let scope = try readScope(&member, of: kind)
    let steps = try readSteps(&member, of: kind)
    let store = try readStore(&member, of: kind)
    let most = Self.mostEntries
    guard files <= most, directories <= most, links <= most, special <= most,
      files + directories + links + special <= most
    else {
      throw .tooLarge(
        path: path, problem: "the manifest lists more than \(most.counted("entry", "entries"))")
    }
    var summary = BackupSummary(
      folderName: folder, origin: origin, created: created, fileCount: files,
      directoryCount: directories, linkCount: links, specialCount: special,
      byteCount: Int64(bytes), holdsLegacyFiles: tape.kind(of: legacy) == .true,
      folderNumber: number, scope: scope)
    (summary.store, summary.steps) = (store, steps)
    try require(ManifestWriter.line(summary), kind)
    return summary
  }

  /// Backups of folders of which no profile was told name none.
  private func readScope(_ member: inout Int, of line: String) throws(BackupError) -> BackupScope {
    guard let profile = string("profile", &member) else { return .minuta }
    let text = string("lock", &member)
    let lock = text.flatMap { FileName($0) }
    guard !profile.isEmpty, (text == nil) == (lock == nil), lock != FolderNames.state else {
      throw malformed(line, at: 0)
    }
    return BackupScope(profile: profile, lock: lock)
  }

  /// Most backups have no steps. That they have the one form they may have is seen with the line.
  private func readSteps(
    _ member: inout Int, of line: String
  ) throws(BackupError) -> [NotedStep] {
    guard member < tape.nodes.count, let list = tape.take("steps", at: &member) else { return [] }
    guard tape.kind(of: list) == .array else { throw malformed(line, at: tape.offset(of: list)) }
    var (steps, next): ([NotedStep], Int) = ([], list + 1)
    while next < tape.node(after: list) {
      guard tape.kind(of: next) == .object, let id = text("id", of: next),
        let checksum = tape.string("checksum", of: next).flatMap({ ContentHash(hexDigits: $0) })
      else { throw malformed(line, at: tape.offset(of: next)) }
      let isUndone = tape.member("undone", of: next) != nil
      steps.append(NotedStep(.init(id: id, checksum: checksum), isUndone: isUndone))
      next = tape.node(after: next)
    }
    return steps
  }

  /// Backups of folders have no store. That it has the one form it may have is seen with the line.
  private func readStore(
    _ member: inout Int, of line: String
  ) throws(BackupError) -> StoreSummary? {
    guard member < tape.nodes.count, let node = tape.take("store", at: &member) else { return nil }
    guard let name = text("name", of: node), FileName(name) != nil,
      let uuid = text("uuid", of: node), let checksum = text("checksum", of: node),
      let versions = tape.member("versions", of: node), tape.kind(of: versions) == .array,
      let entities = tape.member("entities", of: node), tape.kind(of: entities) == .array
    else { throw malformed(line, at: tape.offset(of: node)) }
    var store = StoreSummary(
      name: name, uuid: uuid, versionIdentifiers: [], modelChecksum: checksum, entities: [])
    store.versionIdentifiers = try texts(in: versions, of: line)
    if let leftOut = tape.member("leftOut", of: node) {
      guard tape.kind(of: leftOut) == .array else {
        throw malformed(line, at: tape.offset(of: leftOut))
      }
      store.leftOut = try texts(in: leftOut, of: line)
    }
    store.isUnopened = tape.member("unopened", of: node).map { tape.kind(of: $0) == .true } ?? false
    var next = entities + 1
    while next < tape.node(after: entities) {
      guard tape.kind(of: next) == .object, let entity = text("entity", of: next),
        let rows = count("rows", of: next), let highWater = count("highWater", of: next),
        let hash = text("hash", of: next)
      else { throw malformed(line, at: tape.offset(of: next)) }
      store.entities.append(
        .init(name: entity, rowCount: rows, highWater: highWater, versionHash: hash))
      next = tape.node(after: next)
    }
    return store
  }

  private func texts(in array: Int, of line: String) throws(BackupError) -> [String] {
    var texts: [String] = []
    var next = array + 1
    while next < tape.node(after: array) {
      guard tape.kind(of: next) == .string else { throw malformed(line, at: tape.offset(of: next)) }
      texts.append(String(decoding: tape.bytes(of: next), as: UTF8.self))
      next = tape.node(after: next)
    }
    return texts
  }

  private func text(_ name: String, of object: Int) -> String? {
    tape.string(name, of: object).map { String(decoding: $0, as: UTF8.self) }
  }

  private func count(_ name: String, of object: Int) -> Int? {
    guard let node = tape.member(name, of: object), tape.kind(of: node) == .number else {
      return nil
    }
    return DecimalDigits.value(of: tape.text[tape.range(of: node)])
  }

  private mutating func readEntry() throws(BackupError) {
    let problem = "an entry"
    guard manifest.count < announced.entryCount else {
      throw damage("there are more entries than the first line says")
    }
    // Every entry but the last ends in a comma; the last is the one the first line announced.
    let comma = manifest.count == announced.entryCount - 1 ? 0 : 1
    guard comma == 0 || line.last == UInt8(ascii: ",") else {
      throw malformed(problem, at: line.count)
    }
    try parse(problem, dropping: comma)
    guard var member = tape.firstMember else { throw malformed(problem, at: 0) }
    guard
      let bytes = tape.takeAnyBytes("path", orInHexadecimal: "pathBytes", at: &member),
      let kind = tape.takeText("kind", at: &member).flatMap(BackupEntry.Kind.init(text:)),
      let size = kind == .file ? tape.takeCount("size", at: &member) : 0,
      let mode = tape.takeText("mode", at: &member).flatMap(Self.mode),
      let user = tape.takeCount("uid", at: &member).flatMap(UInt32.init(exactly:)),
      let group = tape.takeCount("gid", at: &member).flatMap(UInt32.init(exactly:)),
      let modified = tape.takeText("modified", at: &member).flatMap(Self.time),
      let hash = kind == .file
        ? tape.takeText("sha256", at: &member).flatMap(ContentHash.init(hexDigits:)) : .zero,
      let target = kind == .link
        ? tape.takeAnyBytes("target", orInHexadecimal: "targetBytes", at: &member) : [],
      tape.isEnd(member)
    else {
      throw malformed(problem, at: member < tape.nodes.count ? tape.offset(of: member) : line.count)
    }
    guard manifest.summary.byteCount.addingReportingOverflow(Int64(size)).overflow == false else {
      throw damage("the sizes add up to more than there can be")
    }
    guard manifest.pool.count < BackupManifest.longestPool else {
      throw .tooLarge(path: path, problem: BackupManifest.poolProblem)
    }
    try checkPlace(bytes, kind, target: target)
    manifest.append(
      path: bytes, target: target[...], kind: kind, mode: mode,
      owner: FileOwner(user: user, group: group), size: Int64(size), modified: modified,
      hash: hash)
    if kind == .directory, let record = manifest.records.last { parents.append(record.path) }
  }

  /// Takes a string of the first line.
  private func string(_ name: StaticString, _ member: inout Int) -> String? {
    guard let node = tape.take(name, at: &member), tape.kind(of: node) == .string else {
      return nil
    }
    return String(decoding: tape.bytes(of: node), as: UTF8.self)
  }

  private static func mode(_ digits: ArraySlice<UInt8>) -> UInt16? {
    DecimalDigits.value(of: digits, radix: 8).flatMap { $0 <= 0o7777 ? UInt16($0) : nil }
  }

  /// Takes seconds, a point and nine digits.
  private static func time(_ text: ArraySlice<UInt8>) -> FileTime? {
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = isNegative ? text.dropFirst() : text
    guard digits.count > 10, digits.dropLast(9).last == UInt8(ascii: ".") else { return nil }
    let whole = digits.dropLast(10)
    let seconds: Int64
    if let value = DecimalDigits.value(of: whole), !isNegative || value > 0 {
      seconds = Int64(isNegative ? -value : value)
    } else if isNegative, whole.elementsEqual(String(Int64.min.magnitude).utf8) {
      // Its positive is no number of 64 bits, and file systems keep it.
      seconds = .min
    } else {
      return nil
    }
    var nanoseconds: Int32 = 0
    for byte in digits.suffix(9) {
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      nanoseconds = nanoseconds &* 10 &+ Int32(digit)
    }
    return FileTime(seconds: seconds, nanoseconds: nanoseconds)
  }

  private mutating func checkPlace(
    _ bytes: [UInt8], _ kind: BackupEntry.Kind, target: [UInt8]
  ) throws(BackupError) {
    while let parent = parents.last, !isInside(bytes, parent) { parents.removeLast() }
    // What contains it was looked at when it came.
    let start = parents.last.map { $0.count + 1 } ?? 0
    let isNamed = FileName.isValid(bytes[start...])
    if start == 0 || !isNamed {
      guard let place = RelativePath(bytes) else {
        throw bad(bytes, "is no place inside a folder")
      }
      guard let first = place.components.first, !manifest.summary.scope.isExcluded(first) else {
        throw bad(bytes, "belongs to the folder's own state, which is in no backup")
      }
    }
    guard kind != .link || (!target.isEmpty && !target.contains(0)) else {
      throw bad(bytes, "a link needs a target without zero bytes")
    }
    let key = kind == .directory ? bytes + [UInt8(ascii: "/")] : bytes
    guard lastKey.isEmpty || ByteOrder.precedes(lastKey, key) else {
      throw bad(bytes, key == lastKey ? "is there twice" : "is out of order")
    }
    lastKey = key
    guard isNamed else { throw bad(bytes, "what contains it is no directory of the backup") }
    if kind == .directory, let place = RelativePath(bytes), manifest.position(of: place) != nil {
      throw bad(bytes, "is there twice")
    }
  }

  private func isInside(_ bytes: [UInt8], _ parent: Range<Int>) -> Bool {
    bytes.count > parent.count && bytes[parent.count] == UInt8(ascii: "/")
      && bytes.starts(with: manifest.pool[parent])
  }

  private func bad(_ bytes: [UInt8], _ problem: String) -> BackupError {
    .badEntry(
      path: path, entry: FileName(bytes)?.description ?? displayed(bytes), problem: problem)
  }

  private func displayed(_ bytes: [UInt8]) -> String {
    RelativePath(bytes)?.description ?? DisplayText.escaping(bytes)
  }

  private func malformed(_ what: String, at position: Int) -> BackupError {
    damage("\(what) is malformed", position)
  }

  private func damage(_ problem: String, _ position: Int = 0) -> BackupError {
    .damagedManifest(path: path, offset: lineOffset + position, problem: problem)
  }
}
