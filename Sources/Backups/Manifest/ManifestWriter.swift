import Crypto
import SafeFiles

/// Writes a manifest as JSON: a first line with the summary, one line for each entry, and a last
/// line with the SHA-256 of all that is before it.
///
/// The text depends on the manifest alone, and its length not on the hashes: so its place at the
/// start of an archive can be kept free while the files are still being read.
struct ManifestWriter {
  static let schema: StaticString = "automerge-migrate/backup"
  static let version = 1
  /// How much text is handed over at once.
  private static let pieceSize = 1 << 16

  private var text: [UInt8] = []
  private var hash = SHA256()

  /// Returns how many bytes `write` hands over.
  static func length(of manifest: BackupManifest) -> Int {
    var length = 0
    var writer = ManifestWriter()
    writer.render(manifest) { length += $0.count }
    return length
  }

  /// Hands over the text in pieces, in order.
  static func write(
    _ manifest: BackupManifest, _ body: ([UInt8]) throws(BackupError) -> Void
  ) throws(BackupError) {
    var writer = ManifestWriter()
    try writer.render(manifest, body)
  }

  private mutating func render<Failure: Error>(
    _ manifest: BackupManifest, _ body: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    appendSummary(manifest.summary)
    for position in manifest.records.indices {
      text.append(contentsOf: position == 0 ? "\n".utf8 : ",\n".utf8)
      append(manifest.records[position], of: manifest)
      if text.count >= Self.pieceSize {
        hash.update(text, 0..<text.count)
        try body(text)
        text.removeAll(keepingCapacity: true)
      }
    }
    append("\n")
    hash.update(text, 0..<text.count)
    append("],\"sha256\":\"")
    ContentHash(hash.finalize()).appendHexDigits(to: &text)
    append("\"}\n")
    try body(text)
  }

  private mutating func appendSummary(_ summary: BackupSummary) {
    append("{\"schema\":\"")
    append(Self.schema)
    append("\",\"version\":")
    append(Self.version)
    append(",\"folder\":")
    appendString(Array(summary.folderName.utf8)[...])
    append(",\"origin\":")
    appendString(Array(summary.origin.utf8)[...])
    append(",\"created\":")
    appendString(Array(summary.created.utf8)[...])
    append(",\"files\":")
    append(summary.fileCount)
    append(",\"directories\":")
    append(summary.directoryCount)
    append(",\"links\":")
    append(summary.linkCount)
    append(",\"special\":")
    append(summary.specialCount)
    append(",\"bytes\":")
    append(Int(summary.byteCount))
    append(",\"legacyFiles\":")
    append(summary.holdsLegacyFiles ? "true" : "false")
    if let number = summary.folderNumber {
      append(",\"id\":")
      appendString(Array(number.utf8)[...])
    }
    append(",\"entries\":[")
  }

  private mutating func append(_ record: BackupManifest.Record, of manifest: BackupManifest) {
    appendBytes("path", manifest.pool[record.path], isFirst: true)
    append(",\"kind\":\"")
    text.append(contentsOf: record.kind.rawValue.utf8)
    append("\"")
    if record.kind == .file {
      append(",\"size\":")
      append(Int(record.size))
    }
    append(",\"mode\":\"")
    text.append(contentsOf: String(record.mode, radix: 8).utf8)
    append("\",\"uid\":")
    append(Int(record.owner.user))
    append(",\"gid\":")
    append(Int(record.owner.group))
    append(",\"modified\":\"")
    appendTime(record.modified)
    append("\"")
    switch record.kind {
    case .file:
      append(",\"sha256\":\"")
      record.hash.appendHexDigits(to: &text)
      append("\"}")
    case .link:
      appendBytes("target", manifest.pool[record.target], isFirst: false)
      append("}")
    case .directory, .special: append("}")
    }
  }

  /// Valid UTF-8 is a JSON string; anything else is written as `NAMEBytes` in hexadecimal.
  private mutating func appendBytes(
    _ name: StaticString, _ bytes: ArraySlice<UInt8>, isFirst: Bool
  ) {
    append(isFirst ? "{\"" : ",\"")
    append(name)
    if bytes.allSatisfy({ $0 < 0x80 }) || String(validating: bytes, as: UTF8.self) != nil {
      append("\":")
      appendString(bytes)
    } else {
      append("Bytes\":\"")
      for byte in bytes { HexDigits.append(byte, to: &text) }
      append("\"")
    }
  }

  private mutating func appendString(_ bytes: ArraySlice<UInt8>) {
    append("\"")
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        text.append(UInt8(ascii: "\\"))
        text.append(byte)
      case 0..<0x20:
        append("\\u00")
        HexDigits.append(byte, to: &text)
      default: text.append(byte)
      }
    }
    append("\"")
  }

  /// Seconds since 1970 with nine decimals, as tar's own extended headers write times; the digits
  /// after the point always count forward, so -0.25 s is `-1.750000000`.
  private mutating func appendTime(_ time: FileTime) {
    append(Int(time.seconds))
    append(".")
    let digits = String(time.nanoseconds)
    for _ in digits.utf8.count..<9 { text.append(UInt8(ascii: "0")) }
    text.append(contentsOf: digits.utf8)
  }

  private mutating func append(_ number: Int) { text.append(contentsOf: String(number).utf8) }

  private mutating func append(_ string: StaticString) {
    // SAFETY: a static string's bytes live as long as the program.
    unsafe text.append(
      contentsOf: UnsafeBufferPointer(
        start: string.utf8Start, count: string.utf8CodeUnitCount))
  }
}
