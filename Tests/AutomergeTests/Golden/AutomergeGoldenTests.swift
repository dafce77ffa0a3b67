import Automerge
import Foundation
import Testing

/// The reference's documents: what they must read as, and the bytes they must be saved as.
@Suite struct AutomergeGoldenTests {
  /// As they are, backwards, and shuffled in some ways.
  private static let orders = [UInt64](
    0..<(ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil ? 12 : 3))

  @Test func `the corpus is complete`() {
    #expect(GoldenCase.all.count == 57)
    #expect(GoldenCase.fuzz.count == 15)
    #expect(GoldenCase.sync.count == 6)
  }

  private func document(_ path: String) throws -> Document {
    try Document(Data(try Fixtures.bytes(path)))
  }

  private func heads(_ path: String) throws -> [String] { try Fixtures.lines(path).sorted() }

  private func expectState(
    of document: Document, at heads: Set<ChangeHash>? = nil, equals path: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let state = try TypedRendering(document: document, heads: heads).state()
    let difference = state.firstDifference(from: try Fixtures.tree(path))
    #expect(difference == nil, sourceLocation: sourceLocation)
  }

  @Test(arguments: GoldenCase.readable)
  func `the state is what the reference reads`(golden: GoldenCase) throws {
    let document = try document(golden.document)
    try expectState(of: document, equals: golden.expected)
    #expect(document.heads().map(\.hex).sorted() == (try heads(golden.heads)))
  }

