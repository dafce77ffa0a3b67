import Crypto
import Diagnostics
import Folders
import SafeFiles

/// Reads a manifest line by line, strictly: exactly what `ManifestWriter` writes, within limits.
/// What a line says, written again, must be the line.
///
/// A manifest that was touched by anything else is damage. Everything a restore relies on is
/// checked here: places stay inside the folder, parents are directories, nothing comes twice, and
/// our own state is not among them.
struct ManifestReader {
  /// The most entries a manifest may have.
  static let mostEntries = 4_000_000
  /// The longest line: a path and a link target of 4096 bytes, each byte escaped.
  private static let longestLine = 1 << 16

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
  private var writer = ManifestWriter()

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
    // SAFETY: the caller's buffer is only read, and only inside of this call.
    for index in bytes.indices {
      // SAFETY: as above.
      let byte = unsafe bytes[index]
      if byte == UInt8(ascii: "\n") {
        try endLine()
      } else {
        line.append(byte)
        if line.count > Self.longestLine { throw damage("a line is too long") }
      }
    }
  }

  /// Ends the text and returns the manifest.
  mutating func finish() throws(BackupError) -> BackupManifest {
    guard isComplete, line.isEmpty else { throw damage("it ends early") }
    manifest.hash = ContentHash(hash.finalize())
    return manifest
  }

  private mutating func endLine() throws(BackupError) {
    if isComplete { throw damage("text after the end") }
    if isFirstLine {
      announced = try readSummary()
      isFirstLine = false
      manifest.summary = announced.withoutCounts
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
    _ kind: String, dropping dropped: Int = 0, before: String = "", after: String = ""
  ) throws(BackupError) {
    tape.text.removeAll(keepingCapacity: true)
    tape.text.append(contentsOf: before.utf8)
    tape.text.append(contentsOf: line[..<(line.count - dropped)])
    tape.text.append(contentsOf: after.utf8)
    do {
      try tape.parse(depthLimit: 2)
    } catch {
      throw malformed(kind, at: max(0, error.offset - before.utf8.count))
    }
    guard tape.kind(of: 0) == .object else { throw malformed(kind, at: 0) }
  }

  /// Throws unless this is the line without its last `dropped` bytes.
  private func require(
    _ written: [UInt8], _ kind: String, dropping dropped: Int = 0
  ) throws(BackupError) {
    guard written.count + dropped == line.count, line.starts(with: written) else {
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
    try parse(kind, after: "]}")
    guard let folder = text("folder"), let origin = text("origin"), let created = text("created"),
      let files = count("files"), let directories = count("directories"),
      let links = count("links"), let special = count("special"), let bytes = count("bytes"),
      let legacy = tape.member("legacyFiles", of: 0), tape.nodes[legacy].isBoolean
    else { throw malformed(kind, at: 0) }
    // Backups made before folders had numbers have none.
    let number = text("id")
    guard number?.isEmpty != true else { throw malformed(kind, at: 0) }
    let most = Self.mostEntries
    guard files <= most, directories <= most, links <= most, special <= most,
      files + directories + links + special <= most
    else {
      throw .tooLarge(
        path: path, problem: "the manifest lists more than \(most.counted("entry", "entries"))")
    }
    let summary = BackupSummary(
      folderName: folder, origin: origin, created: created, fileCount: files,
      directoryCount: directories, linkCount: links, specialCount: special,
      byteCount: Int64(bytes), holdsLegacyFiles: tape.kind(of: legacy) == .true,
      folderNumber: number)
    try require(ManifestWriter.line(summary), kind)
    return summary
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
    guard let bytes = tape.anyBytes("path"),
      let kind = text("kind").flatMap({ BackupEntry.Kind(rawValue: $0) }),
      let size = kind == .file ? count("size") : 0,
      let mode = text("mode").flatMap({ UInt16($0, radix: 8) }), mode <= 0o7777,
      let user = count("uid").flatMap({ UInt32(exactly: $0) }),
      let group = count("gid").flatMap({ UInt32(exactly: $0) }),
      let modified = text("modified").flatMap({ Self.time($0) }),
      let hash = kind == .file
        ? tape.string("sha256").flatMap({ ContentHash(hexDigits: $0) }) : .zero,
      let target = kind == .link ? tape.anyBytes("target") : []
    else { throw malformed(problem, at: 0) }
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
    guard let record = manifest.records.last else { return }
    try require(writer.line(record, of: manifest), problem, dropping: comma)
    if kind == .directory { parents.append(record.path) }
  }

  private func text(_ name: String) -> String? {
    tape.string(name).map { String(decoding: $0, as: UTF8.self) }
  }

  private func count(_ name: String) -> Int? {
    tape.integer(name).flatMap { $0 < 0 ? nil : $0 }
  }

  /// Takes seconds, a point and nine digits.
  private static func time(_ text: String) -> FileTime? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 9, let seconds = Int64(parts[0]),
      let nanoseconds = Int32(parts[1]), nanoseconds >= 0
    else { return nil }
    return FileTime(seconds: seconds, nanoseconds: nanoseconds)
  }

  private mutating func checkPlace(
    _ bytes: [UInt8], _ kind: BackupEntry.Kind, target: [UInt8]
  ) throws(BackupError) {
    guard let place = RelativePath(bytes) else {
      throw bad(bytes, "is no place inside a folder")
    }
    guard place.components.first.map({ !BackupScope.isExcluded($0) }) ?? false else {
      throw bad(bytes, "belongs to the folder's own state, which is in no backup")
    }
    guard kind != .link || (!target.isEmpty && !target.contains(0)) else {
      throw bad(bytes, "a link needs a target without zero bytes")
    }
    let key = kind == .directory ? bytes + [UInt8(ascii: "/")] : bytes
    guard lastKey.isEmpty || ByteOrder.precedes(lastKey, key) else {
      throw bad(bytes, key == lastKey ? "is there twice" : "is out of order")
    }
    lastKey = key
    while let parent = parents.last, !isInside(bytes, parent) { parents.removeLast() }
    let parentLength = bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0
    guard parentLength == (parents.last?.count ?? 0) else {
      throw bad(bytes, "what contains it is no directory of the backup")
    }
    if kind == .directory, manifest.position(of: place) != nil {
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

extension BackupSummary {
  /// The same backup before any entry was counted.
  var withoutCounts: BackupSummary {
    BackupSummary(
      folderName: folderName, origin: origin, created: created, folderNumber: folderNumber)
  }
}
