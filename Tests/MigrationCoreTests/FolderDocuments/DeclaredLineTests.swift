import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Foundation
import SafeFiles
import Testing

/// Entities of declared kinds as lines of an interchange stream: what a line says makes what it was
/// written of.
@Suite struct DeclaredLineTests {
  private static let place = "item/x.json"

  /// The kinds of the samples, which have files here.
  private func kinds(of samples: DeclaredSamples) throws -> EntityKinds {
    let kinds = try samples.profile.kinds.map { kind in
      var kind = kind
      let isOne = kind.identity == .singleton
      kind.home = EntityHome(
        paths: [try PathPattern(Array("\(kind.name)/\(isOne ? "x" : "*").json".utf8))],
        document: .one(try PathTemplate(ofDocument: Array("\(kind.name).automerge".utf8))))
      return kind
    }
    let profile = try Profile(
      name: samples.profile.name, version: samples.profile.version, kinds: kinds)
    return EntityKinds(profile, givenAs: "samples.json")
  }

  /// A stream of one entity, read again.
  private func read(
    _ fields: [UInt8], types: [(pointer: [UInt8], type: StreamType)] = [], _ kinds: EntityKinds
  ) throws -> EntityBatch {
    let kind = try #require(kinds.all.first)
    let path = try #require(RelativePath(Self.place))
    let place = kinds.place(
      of: kind, in: path, identity: DeclaredSamples.identity, element: nil)
    var writer = InterchangeWriter(kinds)
    let identity = DeclaredSamples.identity
    writer.beginEntity(kind, id: identity.span, place: .file(place))
    writer.json.value(written: fields.span)
    writer.endEntity(types: types)
    writer.end()
    var reader = try InterchangeReader(writer.json.bytes, name: "stream", of: kinds)
    #expect(try reader.next())
    let batch = reader.batch
    #expect(try !reader.next())
    return batch
  }

  private func chunks(of batch: EntityBatch) throws -> [UInt8]? {
    guard let entity = batch.entities.first else { return nil }
    var changes = EntityChanges(batch.kinds)
    var chunks = ChangeChunks()
    try changes.build(entity, of: batch, into: &chunks)
    return chunks.bytes
  }

  @Test(arguments: [91, 92] as [UInt64])
  func `a line of what a file says makes the changes of the file`(seed: UInt64) throws {
    var samples = try DeclaredSamples(seed: seed)
    let kinds = try kinds(of: samples)
    var count = 0
    for step in 0..<60 {
      let fields = samples.fields(wrongShare: step.isMultiple(of: 2) ? 0 : 4)
      let expected = try samples.chunks(of: fields)
      // The identity stands in the line.
      let json = samples.json(of: fields.filter { $0.key.bytes != Array("id".utf8) })
      let batch = try read(json, kinds)
      #expect(
        try chunks(of: batch) == expected, "seed \(seed) step \(step): \(samples.text(of: fields))")
      #expect((batch.entities.isEmpty) == (expected == nil))
      if expected != nil { count += 1 }

      // What the document shows makes them again.
      guard let expected else { continue }
      let state = try EntityState(expected)
      let (line, exporter) = export(state, samples)
      #expect(exporter.types.isEmpty && exporter.findings.isEmpty)
      #expect(try chunks(of: read(line, kinds)) == expected, "seed \(seed) step \(step)")
    }
    #expect(count > 30)
  }

  private func export(
    _ state: EntityState, _ samples: DeclaredSamples
  ) -> (json: [UInt8], exporter: DeclaredExporter) {
    var exporter = DeclaredExporter(samples.kind, of: samples.profile)
    var json = JSONWriter()
    let identity = DeclaredSamples.identity
    json.beginObject()
    exporter.writeMembers(
      of: state.map, identity: identity.span, in: state.document,
      hasIdentity: false, level: 1, to: &json)
    json.endObject()
    return (json.bytes, exporter)
  }

  @Test func `what an app wrote comes back with its types, wherever it stands`() throws {
    let samples = try DeclaredSamples(seed: 93)
    let kinds = try kinds(of: samples)
    let values: [ScalarValue] = [
      .Null, .Boolean(true), .Int(5), .Int(-5), .Uint(5), .Uint(.max), .F64(5), .F64(-0.0),
      .F64(.nan), .F64(-.infinity), .Counter(5), .String("x"), .Bytes(Data([5])),
      .Timestamp(Date(timeIntervalSince1970: 5)), .Timestamp(Date(timeIntervalSince1970: 1e12)),
      .Unknown(typeCode: 12, data: Data([5])),
    ]
    let names = samples.kind.properties.filter { !$0.isRequired }.map(\.name.description) + ["free"]
    var count = 0
    for name in names {
      for choice in 0..<values.count + 3 {
        let document = Document()
        let map = try document.putObject(
          obj: .ROOT, key: String(decoding: DeclaredSamples.identity, as: UTF8.self), ty: .Map)
        try document.put(obj: map, key: "core", value: .String("c"))
        switch choice - values.count {
        case 0:
          let text = try document.putObject(obj: map, key: name, ty: .Text)
          try document.spliceText(obj: text, start: 0, delete: 0, value: "é🌱")
        case 1:
          let list = try document.putObject(obj: map, key: name, ty: .List)
          for (index, value) in values.enumerated() {
            try document.insert(obj: list, index: UInt64(index), value: value)
          }
          let text = try document.insertObject(obj: list, index: 0, ty: .Text)
          try document.spliceText(obj: text, start: 0, delete: 0, value: "abc")
        case 2:
          let inner = try document.putObject(obj: map, key: name, ty: .Map)
          for (index, value) in values.enumerated() {
            try document.put(obj: inner, key: "\(index)/~", value: value)
          }
          _ = try document.putObject(obj: inner, key: "text", ty: .Text)
        default: try document.put(obj: map, key: name, value: values[choice])
        }
        let state = try EntityState(Array(document.save()))
        let (json, exporter) = export(state, samples)
        // What would be read as the declared type though it is none is told.
        guard exporter.findings.isEmpty else { continue }
        let text = String(decoding: json, as: UTF8.self)
        let batch = try read(json, types: exporter.types, kinds)
        let entity = try #require(batch.entities.first, "\(name): \(text) \(batch.findings)")
        var comparison = EntityComparison(kinds)
        let isEqual = comparison.compare(
          entity, of: batch, with: state.map, of: state.document, ignoresID: false)
        #expect(isEqual, "\(name): \(text)")
        let again = try EntityState(#require(try chunks(of: batch))).values()
        // Null of what may be absent is nothing.
        for (name, value) in try state.values() where value != Array("null".utf8) {
          #expect(again[name] == value, "\(name): \(text)")
        }
        count += 1
      }
    }
    #expect(count > 300)
  }
}
