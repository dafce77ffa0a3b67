import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// Interchange streams of apps that only a profile describes: from a folder, and into another one.
@Suite struct ProfiledStreamTests {
  private static let january = "documents/2025-01.automerge"
  private static let lisbon = "45C48CCE-2E2D-4FBD-AA1A-FC51C7C60303"
  static let samples = ProfiledFolder.samples + ["greenhouse"]

  private func empty(like folder: ProfiledFolder) throws -> ProfiledFolder {
    try ProfiledFolder(folder.profile)
  }

  // MARK: Both ways

  @Test(arguments: samples)
  func `a stream of JSON makes the documents of an import in place`(_ name: String) throws {
    let folder = try ProfiledFolder(sample: name)
    let stream = try folder.streaming()
    let target = try empty(like: folder)
    let report = try target.importing(stream: stream)
    let inPlace = try folder.importing()
    #expect(report.counts.map(\.imported) == inPlace.counts.map(\.imported))
    #expect(report.counts.map(\.rejected) == inPlace.counts.map(\.rejected))
    #expect(try target.files() == folder.documents())
    #expect(report.findings.contains { $0.severity == .error } == false)

    // A second time nothing is new, and the stream of what came is the same again.
    let files = try target.files()
    let again = try target.importing(stream: stream)
    #expect(again.counts.allSatisfy { $0.imported == 0 })
    #expect(try target.files() == files)
  }

  @Test(arguments: samples, [true, false])
  func `a stream of documents makes the same documents again`(_ name: String, isSetAside: Bool)
    throws
  {
    let folder = try ProfiledFolder(sample: name)
    try folder.importing()
    let documents = try folder.documents()
    if isSetAside { try folder.setJSONAside() } else { try folder.removeJSON() }
    let target = try empty(like: folder)
    let stream = try folder.streaming()
    try target.importing(stream: stream)
    #expect(try target.files() == documents)
    if isSetAside {
      // The quarantine tells where everything was.
      let fresh = try ProfiledFolder(sample: name)
      #expect(try stream.places == fresh.streaming().places)
    }
    #expect(try target.streaming().lines.count == stream.lines.count)
  }

  @Test func `a stream of both has each entity once, documents first`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.edit(Self.january) {
      try $0.set("title", of: #require(Identity(Self.lisbon)), to: "Lisboa")
    }
    let id = "00000001-0000-4000-8000-000000000001"
    try folder.folder.write(
      #"{"id":"\#(id.lowercased())","title":"New","created":"2022-01-01T00:00:00Z","x":1.50}"#,
      to: "notes/new.json")
    let stream = try folder.streaming()
    #expect(stream.lines.count == 12)
    #expect(
      stream.lines.contains(
        #"{"kind":"note","id":"\#(id)","place":"notes/new.json","fields":{"title":"New","#
          + #""created":"2022-01-01T00:00:00Z","x":1.50}}"#))
    #expect(stream.text.contains(#""title":"Lisboa""#) && !stream.text.contains(#""Lisbon""#))
  }

  @Test func `lines are in the order of the profile, of places and of identities`() throws {
    let folder = try ProfiledFolder(sample: "greenhouse")
    let expected = [
      "plants/basil.json", "plants/mint.json", "plants/tomato.json", "beds.json#/beds/pots",
      "beds.json#/beds/south", "log/2025-03.json#/waterings/0", "log/2025-03.json#/waterings/1",
      "log/2025-04.json#/waterings/0", "settings.json",
    ]
    #expect(try folder.streaming().places == expected)
    try folder.importing()
    #expect(try folder.streaming().places == expected)
    try folder.removeJSON()
    #expect(
      try folder.streaming().places == [
        "plants/9B2F7C60-1F0E-4D59-9A57-31D9F2A54C01.json",
        "plants/9B2F7C60-1F0E-4D59-9A57-31D9F2A54C02.json",
        "plants/9B2F7C60-1F0E-4D59-9A57-31D9F2A54C03.json", "beds.json#/beds/pots",
        "beds.json#/beds/south", "log/2025-03.json#/waterings/-", "log/2025-03.json#/waterings/-",
        "log/2025-04.json#/waterings/-", "settings.json",
      ])
  }

