/// A sync message taken apart and put together without the engine (format.md 7.1).
struct ForgedSyncMessage {
  struct Have {
    var lastSync: [[UInt8]]
    var bloom: [UInt8]
  }

  var version: [UInt8]
  var heads: [[UInt8]]
  var need: [[UInt8]]
  var have: [Have]
  var items: [[UInt8]]
  var flags: [UInt8]

  init(parsing bytes: [UInt8]) throws(PlainReader.Malformed) {
    func hashes(_ reader: inout PlainReader) throws(PlainReader.Malformed) -> [[UInt8]] {
      try reader.list { reader throws(PlainReader.Malformed) in try reader.take(32) }
    }
    var reader = PlainReader(bytes)
    version = try reader.take(1)
    heads = try hashes(&reader)
    need = try hashes(&reader)
    have = []
    for _ in 0..<(try reader.uleb()) {
      have.append(Have(lastSync: try hashes(&reader), bloom: try reader.prefixed()))
    }
    items = try reader.list { reader throws(PlainReader.Malformed) in try reader.prefixed() }
    flags = reader.rest()
  }

  var bytes: [UInt8] {
    func list(_ hashes: [[UInt8]]) -> [UInt8] {
      ForgedNumber.uleb(UInt64(hashes.count)) + hashes.joined()
    }
    return version + list(heads) + list(need) + ForgedNumber.uleb(UInt64(have.count))
      + have.flatMap { list($0.lastSync) + ForgedNumber.prefixed($0.bloom) }
      + ForgedNumber.uleb(UInt64(items.count)) + items.flatMap(ForgedNumber.prefixed) + flags
  }
}
