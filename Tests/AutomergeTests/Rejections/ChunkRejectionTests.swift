@testable import Automerge
import Testing

/// Files whose outermost frame is wrong.
@Suite struct ChunkRejectionTests {
  @Test func `the undamaged samples are accepted`() throws {
    let file = SampleHistory.changes.flatMap(\.bytes)
    let heads = [SampleHistory.second.hash, SampleHistory.concurrent.hash].sorted {
      $0.lexicographicallyPrecedes($1)
    }
    #expect(try DocumentState(loading: file).heads.map(\.bytes) == heads)
    #expect(try DocumentState(loading: SampleHistory.document.bytes).heads.map(\.bytes) == heads)
    let compressed = SampleHistory.first.chunk.compressed(
      as: ForgedDeflate.stored(SampleHistory.first.chunk.body))
    #expect(try DocumentState(loading: compressed).heads.map(\.bytes) == [SampleHistory.first.hash])
  }

  @Test(arguments: frames) func `a wrong frame is refused`(_ rejection: Rejection) {
    rejection.check()
  }

  static let frames: [Rejection] = {
    let chunk = SampleHistory.first.chunk
    let body = chunk.body
    let checksum = Array(chunk.hash.prefix(4))
    let computed = checksum.reduce(0) { $0 << 8 | UInt32($1) }
    let document = SampleHistory.document
    return [
      Rejection(
        "magic bytes wrong", .invalidMagic,
        chunk.bytes(magic: [0x85, 0x6f, 0x4a, 0x82], checksum: checksum)),
      Rejection("text instead of a document", .invalidMagic, Array("{\"tags\": []}".utf8)),
      Rejection(
        "checksum wrong", .checksumMismatch(stored: computed ^ 1, computed: computed),
        chunk.bytes(checksum: checksum.dropLast() + [checksum[3] ^ 1])),
      Rejection(
        "bundle chunk", .bundleUnsupported, ForgedChunk(type: 3, body: [0, 0, 0]).bytes),
      Rejection("chunk type 4", .unknownChunkType(4), ForgedChunk(type: 4, body: body).bytes),
      Rejection("chunk type 255", .unknownChunkType(255), ForgedChunk(type: 255, body: []).bytes),
      Rejection(
        "chunk one byte longer than the input", .truncated(missing: 1),
        Array(chunk.bytes.dropLast())),
      Rejection(
        "chunk that claims 2^63 bytes", .truncated(missing: Int.max - body.count),
        chunk.bytes(checksum: checksum, claimedLength: ForgedNumber.uleb(1 << 63))),
      Rejection(
        "overlong chunk length", .overlongInteger,
        chunk.bytes(
          checksum: checksum, claimedLength: ForgedNumber.uleb(UInt64(body.count), padding: 1))),
      Rejection(
        "chunk length over 64 bits", .integerTooLarge,
        chunk.bytes(
          checksum: checksum, claimedLength: [UInt8](repeating: 0xff, count: 9) + [0x02])),
      Rejection(
        "garbage after the last chunk", .invalidMagic,
        document.bytes + [UInt8](repeating: 7, count: 12)),
      Rejection(
        "truncated chunk after a document", .truncated(missing: 3),
        document.bytes + hex("856f4a83 00")),
      Rejection(
        "compressed change that does not inflate", .corruptDeflate,
        chunk.compressed(as: [0x07])),
      Rejection(
        "compressed change with a truncated stream", .corruptDeflate,
        chunk.compressed(as: Array(ForgedDeflate.stored(body).dropLast()))),
      Rejection(
        "bytes after the end of a compressed change", .leftoverBytes(count: 1),
        chunk.compressed(as: ForgedDeflate.stored(body) + [0])),
      Rejection(
        "compressed change with the checksum of its stored bytes",
        .checksumMismatch(
          stored: word(ForgedChunk(type: 2, body: ForgedDeflate.stored(body)).hash),
          computed: computed),
        ForgedChunk(type: 2, body: ForgedDeflate.stored(body)).bytes),
    ]
  }()

  private static func word(_ hash: [UInt8]) -> UInt32 {
    hash.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  @Test func `an input cut anywhere is refused or shorter by whole chunks`() throws {
    let file = SampleHistory.changes.flatMap(\.bytes)
    let ends = SampleHistory.changes.indices.map {
      SampleHistory.changes[...$0].flatMap(\.bytes).count
    }
    for length in 1..<file.count where !ends.contains(length) {
      let cut = Array(file[..<length])
      #expect(throws: FormatError.self, "cut at \(length)") { _ = try DocumentState(loading: cut) }
    }
    for (count, end) in ends.enumerated() {
      #expect(try DocumentState(loading: Array(file[..<end])).changeCount == count + 1)
    }
  }
}
