/// The outermost frame: `[4 magic][4 checksum][1 type][leb128 length][body]`.
struct ForgedChunk {
  static let magic: [UInt8] = [0x85, 0x6f, 0x4a, 0x83]

  var type: UInt8
  var body: [UInt8]

  /// The hash of the chunk; of a change, its identity.
  var hash: [UInt8] {
    SHA256Digest.of([type] + ForgedNumber.prefixed(body))
  }

  /// The chunk with a checksum that fits.
  var bytes: [UInt8] { bytes(checksum: Array(hash.prefix(4))) }

  func bytes(
    magic: [UInt8] = ForgedChunk.magic, checksum: [UInt8], claimedLength: [UInt8]? = nil
  ) -> [UInt8] {
    magic + checksum + [type] + (claimedLength ?? ForgedNumber.uleb(UInt64(body.count))) + body
  }

  /// Returns the compressed form of a change: `deflated` must inflate to `body`, and the
  /// checksum is that of the uncompressed chunk.
  func compressed(as deflated: [UInt8]) -> [UInt8] {
    ForgedChunk(type: 2, body: deflated).bytes(checksum: Array(hash.prefix(4)))
  }
}