  @Test(arguments: GoldenCase.readable)
  func `the history is what the reference lists`(golden: GoldenCase) throws {
    let document = try document(golden.document)
    let listed = try Fixtures.lines("\(golden.name)/changes.jsonl").map {
      try JSONTree(parsing: Array($0.utf8))
    }
    let hashes = document.getHistory()
    #expect(Set(hashes.map(\.hex)) == Set(listed.compactMap { $0["hash"]?.text }))
    #expect(hashes.count == listed.count)
    for entry in listed {
      let hash = try #require(entry["hash"]?.text.flatMap(ChangeHash.init(hex:)))
      let change = try #require(document.change(hash: hash))
      #expect(change.hash == hash)
      #expect(change.actorId.description.lowercased() == entry["actor"]?.text)
      #expect(change.deps.map(\.hex) == entry["deps"]?.elements.compactMap(\.text))
      // An empty message and none are the same bytes.
      #expect(change.message ?? "" == entry["message"]?.text ?? "")
      #expect(
        entry["time"].map { Double("\($0)") } == change.timestamp.timeIntervalSince1970)
    }
  }

  @Test(arguments: GoldenCase.readable)
  func `every change encodes to the bytes it came as`(golden: GoldenCase) throws {
    let document = try document(golden.document)
    for path in try golden.changePaths() {
      let bytes = try Fixtures.bytes(path)
      let hash = try #require(ChangeHash(hex: hexadecimal(ForgedChunk.single(bytes).hash)))
      let change = try #require(document.change(hash: hash), "\(path)")
      #expect(try ChunkList.inflated(Array(change.bytes)) == bytes, "\(path)")
    }
  }

  /// Documents that are one document chunk, so that the order of the changes is the file's.
  static let saves: [String] = GoldenCase.all.filter { !GoldenCase.optional.contains($0.name) }
    .flatMap { golden in
      ((try? Fixtures.names(in: golden.name)) ?? [])
        .filter { $0.hasSuffix(".automerge") }.map { "\(golden.name)/\($0)" }
    }
    .filter { path in
      let chunks = (try? ChunkList(Fixtures.bytes(path)))?.chunks ?? []
      return chunks.map(\.type) == [0]
    }

  @Test func `most of the corpus is whole saves`() {
    #expect(Self.saves.count > 120)
  }

  @Test(arguments: saves)
  func `saving gives the reference's bytes up to deflate`(path: String) throws {
    let bytes = try Fixtures.bytes(path)
    let saved = Array(try document(path).save())
    #expect(try ChunkList.inflated(saved) == ChunkList.inflated(bytes))
    // One case is a save without compression, which is not how we save.
    guard !path.hasPrefix("no-compress/") else { return }
    let specifications = try Self.specifications(saved)
    #expect(specifications == (try Self.specifications(bytes)))
  }

  /// The specifications of all columns, deflate bits included.
  private static func specifications(_ file: [UInt8]) throws -> [UInt64] {
    let body = try ForgedDocument(parsing: ChunkList(file).chunks[0].body)
    return (body.changeColumns.columns + body.operationColumns.columns).map(\.specification)
  }

  @Test(arguments: GoldenCase.readable)
  func `loading what was saved changes nothing`(golden: GoldenCase) throws {
    let first = try document(golden.document)
    let saved = first.save()
    let second = try Document(saved)
    #expect(second.heads() == first.heads())
    #expect(second.getHistory() == first.getHistory())
    #expect(second.save() == saved)
    try expectState(of: second, equals: golden.expected)
  }

  @Test(arguments: GoldenCase.readable, orders)
  func `the order in which changes arrive does not matter`(
    golden: GoldenCase, order: UInt64
  ) throws {
    var chunks = try golden.changePaths().map { try Fixtures.bytes($0) }
    guard !chunks.isEmpty else { return }
    switch order {
    case 0: break
    case 1: chunks.reverse()
    default:
      var generator = SeededGenerator(seed: order)
      chunks.shuffle(using: &generator)
      chunks.append(chunks[generator.below(chunks.count)])
    }
    let document = try Document(Data(chunks.flatMap(\.self)))
    #expect(document.heads().map(\.hex).sorted() == (try heads(golden.heads)))
    try expectState(of: document, equals: golden.expected)
    try expectState(of: try Document(document.save()), equals: golden.expected)
  }

  @Test(arguments: GoldenCase.fuzz)
  func `a save with changes behind it reads like the merge`(golden: GoldenCase) throws {
    let document = try document("\(golden.name)/incremental.automerge")
    #expect(document.heads().map(\.hex).sorted() == (try heads(golden.heads)))
    try expectState(of: document, equals: golden.expected)
  }

  @Test(arguments: GoldenCase.fuzz, 1...3)
  func `a state in the past is what it was`(golden: GoldenCase, point: Int) throws {
    let document = try document(golden.document)
    let hashes = try Fixtures.lines("\(golden.name)/at-\(point).heads").map {
      try #require(ChangeHash(hex: $0))
    }
    try expectState(of: document, at: Set(hashes), equals: "\(golden.name)/at-\(point).json")
  }

  @Test(arguments: GoldenCase.fuzz)
  func `the forks join to the merge in any order`(golden: GoldenCase) throws {
    let forks = try Fixtures.names(in: golden.name).filter { $0.hasPrefix("actor-") }
      .map { try Fixtures.bytes("\(golden.name)/\($0)") }
    #expect(forks.count > 1)
    for files in [forks, forks.reversed()] {
      let document = try Document(Data(files.flatMap(\.self)))
      #expect(document.heads().map(\.hex).sorted() == (try heads(golden.heads)))
      try expectState(of: document, equals: golden.expected)
    }
  }

  @Test func `a conflicted copy joins the document it was copied from`() throws {
    let name = "minuta-conflicted-copy"
    let copies = ["01.automerge", "01 (conflicted copy 2026-01-06).automerge"]
    for (index, copy) in copies.enumerated() {
      let document = try document("\(name)/\(copy)")
      try expectState(of: document, equals: "\(name)/copy\(index + 1)-expected.json")
      let heads = try heads("\(name)/copy\(index + 1)-heads.txt")
      #expect(document.heads().map(\.hex).sorted() == heads)
    }
    for order in [copies, copies.reversed()] {
      let joined = try order.flatMap { try Fixtures.bytes("\(name)/\($0)") }
      let document = try Document(Data(joined))
      try expectState(of: document, equals: "\(name)/expected-merged.json")
      #expect(document.heads().map(\.hex).sorted() == (try heads("\(name)/merged-heads.txt")))
    }
  }

  @Test func `a change that arrives before its dependency waits`() throws {
    let bytes = try Fixtures.bytes("orphan-change/doc.automerge")
    let document = try Document(Data(bytes))
    let saved = Array(document.save())
    #expect(try ChunkList.inflated(saved) == ChunkList.inflated(bytes))
    let missing = try Fixtures.bytes("orphan-change/missing.change")
    for file in [bytes + missing, saved + missing] {
      let complete = try Document(Data(file))
      try expectState(of: complete, equals: "orphan-change/after-missing-expected.json")
      let heads = try heads("orphan-change/after-missing-heads.txt")
      #expect(complete.heads().map(\.hex).sorted() == heads)
    }
  }

  @Test func `extra bytes of a change are saved as the reference saves them`() throws {
    let saved = Array(try document("extra-bytes/doc.automerge").save())
    let reference = try Fixtures.bytes("extra-bytes/saved.automerge")
    #expect(try ChunkList.inflated(saved) == ChunkList.inflated(reference))
  }

  @Test func `what a newer version wrote is refused with the reason`() throws {
    let bundle = #expect(throws: LoadError.self) { try document("bundle-chunk/doc.automerge") }
    #expect(bundle?.errorDescription?.contains("bundle") == true)
    let column = #expect(throws: LoadError.self) { try document("unknown-column/doc.automerge") }
    #expect(column?.errorDescription?.contains("column 198") == true)
  }

  @Test(arguments: GoldenCase.sync)
  func `both sides of a sync end alike`(golden: GoldenCase) throws {
    for side in ["a", "b"] {
      _ = try document("\(golden.name)/\(side)-before.automerge")
      let after = try document("\(golden.name)/\(side)-after.automerge")
      try expectState(of: after, equals: golden.expected)
      #expect(after.heads().map(\.hex).sorted() == (try heads(golden.heads)))
    }
  }

  @Test func `an empty file is an empty document`() throws {
    let document = try Document(Data())
    #expect(document.heads().isEmpty)
    #expect(document.keys(obj: .ROOT).isEmpty)
    #expect(Array(document.save()) == (try Fixtures.bytes("empty/doc.automerge")))
  }
}

extension ForgedChunk {
  /// The only chunk of a file.
  static func single(_ file: [UInt8]) throws -> ForgedChunk {
    let chunks = try ChunkList(file).chunks
    guard let chunk = chunks.first, chunks.count == 1 else { throw PlainReader.Malformed() }
    return chunk
  }
}
