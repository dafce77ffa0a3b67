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
  /// How much text is handed over at once.
  private static let pieceSize = 1 << 16

  private var json = JSONWriter(hasShortEscapes: false)
  private var hash = SHA256()

  /// Returns how many bytes `write` hands over.
  static func length(of manifest: BackupManifest) -> Int {
    var length = 0
    var writer = ManifestWriter()
    writer.render(manifest, isHashed: false) { length += $0.count }
    return length
  }

  /// Hands over the text in pieces, in order.
  static func write(
    _ manifest: BackupManifest, _ body: ([UInt8]) throws(BackupError) -> Void
  ) throws(BackupError) {
    var writer = ManifestWriter()
    try writer.render(manifest, isHashed: true, body)
  }

  private mutating func render<Failure: Error>(
    _ manifest: BackupManifest, isHashed: Bool, _ body: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    append(manifest.summary)
    for position in manifest.records.indices {
      json.bytes.append(contentsOf: position == 0 ? "\n".utf8 : ",\n".utf8)
      json.restart()
      append(manifest.records[position], of: manifest)
      if json.bytes.count >= Self.pieceSize {
        if isHashed { hash.update(json.bytes, 0..<json.bytes.count) }
        try body(json.bytes)
        json.removeAll()
      }
    }
    json.bytes.append(UInt8(ascii: "\n"))
    if isHashed { hash.update(json.bytes, 0..<json.bytes.count) }
    appendEnd(ContentHash(hash.finalize()))
    json.bytes.append(UInt8(ascii: "\n"))
    try body(json.bytes)
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
