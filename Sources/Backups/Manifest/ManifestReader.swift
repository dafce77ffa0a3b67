import Crypto
import Diagnostics
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

  private mutating func readLastLine() throws(BackupError) {
    var cursor = ManifestCursor(line)
    guard cursor.skip("],\"sha256\":\""), let stated = cursor.hash(), cursor.skip("\"}"),
      cursor.isAtEnd
    else { throw damage("its last line is malformed", cursor.position) }
    guard ContentHash(hash.finalize()) == stated else {
      throw damage("its bytes do not have the hash its last line says")
    }
    isComplete = true
    guard manifest.summary == announced else {
      throw damage("the first line counts other entries than there are")
    }
  }

  private func readSummary() throws(BackupError) -> BackupSummary {
    var cursor = ManifestCursor(line)
    guard cursor.skip("{\"schema\":\""), cursor.skip(ManifestWriter.schema),
      cursor.skip("\",\"version\":"), let version = cursor.number()
    else {
      throw BackupError.notABackup(path: path, problem: "its first entry is no manifest")
    }
    guard version == ManifestWriter.version else {
      throw .laterVersion(path: path, version: String(version))
    }
    guard cursor.skip(",\"folder\":"), let folder = cursor.string(),
      cursor.skip(",\"origin\":"), let origin = cursor.string(),
      cursor.skip(",\"created\":"), let created = cursor.string(),
      cursor.skip(",\"files\":"), let files = cursor.number(),
      cursor.skip(",\"directories\":"), let directories = cursor.number(),
      cursor.skip(",\"links\":"), let links = cursor.number(),
      cursor.skip(",\"special\":"), let special = cursor.number(),
      cursor.skip(",\"bytes\":"), let bytes = cursor.number(),
      cursor.skip(",\"legacyFiles\":"), let holdsLegacyFiles = cursor.boolean()
    else { throw damage("its first line is malformed", cursor.position) }
    // Backups made before folders had numbers have none.
    let number = cursor.skip(",\"id\":") ? cursor.string() ?? [] : nil
    guard number?.isEmpty != true, cursor.skip(",\"entries\":["), cursor.isAtEnd else {
      throw damage("its first line is malformed", cursor.position)
    }
    let most = Self.mostEntries
    guard files <= most, directories <= most, links <= most, special <= most,
      files + directories + links + special <= most
    else {
      throw .tooLarge(
        path: path, problem: "the manifest lists more than \(most.counted("entry", "entries"))")
    }
    return BackupSummary(
      folderName: String(decoding: folder, as: UTF8.self),
      origin: String(decoding: origin, as: UTF8.self),
      created: String(decoding: created, as: UTF8.self), fileCount: files,
      directoryCount: directories, linkCount: links, specialCount: special,
      byteCount: Int64(bytes), holdsLegacyFiles: holdsLegacyFiles,
      folderNumber: number.map { String(decoding: $0, as: UTF8.self) })
  }

  private mutating func readEntry() throws(BackupError) {
    var cursor = ManifestCursor(line)
    guard manifest.count < announced.entryCount else {
      throw damage("there are more entries than the first line says")
    }
    // Every entry but the last ends in a comma; the last is the one the first line announced.
    let isLast = manifest.count == announced.entryCount - 1
    guard cursor.skip("{\"path"), let bytes = cursor.bytesMember(),
      cursor.skip(",\"kind\":\""), let kind = cursor.kind()
    else { throw damage("an entry is malformed", cursor.position) }
    var size = 0
    if kind == .file {
      guard cursor.skip(",\"size\":"), let number = cursor.number() else {
        throw damage("an entry is malformed", cursor.position)
      }
      size = number
    }
    guard cursor.skip(",\"mode\":\""), let mode = cursor.octal(), cursor.skip("\",\"uid\":"),
      let user = cursor.number().flatMap({ UInt32(exactly: $0) }), cursor.skip(",\"gid\":"),
      let group = cursor.number().flatMap({ UInt32(exactly: $0) }),
      cursor.skip(",\"modified\":\""), let modified = cursor.time(), cursor.skip("\"")
    else { throw damage("an entry is malformed", cursor.position) }
    var (hash, target): (ContentHash, [UInt8]) = (.zero, [])
    if kind == .file {
      guard cursor.skip(",\"sha256\":\""), let value = cursor.hash(), cursor.skip("\"") else {
        throw damage("an entry is malformed", cursor.position)
      }
      hash = value
    } else if kind == .link {
      guard cursor.skip(",\"target"), let value = cursor.bytesMember() else {
        throw damage("an entry is malformed", cursor.position)
      }
      target = value
    }
    guard cursor.skip("}"), isLast || cursor.skip(","), cursor.isAtEnd else {
      throw damage("an entry is malformed", cursor.position)
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
    RelativePath(bytes)?.description ?? ManifestCursor.escaped(bytes)
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
