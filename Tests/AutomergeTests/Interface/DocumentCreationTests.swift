import Automerge
import Foundation
import Testing

/// How documents come to be, and what a new one is.
@Suite struct DocumentCreationTests {
  @Test func `a new document is empty and counts Unicode scalars`() throws {
    let document = Document()
    #expect(document.heads().isEmpty)
    #expect(document.getHistory().isEmpty)
    #expect(document.keys(obj: .ROOT).isEmpty)
    #expect(document.objectType(obj: .ROOT) == .Map)
    #expect(document.textEncoding == .unicodeScalar)
    #expect(document.encodeNewChanges().isEmpty)
  }

  @Test(arguments: TextEncoding.all)
  func `a document counts text as it was told`(encoding: TextEncoding) {
    #expect(Document(textEncoding: encoding).textEncoding == encoding)
    #expect(Document(textEncoding: encoding, logLevel: .debug).textEncoding == encoding)
  }

  @Test func `every document has a random author of 16 bytes`() throws {
    let documents = [Document(), Document(), Document(logLevel: .tracing)]
    #expect(Set(documents.map(\.actor)).count == 3)
    #expect(documents.allSatisfy { $0.actor.bytes.count == 16 })
    let file = documents[0].save()
    #expect(try Document(file).actor != Document(file).actor)
  }

  @Test func `the author is who changes are by from then on`() throws {
    let document = Document()
    let author = try #require(ActorId(data: Data([7, 8])))
    try document.put(obj: .ROOT, key: "a", value: .Int(1))
    let first = document.actor
    document.actor = author
    #expect(document.actor == author)
    try document.put(obj: .ROOT, key: "a", value: .Int(2))
    let authors = document.getHistory().map { document.change(hash: $0)?.actorId }
    #expect(authors == [first, author])
  }

  @Test func `an author may be set and set back between edits`() throws {
    let document = Document()
    let authors = [UInt8](1...3).map { ActorId(data: Data([$0])) }
    for round in 0..<3 {
      for author in authors {
        document.actor = try #require(author)
        try document.put(obj: .ROOT, key: "k", value: .Int(Int64(round)))
        try document.put(obj: .ROOT, key: author.debugDescription, value: .Int(Int64(round)))
      }
    }
    #expect(document.getHistory().count == 9)
    document.expectSound()
  }

  @Test(arguments: TextEncoding.all)
  func `a loaded document counts Unicode scalars whatever wrote it`(
    encoding: TextEncoding
  ) throws {
    let written = Document(textEncoding: encoding)
    let text = try written.putObject(obj: .ROOT, key: "t", ty: .Text)
    try written.spliceText(obj: text, start: 0, delete: 0, value: "a😀e\u{301}z")
    let loaded = try Document(written.save())
    #expect(loaded.textEncoding == .unicodeScalar)
    #expect(loaded.length(obj: text) == 5)
    #expect(try loaded.text(obj: text) == "a😀e\u{301}z")
  }

  @Test func `an empty file is an empty document`() throws {
    #expect(try Document(Data()).heads().isEmpty)
    #expect(try Document(Data(), logLevel: .errorOnly).save() == Document().save())
  }

  @Test func `a slice of bytes loads like a copy of them`() throws {
    let file = try SmallDocument().document.save()
    let slice = (Data([1, 2, 3]) + file).dropFirst(3)
    #expect(slice.startIndex == 3)
    #expect(try Document(slice).save() == file)
    let document = Document()
    try document.applyEncodedChanges(encoded: slice)
    #expect(document.save() == file)
  }

  @Test func `loading is strict to the last byte`() throws {
    let file = try SmallDocument().document.save()
    for damaged in [file.dropLast(), file + Data([0]), Data([1]), Data(file.reversed())] {
      let error = #expect(throws: LoadError.self) { try Document(Data(damaged)) }
      #expect(error?.errorDescription?.hasPrefix("Error loading a document: ") == true)
    }
  }
}
