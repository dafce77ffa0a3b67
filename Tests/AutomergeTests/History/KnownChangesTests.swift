import Testing

@testable import Automerge

/// A file that was made of a document is read beside it: what is the same is not hashed again, and
/// whatever is not is found.
@Suite struct KnownChangesTests {
  /// A document, what is behind it in a history, and a file of all of it.
  private struct Sample {
    let known: DocumentState
    let whole: DocumentState

    init(seed: UInt64, changeCount: Int) throws {
      var histories = HistoryGenerator(seed: seed)
      let changes = histories.history(changeCount: changeCount)
      var generator = SeededGenerator(seed: seed)
      let knownCount = generator.below(changeCount + 1)
      var document = DocumentState()
      var known = document
      for (index, change) in changes.enumerated() {
        if index == knownCount { known = document }
        var batch = ChangeBatch()
        try batch.append(parsing: change.bytes)
        try document.apply(batch)
      }
      if knownCount == changeCount { known = document }
      // As readers have both: from files.
      let (knownFile, hasKnown) = (known.encoded(), known.changeCount > 0)
      self.known = hasKnown ? try DocumentState(loading: knownFile) : known
      whole = document
    }
  }

  private static func knownChanges(
    of file: [UInt8], in known: DocumentState
  ) throws -> KnownChanges? {
    var reader = ByteReader(file)
    let header = try ChunkHeader(&reader)
    var parser = ChangeParser(limits: .standard, inputByteCount: file.count)
    var chunk = try DocumentChunk(header, budget: &parser.budget)
    let operations = try OpSet(&chunk, textEncoding: .unicodeScalar)
    let pages = operations.directory.pages
    return KnownChanges(of: chunk, pages, in: known.known, needsChunks: false)
  }

  @Test(arguments: [UInt64](0..<150))
  func `a file is read beside its beginning as it is read alone`(seed: UInt64) throws {
    let sample = try Sample(seed: seed, changeCount: 1 + Int(seed % 40))
    let file = sample.whole.encoded()
    let alone = try DocumentState(loading: file, keeping: .none)
    let beside = try DocumentState(loading: file, besides: sample.known)
    #expect(beside.heads == alone.heads)
    #expect(beside.history.changes.map(\.hash) == alone.history.changes.map(\.hash))
    #expect(beside.history.dependencyRows == alone.history.dependencyRows)
    #expect(beside.encoded() == file)
    let whole = try DocumentState(loading: file, besides: sample.known, keeping: .all)
    let kept = try DocumentState(loading: file)
    #expect(
      whole.chunks(since: [], isCompressed: false) == kept.chunks(since: [], isCompressed: false))
    #expect((0..<whole.changeCount).allSatisfy { whole.change(at: $0) == kept.change(at: $0) })
    // All of what was there is known, so that this test cannot pass by hashing everything.
    guard sample.known.changeCount * 2 >= sample.whole.changeCount else { return }
    let same = try Self.knownChanges(of: file, in: sample.known)
    #expect(same?.count ?? 0 == sample.known.changeCount)
    let newCount = sample.whole.operationCount - sample.known.operationCount
    #expect(sample.known.changeCount == 0 || same?.newRows.count == newCount)
    // And the other way round: a file beside a document that went on.
    let former = sample.known.encoded()
    guard sample.known.changeCount > 0 else { return }
    #expect(try Self.knownChanges(of: former, in: alone)?.count == sample.known.changeCount)
    #expect(try DocumentState(loading: former, besides: alone).encoded() == former)
  }

  @Test(arguments: [UInt64](0..<150))
  func `a document with other changes is none to read beside`(seed: UInt64) throws {
    let sample = try Sample(seed: seed, changeCount: 20)
    let other = try Sample(seed: seed + 1000, changeCount: 20).whole
    let file = sample.whole.encoded()
    #expect(try Self.knownChanges(of: file, in: other) == nil)
    #expect(try DocumentState(loading: file, besides: other).encoded() == file)
  }

  @Test(arguments: [UInt64](0..<9))
  func `a file with one byte bent under a checksum that fits is judged the same`(
    seed: UInt64
  ) throws {
    let sample = try Sample(seed: seed, changeCount: 16)
    guard sample.known.changeCount > 0 else { return }
    let plain = try #require(try ChunkList(sample.whole.encoded()).chunks.first).inflated
    var refusedCount = 0
    for position in plain.body.indices {
      var bent = plain
      bent.body[position] ^= position.isMultiple(of: 2) ? 0x01 : 0x40
      let alone = Self.outcome { try DocumentState(loading: bent.bytes, keeping: .none) }
      let beside = Self.outcome { try DocumentState(loading: bent.bytes, besides: sample.known) }
      #expect(alone == beside, "byte \(position)")
      if case .failure = alone { refusedCount += 1 }
    }
    // Next to nothing of a document can be bent unseen.
    #expect(refusedCount > plain.body.count * 9 / 10)
  }

  private static func outcome(
    _ load: () throws -> DocumentState
  ) -> Result<[UInt8], FormatError> {
    do {
      return .success(try load().encoded())
    } catch let error as FormatError {
      return .failure(error)
    } catch {
      return .success([])
    }
  }
}