  @Test func `lines have what the files have, without the identity`() throws {
    let habits = try ProfiledFolder(sample: "habits").streaming()
    #expect(
      habits.lines.contains(
        #"{"kind":"habit","id":"água","place":"habits.json#/habits/água","fields":"#
          + #"{"goal":1.5,"unit":"l","archived":false}}"#))
    #expect(
      habits.lines.contains(
        #"{"kind":"day","id":"log/2025/2025-02-01","place":"log/2025/2025-02-01.json","fields":"#
          + #"{"done":{"read":20},"mood":3,"note":null}}"#))
    let notes = try ProfiledFolder(sample: "notes")
    try notes.importing()
    try notes.setJSONAside()
    let lines = try notes.streaming().lines
    #expect(
      lines[0]
        == #"{"stream":"automerge-migrate","version":1,"profile":"notes","types":{"note":{"#
        + #""attachments":"list","body":"text","created":"date","edited":"date","links":"links","#
        + #""notebook":"reference","pinned":"boolean","rating":"integer","tags":"list","#
        + #""title":"string"},"notebook":{"color":"string","order":"integer"},"#
        + #""settings":{"fontSize":"double","theme":"string"}}}"#)
    #expect(
      lines.contains(
        #"{"kind":"note","id":"\#(Self.lisbon)","place":"notes/travel/lisbon.json","fields":{"#
          + #""attachments":["tram.jpg"],"body":"Tram 28, early.","#
          + #""created":"2025-01-02T07:45:10.500Z","links":["C9F0F895-FB98-4B91-99F1-4B8D3A1C0202"],"#
          + #""notebook":"Travel","rating":4,"tags":["city","2025"],"title":"Lisbon","#
          + #""mood":{"sun":true,"walks":[3,4.5,12]}}}"#))
    #expect(lines.last == #"{"end":true,"entities":9}"#)
  }

  @Test func `the stream does not depend on workers, and a dry run writes nothing`() throws {
    for name in Self.samples {
      let folder = try ProfiledFolder(sample: name)
      try folder.importing()
      #expect(try folder.streaming(workers: 1).text == folder.streaming(workers: 4).text)
      let stream = try TestStream([])
      let options = ExportOptions(source: folder.folder.path, destination: .stream(stream.sink))
      let plan = try ExportWorkflow(options, context: folder.context()).plan()
      #expect(stream.bytes.isEmpty && plan.counts.reduce(0, +) > 0)
    }
  }

  @Test func `an empty folder is a stream of two lines`() throws {
    let folder = try ProfiledFolder(ProfiledFolder(sample: "notes").profile)
    let stream = try folder.streaming()
    #expect(stream.lines.count == 2)
    #expect(try folder.importing(stream: stream).counts.allSatisfy { $0.read == 0 })
  }

  // MARK: Edits

  @Test func `what an app wrote comes back with its types`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.change(Self.january) { document in
      guard case .Object(let map, _)? = try document.get(obj: .ROOT, key: Self.lisbon) else {
        return
      }
      try document.put(obj: map, key: "rating", value: .Counter(5))
      try document.put(obj: map, key: "edited", value: .Int(5))
      try document.put(obj: map, key: "title", value: .String("Lisboa"))
      try document.put(obj: map, key: "extra", value: .Bytes(Data([1, 2])))
      try document.put(obj: map, key: "when", value: .Timestamp(Date(timeIntervalSince1970: 5)))
      try document.put(obj: map, key: "odd", value: .Unknown(typeCode: 12, data: Data([5])))
      try document.put(obj: map, key: "pinned", value: .F64(.nan))
      let free = try document.putObject(obj: map, key: "free", ty: .Text)
      try document.spliceText(obj: free, start: 0, delete: 0, value: "abc")
      let list = try document.putObject(obj: map, key: "tags", ty: .List)
      try document.insert(obj: list, index: 0, value: .Uint(7))
      try document.insert(obj: list, index: 1, value: .Counter(8))
      let text = try document.insertObject(obj: list, index: 2, ty: .Text)
      try document.spliceText(obj: text, start: 0, delete: 0, value: "é🌱")
      try document.insert(obj: list, index: 3, value: .Bytes(Data([9])))
      try document.insert(obj: list, index: 4, value: .Timestamp(Date(timeIntervalSince1970: 6)))
      try document.insert(obj: list, index: 5, value: .Unknown(typeCode: 13, data: Data([5])))
    }
    try folder.removeJSON()
    let stream = try folder.streaming()
    #expect(stream.text.contains(#""types":{"/pinned":"f64","/rating":"counter","/tags/0":"uint""#))
    let target = try empty(like: folder)
    let report = try target.importing(stream: stream)
    #expect(report.findings.filter { $0.severity == .error }.isEmpty)
    func values(of folder: ProfiledFolder) throws -> String {
      let document = try folder.folder.document(Self.january)
      let value = try #require(document.value(of: .root, key: Array(Self.lisbon.utf8)))
      return String(decoding: try document.typedJSON(of: value), as: UTF8.self)
    }
    #expect(try values(of: target) == values(of: folder))
    // And the verifier sees that.
    #expect(try target.verifying(against: stream).isSound)
    #expect(try folder.verifying(against: stream).isSound)
  }

  @Test func `an entity that the app added and one that it deleted are in the stream or not`()
    throws
  {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.add(
      "Plans", ["color": .String("#000000"), "order": .Int(9)], to: "notebooks.automerge")
    try folder.edit(Self.january, actor: 9) { try $0.delete(#require(Identity(Self.lisbon))) }
    let stream = try folder.streaming()
    #expect(
      stream.lines.contains(
        #"{"kind":"notebook","id":"Plans","place":"notebooks.json#/notebooks/-","fields":"#
          + ##"{"color":"#000000","order":9}}"##))
    #expect(!stream.text.contains(#""id":"\#(Self.lisbon)""#))
  }

  @Test func `keys that are no entities are lines that no import takes`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.change(Self.january) { document in
      try document.put(obj: .ROOT, key: "schema", value: .Counter(3))
    }
    let stream = try folder.streaming()
    #expect(
      stream.lines.contains(
        #"{"kind":"other","id":"schema","place":"documents/2025-01.automerge","fields":3,"#
          + #""types":{"":"counter"}}"#))
    let target = try empty(like: folder)
    let report = try target.importing(stream: stream)
    #expect(report.findings.map(\.code).filter { $0 == .otherKey }.count == 1)
    #expect(report.counts[0].imported == 5)
  }

  @Test func `losing values and documents that cannot be read are told`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.removeJSON()
    try folder.folder.write("no document", to: "documents/2023-05.automerge")
    try folder.change("settings.automerge") { document in
      guard case .Object(let map, _)? = try document.get(obj: .ROOT, key: "singleton") else {
        return
      }
      let other = document.fork()
      try document.put(obj: map, key: "theme", value: .String("light"))
      try other.put(obj: map, key: "theme", value: .String("red"))
      try document.merge(other: other)
    }
    let stream = try TestStream([])
    let options = ExportOptions(source: folder.folder.path, destination: .stream(stream.sink))
    let report = try ExportWorkflow(options, context: folder.context()).perform()
    #expect(report.findings.contains { $0.code == .damagedDocument })
    #expect(report.counts == [4, 3, 1] && stream.lines.count == 10)
    let losing = try #require(report.findings.first { $0.path == "settings.automerge" })
    #expect(losing.code == .notExported && losing.severity == .warning)
    #expect(losing.message == "1 losing value of conflicts is not exported")

    var context = folder.context(workers: 1)
    context.failsFast = true
    let cut = try TestStream([])
    let stopped = try ExportWorkflow(
      ExportOptions(source: folder.folder.path, destination: .stream(cut.sink)), context: context
    ).perform()
    #expect(stopped.findings.contains { $0.code == .notLookedAt && $0.message.contains("parts") })
    #expect(!cut.text.contains("\"end\":true"))
  }

  // MARK: One document

  @Test(arguments: [
    ("documents/2025-01.automerge", "Data/documents/2025-01.automerge", 2),
    ("documents/2025-01.automerge", "2025-01.automerge", 2),
    ("documents/2025-01.automerge", "x/2025-01 2.automerge", 2),
    ("notebooks.automerge", "elsewhere/notebooks.automerge", 3),
  ])
  func `one document is known by its name`(
    _ example: (path: String, name: String, count: Int)
  ) throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let place = try TestFolder("place")
    try place.write(folder.folder.bytes(example.path), to: example.name)
    let stream = try TestStream([])
    let source = place.path + "/" + example.name
    _ = try ExportWorkflow(
      ExportOptions(source: source, destination: .stream(stream.sink)), context: folder.context()
    ).perform()
    #expect(stream.lines.count == example.count + 2)
    let target = try empty(like: folder)
    try target.importing(stream: stream)
    #expect(try target.documents() == [example.path: folder.folder.bytes(example.path)])

    let files = try TestFolder("files")
    _ = try ExportWorkflow(
      ExportOptions(source: source, destination: .folder(path: files.path)),
      context: folder.context()
    ).perform()
    let again = try folder.app(in: files)
    try again.importing()
    #expect(try again.documents() == [example.path: folder.folder.bytes(example.path)])
  }

  @Test func `a document whose name tells nothing is refused, with the names that do`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let place = try TestFolder("place")
    try place.write(folder.folder.bytes("notebooks.automerge"), to: "some.automerge")
    let stream = try TestStream([])
    #expect {
      try ExportWorkflow(
        ExportOptions(source: place.path + "/some.automerge", destination: .stream(stream.sink)),
        context: folder.context()
      ).perform()
    } throws: { error in
      let diagnostic = (error as? MigrationError)?.diagnostic
      return diagnostic?.kind == .conflictsWithData
        && diagnostic?.remedy?.contains("notebooks.automerge") == true
    }
    #expect(stream.bytes.isEmpty)
  }

  // MARK: Between folders

  @Test func `a folder is copied to another one, documents only when that is asked for`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    let target = try empty(like: folder)
    try folder.importing { $0.target = target.folder.path }
    let expected = try target.files()
    #expect(expected.count == 6)
    try folder.importing()
    #expect(try folder.documents() == expected)

    let other = try empty(like: folder)
    #expect {
      try folder.importing { $0.target = other.folder.path }
    } throws: {
      ($0 as? MigrationError)?.diagnostic.kind == .conflictsWithData
    }
    #expect(try other.files().isEmpty)
    let report = try folder.importing {
      $0.target = other.folder.path
      $0.flattens = true
    }
    #expect(try other.files() == expected)
    let images = try #require(report.findings.first { $0.code == .imagesNotCopied })
    #expect(images.message == "2 files that entities name are not copied")
  }

  // MARK: Hostile streams

  @Test func `variants of one entity and lines in any order make what files make`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    let text = try folder.folder.text("notes/travel/lisbon.json")
    try folder.folder.write(
      text.replacing("2025-01-02T", with: "2025-03-02T"), to: "notes/again.json")
    try folder.folder.write(text, to: "notes/same.json")
    let stream = try folder.streaming()
    var lines = stream.lines
    lines[1..<lines.count - 1].reverse()
    let shuffled = try TestStream(Array((lines.joined(separator: "\n") + "\n").utf8))
    let inPlace = try folder.importing()
    for stream in [stream, shuffled] {
      let target = try empty(like: folder)
      let report = try target.importing(stream: stream)
      #expect(try target.files() == folder.documents())
      #expect(
        report.findings.filter { $0.code == .duplicateID }.map(\.path)
          == inPlace.findings.filter { $0.code == .duplicateID }.map(\.path))
    }
  }

  @Test func `a stream that is damaged anywhere leaves nothing`() throws {
    let folder = try ProfiledFolder(sample: "greenhouse")
    let lines = try folder.streaming().lines
    let bed = try #require(lines.firstIndex { $0.contains("beds/pots") })
    let damages: [(inout [String]) -> Void] = [
      { $0.removeLast() }, { $0.removeFirst() }, { $0.append($0[1]) },
      { $0[bed] = $0[bed].replacing(#""kind":"bed""#, with: #""kind":"bench""#) },
      { $0[bed] = $0[bed].replacing(#""id":"pots""#, with: #""id":"south""#) },
      { $0[bed] = $0[bed].replacing("beds.json#", with: "../beds.json#") },
      { $0[bed] = $0[bed].replacing(#""width":40"#, with: #""width":40,"width":41"#) },
      { $0[bed] = String($0[bed].dropLast()) },
      { $0[0] = $0[0].replacing(#""width":"integer""#, with: #""width":"double""#) },
      { $0[0] = $0[0].replacing(#""profile":"greenhouse""#, with: #""profile":"house""#) },
    ]
    for (number, damage) in damages.enumerated() {
      var damaged = lines
      damage(&damaged)
      let stream = try TestStream(Array((damaged.joined(separator: "\n") + "\n").utf8))
      let target = try empty(like: folder)
      let expected: Diagnostic.Kind = number < 8 ? .damagedInput : .conflictsWithData
      #expect("\(number)") {
        try target.importing(stream: stream)
      } throws: {
        ($0 as? MigrationError)?.diagnostic.kind == expected
      }
      #expect(try target.folder.files(includingState: true).isEmpty)
    }
  }

  @Test func `a filter that takes lines away is told`() throws {
    let folder = try ProfiledFolder(sample: "greenhouse")
    let lines = try folder.streaming().lines.filter { !$0.contains("plants/") }
    let target = try empty(like: folder)
    let report = try target.importing(
      stream: TestStream(Array((lines.joined(separator: "\n") + "\n").utf8)))
    #expect(report.findings.contains { $0.code == .filtered })
    #expect(try target.documents().keys.contains("plants.automerge") == false)
    #expect(report.counts.map(\.imported) == [0, 2, 3, 1])
  }

  @Test(arguments: [FaultPlan.Fault.stop, .failure(ENOSPC)])
  func `an import of a stream that fails anywhere leaves old or new`(_ fault: FaultPlan.Fault)
    throws
  {
    let folder = try ProfiledFolder(sample: "habits")
    let stream = try folder.streaming()
    try folder.importing()
    let expected = try folder.documents()
    var call = 1
    while true {
      let target = try empty(like: folder)
      let faults = FaultPlan(atCall: call, fault)
      _ = try? target.importing(stream: stream, faults: faults)
      for (name, bytes) in try target.files() where !name.hasSuffix(".tmp.nosync") {
        #expect(bytes == expected[name], "call \(call): \(name)")
      }
      try target.importing(stream: stream)
      #expect(try target.files() == expected, "call \(call)")
      if !faults.hasFired { break }
      call += fault == .stop ? 1 : 3
    }
    #expect(call > 10)
  }

  @Test func `names that are no UTF-8 are told and come back readable`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.folder.write("", to: "notes/x/y")
    let directory = try Directory.open(path: folder.folder.path + "/notes/x")
    let name = try #require(FileName([0x61, 0xff] + Array(".json".utf8)))
    let text =
      #"{"id":"00000001-0000-4000-8000-000000000001","title":"x","created":"2022-01-01T00:00:00Z"}"#
    let staged = try directory.stage(
      Array(text.utf8), as: name, replacing: .nothing, asPrivateAs: nil)
    try StagedFile.publish([staged.unlocked])
    let stream = try TestStream([])
    let report = try ExportWorkflow(
      ExportOptions(source: folder.folder.path, destination: .stream(stream.sink)),
      context: folder.context()
    ).perform()
    #expect(report.findings.contains { $0.code == .nameDerived })
    #expect(stream.places.contains("notes/x/a\u{fffd}.json"))
    let target = try empty(like: folder)
    #expect(try target.importing(stream: stream).counts[0].imported == 6)
  }
}
