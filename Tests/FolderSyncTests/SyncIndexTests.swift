@testable import Automerge
@testable import FolderSync
import SafeFiles
import Testing

/// What sides say of their folders, and what they remember.
@Suite struct SyncIndexTests {
  private static func path(_ text: String) throws -> RelativePath {
    try #require(RelativePath(text))
  }

  private static func file(_ text: String) -> SideIndex.File {
    SideIndex.File(hash: ContentHash(of: Array(text.utf8)), byteCount: text.utf8.count)
  }

  private static func hash(_ byte: UInt8) -> ChangeHash {
    ChangeHash(bytes: [UInt8](repeating: byte, count: 32))
  }

  private static func document(_ byte: UInt8) -> SideIndex.Document {
    SideIndex.Document(heads: HeadsDigest(of: HeadList([hash(byte)])), byteCount: Int(byte))
  }

  private static func index() throws -> SideIndex {
    var index = SideIndex()
    for number: UInt8 in 1...5 {
      index.documents[try path("records/2024/0\(number).automerge")] = document(number)
      index.files[try path("records/2024/0\(number)/a.jpg")] = file("\(number)")
    }
    return index
  }

  @Test func `an index is read as it was written, whatever both knew before`() throws {
    let index = try Self.index()
    var base = index
    base.documents[try Self.path("gone.automerge")] = Self.document(9)
    base.documents[try Self.path("records/2024/01.automerge")] = Self.document(9)
    base.files[try Self.path("records/2024/01/a.jpg")] = nil
    var sizes: [Int] = []
    for known in [SideIndex(), base, index] {
      var writer = WireWriter()
      index.write(to: &writer, besides: known)
      var reader = WireReader(writer.bytes)
      #expect(try SideIndex(&reader, besides: known) == index)
      #expect(reader.isAtEnd)
      sizes.append(writer.bytes.count)
    }
    #expect(sizes[2] == 4 && sizes[1] < sizes[0], "\(sizes)")
  }

  @Test func `an index that ends early, or leaves the folder, is refused`() throws {
    var writer = WireWriter()
    try Self.index().write(to: &writer, besides: SideIndex())
    for count in 0..<writer.bytes.count {
      var reader = WireReader(Array(writer.bytes[..<count]))
      #expect(throws: WireDefect.self) { _ = try SideIndex(&reader, besides: SideIndex()) }
    }
    for path in ["../x", "a/../b", "/etc/passwd", "", "a//b", "a/"] {
      var writer = WireWriter()
      writer.number(1)
      writer.text(path)
      writer.raw([UInt8](repeating: 0, count: 20))
      var reader = WireReader(writer.bytes)
      #expect(throws: WireDefect.self) { _ = try SideIndex(&reader, besides: SideIndex()) }
    }
  }

  @Test func `a path is a document or a file, whatever the other side says`() throws {
    var index = SideIndex()
    let path = try Self.path("records/2024/01.automerge")
    index.documents[path] = Self.document(1)
    index.files[path] = Self.file("no document")
    var writer = WireWriter()
    index.write(to: &writer, besides: SideIndex())
    var reader = WireReader(writer.bytes)
    #expect(throws: WireDefect.self) { _ = try SideIndex(&reader, besides: SideIndex()) }
    // Nor if one of the two was there before.
    var base = index
    base.documents = PathTable()
    writer = WireWriter()
    index.write(to: &writer, besides: base)
    reader = WireReader(writer.bytes)
    #expect(throws: WireDefect.self) { _ = try SideIndex(&reader, besides: base) }
  }

  @Test func `a memory is read as it was written, and any damage makes it none`() throws {
    var memory = SyncMemory()
    memory.documents[try Self.path("tags.automerge")] = SyncMemory.Document(
      HeadList([Self.hash(1), Self.hash(2)]))
    memory.files[try Self.path("records/2024/01/a.jpg")] = Self.file("a")
    let bytes = memory.encoded
    let read = try SyncMemory(bytes)
    #expect(read.index == memory.index)
    #expect(read.documents.first?.value.heads.hashes == [Self.hash(1), Self.hash(2)])
    for position in bytes.indices {
      var damaged = bytes
      damaged[position] ^= 0x10
      #expect(throws: WireDefect.self) { try SyncMemory(damaged) }
      #expect(throws: WireDefect.self) { try SyncMemory(Array(bytes[..<position])) }
    }
  }

  @Test func `both sides make one plan of two indexes`() throws {
    let here = try Self.index()
    var there = here
    there.documents[try Self.path("records/2024/02.automerge")] = Self.document(8)
    there.documents[try Self.path("records/2024/03.automerge")] = nil
    there.documents[try Self.path("records/2024/09.automerge")] = Self.document(9)
    there.files[try Self.path("records/2024/04/a.jpg")] = Self.file("other")
    there.files[try Self.path("records/2024/05/a.jpg")] = nil
    there.files[try Self.path("records/2024/06/b.jpg")] = Self.file("new")
    let declined: Set = [try Self.path("records/2024/09.automerge")]
    let ours = SyncPlan(here: here, there: there, declined: declined)
    let theirs = SyncPlan(here: there, there: here, declined: declined)
    #expect(ours.digest(isClient: true) == theirs.digest(isClient: false))
    #expect(ours.digest(isClient: true) != theirs.digest(isClient: true))
    #expect(
      ours.digest(isClient: true)
        != SyncPlan(here: here, there: there, declined: []).digest(isClient: true))
    #expect(ours.documents.map(\.path) == theirs.documents.map(\.path))
    #expect(
      ours.documents.map(\.path.description) == ["02", "03"].map { "records/2024/\($0).automerge" })
    #expect(ours.files.map(\.path) == theirs.files.map(\.path))
    #expect(ours.files.map(\.isHere) == theirs.files.map { !$0.isHere })
    #expect(ours.differing.map(\.description) == ["records/2024/04/a.jpg"])
    #expect(ours.equalDocumentCount == 3 && ours.equalFileCount == 3)
  }

  @Test func `names that are composed on one side only are one name`() throws {
    var (here, there) = (SideIndex(), SideIndex())
    here.files[try Self.path("images/e\u{301}.jpg")] = Self.file("a")
    there.files[try Self.path("images/\u{e9}.jpg")] = Self.file("a")
    let same = SyncPlan(here: here, there: there, declined: [])
    #expect(same.files.isEmpty && same.differing.isEmpty && same.equalFileCount == 1)
    there.files[try Self.path("images/\u{e9}.jpg")] = Self.file("b")
    #expect(SyncPlan(here: here, there: there, declined: []).differing.count == 1)
    #expect(SyncPlan(here: there, there: here, declined: []).differing.count == 1)
  }
}
