import Folders
import Foundation
import SafeFiles
import Testing

@Suite struct InterchangeWriterTests {
  private func text(_ writer: InterchangeWriter) -> String {
    String(decoding: writer.json.bytes, as: UTF8.self)
  }

  private func place(_ text: String) throws -> EntityPlace {
    let bytes = Array(text.utf8)
    let place = EntityPlace(bytes.span)
    return try #require(place)
  }

  @Test func `a stream has its first and its last line`() {
    var writer = InterchangeWriter()
    writer.end()
    #expect(
      text(writer) == """
        {"stream":"automerge-migrate","version":1,"profile":"minuta"}
        {"end":true,"entities":0}

        """)
  }

  @Test func `an entity keeps its members and their order, without its id`() throws {
    let batch = loadRecord(
      #"{"z":1.50,"startTime":"2024-01-15T09:30:00.000+00:00","id":"6f9619ff-8b86-d011-b42d-00c04fc964ff","images":null,"comment":"a\u0009/","n":{"id":1}}"#
    )
    var writer = InterchangeWriter()
    writer.json.removeAll()
    writer.entity(
      try #require(batch.entities.first), of: batch, place: try place("records/2024/01/a"))
    #expect(
      text(writer)
        == #"{"kind":"record","id":"6F9619FF-8B86-D011-B42D-00C04FC964FF","place":"records/2024/01/a","fields":{"z":1.50,"startTime":"2024-01-15T09:30:00.000+00:00","images":null,"comment":"a\t/","n":{"id":1}}}"#
        + "\n")
    #expect(writer.entityCount == 1)
  }

  @Test func `dates given as numbers become dates`() throws {
    let batch = loadRecord(
      #"{"id":"6f9619ff-8b86-d011-b42d-00c04fc964ff","startTime":1705311000.25,"x":17}"#,
      EntityRules(numericDates: .unix))
    var writer = InterchangeWriter()
    writer.entity(
      try #require(batch.entities.first), of: batch, place: try place("records/2024/01/a"))
    #expect(text(writer).contains(#""fields":{"startTime":"2024-01-15T09:30:00.250Z","x":17}"#))
  }

  @Test func `what is written is read back, types included`() throws {
    var writer = InterchangeWriter()
    let id = Array(Samples.recordID.utf8)
    writer.beginEntity(.record, id: id.span, place: try place("records/2024/01/é \"x\""))
    writer.json.beginObject()
    writer.json.name("startTime")
    writer.json.string(RFC3339(milliseconds: 1_705_311_000_000))
    writer.json.name("a/b")
    writer.json.beginArray()
    writer.json.string("AQID")
    writer.json.number(7)
    writer.json.endArray()
    writer.json.endObject()
    var pointer: [UInt8] = []
    let name = Array("a/b".utf8)
    InterchangeWriter.append(name.span, toPointer: &pointer)
    let zero = pointer + Array("/0".utf8)
    let one = pointer + Array("/1".utf8)
    writer.endEntity(types: [(zero, .bytes), (one, .counter)])
    writer.end()
    let folder = try TestFolder()
    try folder.write(Data(writer.json.bytes), to: "stream")
    var reader = try InterchangeReader(
      FileReader.open(path: folder.url.appending(path: "stream").path))
    #expect(try reader.next())
    let entity = try #require(reader.batch.entities.first)
    var names: [UInt32] = []
    reader.batch.appendUnknownMembers(of: entity, to: &names)
    let list = Int(try #require(names.first)) + 1
    #expect(reader.batch.value(of: list + 1) == .bytes([1, 2, 3]))
    #expect(reader.batch.value(of: list + 2) == .counter(7))
    #expect(reader.place == (try place("records/2024/01/é \"x\"")))
    // And written once more, the same bytes.
    var again = InterchangeWriter()
    again.entity(entity, of: reader.batch, place: reader.place)
    #expect(try !reader.next())
    again.end()
    #expect(again.json.bytes == writer.json.bytes)
  }
}
