import Crypto
import Folders
import SafeFiles

/// Writes a manifest as JSON: a first line with the summary, one line for each entry, and a last
/// line with the SHA-256 of all that is before it.
///
/// The text depends on the manifest alone, and its length not on the hashes: so its place at the
/// start of an archive can be kept free while the files are still being read.
struct ManifestWriter {
  static let version = 1
  /// What every manifest begins with; the version comes next.
  static let start = Array(#"{"schema":"\#(schema)","version":"#.utf8)
  private static let schema = "automerge-migrate/backup"
  /// How many entries a piece has.
  private static let pieceCount = 256

  private var json = JSONWriter(hasShortEscapes: false)

  /// Returns how many bytes `write` hands over; several threads count.
  static func length(of manifest: BackupManifest, threads: Int) -> Int {
    let pieces = pieces(of: manifest)
    let lengths = Collected<Int>(count: pieces.count)
    ParallelJobs.run(
      pieces.count, threads: threads, makeState: { ManifestWriter() }
    ) { piece, writer in
      writer.json.removeAll()
      writer.append(pieces[piece], of: manifest)
      lengths.set(piece, writer.json.bytes.count)
    }
    return lengths.values.reduce(line(manifest.summary).count + end(.zero).count, +)
  }

  /// Hands over the text in pieces, in order, and returns its hash; the next pieces are made meanwhile if
  /// there may be several threads.
  static func write(
    _ manifest: BackupManifest, threads: Int, _ body: ([UInt8]) throws(BackupError) -> Void
  ) throws(BackupError) -> ContentHash {
    var hash = SHA256()
    func hand(_ text: [UInt8]) throws(BackupError) {
      hash.update(text, 0..<text.count)
      try body(text)
    }
    try hand(line(manifest.summary))
    var rest = pieces(of: manifest)[...]
    var writer = ManifestWriter()
    let pieces = PiecesAhead<[UInt8], Never> {
      guard let piece = rest.popFirst() else { return nil }
      writer.json.removeAll()
      writer.append(piece, of: manifest)
      return writer.json.bytes
    }
    try pieces.whileMaking(threads: threads) { () throws(BackupError) in
      while let piece = pieces.next() { try hand(piece) }
    }
    // The last line has the hash of what is before it, up to the line feed.
    var stated = hash
    let lineFeed = [UInt8(ascii: "\n")]
    stated.update(lineFeed, 0..<1)
    try hand(end(ContentHash(stated.finalize())))
    return ContentHash(hash.finalize())
  }

  private static func pieces(of manifest: BackupManifest) -> [Range<Int>] {
    stride(from: 0, to: manifest.count, by: pieceCount).map {
      $0..<min($0 + pieceCount, manifest.count)
    }
  }

  // MARK: Lines

  /// Returns the first line without its line feed.
  static func line(_ summary: BackupSummary) -> [UInt8] {
    var writer = ManifestWriter()
    writer.append(summary)
    return writer.json.bytes
  }

  /// Returns the last line without its line feed.
  static func line(hash: ContentHash) -> [UInt8] {
    var writer = ManifestWriter()
    writer.appendEnd(hash)
    return writer.json.bytes
  }

  /// Returns what is behind the entries.
  private static func end(_ hash: ContentHash) -> [UInt8] {
    [UInt8(ascii: "\n")] + line(hash: hash) + [UInt8(ascii: "\n")]
  }

  private mutating func append(_ entries: Range<Int>, of manifest: BackupManifest) {
    for position in entries {
      json.bytes.append(contentsOf: position == 0 ? "\n".utf8 : ",\n".utf8)
      json.restart()
      append(manifest.records[position], of: manifest)
    }
  }

  private mutating func append(_ summary: BackupSummary) {
    json.beginObject()
    json.name("schema")
    json.string(Self.schema)
    json.name("version")
    json.number(Self.version)
    json.name("folder")
    json.string(summary.folderName)
    json.name("origin")
    json.string(summary.origin)
    json.name("created")
    json.string(summary.created)
    json.name("files")
    json.number(summary.fileCount)
    json.name("directories")
    json.number(summary.directoryCount)
    json.name("links")
    json.number(summary.linkCount)
    json.name("special")
    json.number(summary.specialCount)
    json.name("bytes")
    json.number(summary.byteCount)
    json.name("legacyFiles")
    json.bool(summary.holdsLegacyFiles)
    if let number = summary.folderNumber {
      json.name("id")
      json.string(number)
    }
    if let profile = summary.scope.profile {
      json.name("profile")
      json.string(profile)
      if let lock = summary.scope.lock {
        json.name("lock")
        json.string(String(decoding: lock.bytes, as: UTF8.self))
      }
    }
    if !summary.steps.isEmpty {
      json.name("steps")
      json.beginArray()
      for noted in summary.steps {
        json.beginObject()
        json.name("id")
        json.string(noted.step.id)
        json.name("checksum")
        json.string(noted.step.checksum)
        if noted.isUndone {
          json.name("undone")
          json.bool(true)
        }
        json.endObject()
      }
      json.endArray()
    }
    if let store = summary.store { append(store) }
    json.name("entries")
    json.beginArray()
  }

  private mutating func append(_ store: StoreSummary) {
    json.name("store")
    json.beginObject()
    json.name("name")
    json.string(store.name)
    json.name("uuid")
    json.string(store.uuid)
    json.name("versions")
    json.beginArray()
    for identifier in store.versionIdentifiers { json.string(identifier) }
    json.endArray()
    json.name("checksum")
    json.string(store.modelChecksum)
    json.name("entities")
    json.beginArray()
    for entity in store.entities {
      json.beginObject()
      json.name("entity")
      json.string(entity.name)
      json.name("rows")
      json.number(entity.rowCount)
      json.name("highWater")
      json.number(entity.highWater)
      json.name("hash")
      json.string(entity.versionHash)
      json.endObject()
    }
    json.endArray()
    if let leftOut = store.leftOut {
      json.name("leftOut")
      json.beginArray()
      for name in leftOut { json.string(name) }
      json.endArray()
    }
    if store.isUnopened {
      json.name("unopened")
      json.bool(true)
    }
    json.endObject()
  }

  private mutating func append(_ record: BackupManifest.Record, of manifest: BackupManifest) {
    json.beginObject()
    json.member("path", anyBytes: manifest.pool[record.path])
    json.name("kind")
    json.string(record.kind.rawValue)
    if record.kind == .file {
      json.name("size")
      json.number(Int(record.size))
    }
    json.name("mode")
    json.string(String(record.mode, radix: 8))
    json.name("uid")
    json.number(Int(record.owner.user))
    json.name("gid")
    json.number(Int(record.owner.group))
    json.name("modified")
    json.plainString { Self.append(record.modified, to: &$0) }
    switch record.kind {
    case .file:
      json.name("sha256")
      json.string(record.hash)
    case .link: json.member("target", anyBytes: manifest.pool[record.target])
    case .directory, .special: break
    }
    json.endObject()
  }

  private mutating func appendEnd(_ hash: ContentHash) {
    json.endArray()
    json.name("sha256")
    json.string(hash)
    json.endObject()
  }

  /// Seconds since 1970 with nine decimals, as tar's own extended headers write times; the digits
  /// after the point always count forward, so -0.25 s is `-1.750000000`.
  private static func append(_ time: FileTime, to text: inout [UInt8]) {
    text.append(contentsOf: String(time.seconds).utf8)
    text.append(UInt8(ascii: "."))
    var divisor: Int32 = 100_000_000
    while divisor > 0 {
      text.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: time.nanoseconds / divisor % 10))
      divisor /= 10
    }
  }
}
