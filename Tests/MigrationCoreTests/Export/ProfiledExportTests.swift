import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// The documents of an app that only a profile describes, written back as the app's own files.
@Suite struct ProfiledExportTests {
  private static let january = "documents/2025-01.automerge"
  private static let lisbon = "45C48CCE-2E2D-4FBD-AA1A-FC51C7C60303"
  private static let lisbonFile = "notes/travel/lisbon.json"

  // MARK: Both ways

  @Test(arguments: ProfiledFolder.samples + ["greenhouse"], [true, false])
  func `what is exported makes the same documents again`(_ name: String, isSetAside: Bool) throws {
    let folder = try ProfiledFolder(sample: name)
    let legacy = try folder.files()
    let imported = try folder.importing()
    let documents = try folder.documents()
    if isSetAside { try folder.setJSONAside() } else { try folder.removeJSON() }
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    #expect(report.counts == imported.counts.map(\.imported))
    #expect(report.findings.contains { $0.severity == .error } == false)
    if isSetAside {
      #expect(
        try Set(target.files().keys) == Set(legacy.keys.filter { $0.hasSuffix(".json") }))
      #expect(Set(report.findings.map(\.code)).isSubset(of: [.imagesNotCopied]))
    }
    #expect(report.filesCreated == (try target.files().count))

    let again = try folder.app(in: target)
    try again.importing()
    #expect(try again.documents() == documents)
    let second = try folder.exporting(to: target)
    #expect(second.filesCreated == 0 && second.filesUnchanged == report.filesCreated)
  }

  @Test func `files have the members, the order and what stays that they had`() throws {
    let notes = try ProfiledFolder(sample: "notes")
    try notes.importing()
    try notes.setJSONAside()
    let target = try TestFolder("out")
    try notes.exporting(to: target)
    #expect(
      try target.text("notebooks.json") == """
        {"version":3,"notebooks":[{"name":"Inbox","color":"#888888","order":0},\
        {"name":"Travel","color":"#2277CC","order":1},\
        {"name":"Küche","order":2,"shared":["Ana","Rui"]}]}

        """)
    #expect(
      try target.text("settings.json") == """
        {"fontSize":13.0,"theme":"dark","windows":[{"x":0,"y":22}]}

        """)
    #expect(
      try target.text(Self.lisbonFile) == """
        {"id":"\(Self.lisbon)","attachments":["tram.jpg"],"body":"Tram 28, early.",\
        "created":"2025-01-02T07:45:10.500Z","links":["C9F0F895-FB98-4B91-99F1-4B8D3A1C0202"],\
        "notebook":"Travel","rating":4,"tags":["city","2025"],"title":"Lisbon",\
        "mood":{"sun":true,"walks":[3,4.5,12]}}

        """)
    let habits = try ProfiledFolder(sample: "habits")
    try habits.importing()
    try habits.setJSONAside()
    try habits.exporting(to: target)
    #expect(
      try target.text("habits.json") == """
        {"app":{"build":412},"habits":{\
        "run":{"color":"green","goal":"5.5","schedule":{"mon":true,"thu":true},"unit":"km"},\
        "read":{"goal":"20","unit":"pages"},"água":{"goal":"1.5","unit":"l","archived":false}}}

        """)
  }

  @Test func `without the files it is told what could not be written`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.removeJSON()
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    let stays = try #require(report.findings.first { $0.path == "notebooks.json" })
    #expect(stays.code == .notExported && stays.severity == .warning)
    #expect(stays.message.contains("/version"))
    // By the bytes of the identities: nobody knows the order.
    #expect(try target.text("notebooks.json").hasPrefix(#"{"notebooks":[{"name":"Inbox""#))
    #expect(
      try target.text("notebooks.json").contains(
        #""Küche","order":2,"shared":["Ana","Rui"]},{"name":"Travel""#))
    let derived = report.findings.filter { $0.code == .nameDerived }
    #expect(derived.count == 5 && derived.allSatisfy { $0.severity == .info })
    #expect(target.exists("notes/\(Self.lisbon).json"))
  }

  // MARK: Edits

  @Test func `documents win over the JSON beside them`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.change(Self.january) { document in
      guard case .Object(let map, _)? = try document.get(obj: .ROOT, key: Self.lisbon) else {
        return
      }
      try document.put(obj: map, key: "title", value: .String("Lisboa"))
    }
    let target = try TestFolder("out")
    try folder.exporting(to: target)
    #expect(try target.text(Self.lisbonFile).contains(#""title":"Lisboa""#))
  }

  @Test func `what was deleted is not exported, and what else its file holds stays`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.change(Self.january) { try $0.delete(obj: .ROOT, key: Self.lisbon) }
    try folder.change("notebooks.automerge") { document in
      for name in ["Inbox", "Travel", "Küche"] { try document.delete(obj: .ROOT, key: name) }
    }
    try folder.change("settings.automerge") { try $0.delete(obj: .ROOT, key: "singleton") }
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    let deleted = report.findings.filter { $0.code == .deleted }
    #expect(deleted.count == 5 && deleted.allSatisfy { $0.severity == .info })
    #expect(report.counts == [4, 0, 0])
    #expect(try target.text("notebooks.json") == "{\"version\":3,\"notebooks\":[]}\n")
    #expect(!target.exists(Self.lisbonFile) && !target.exists("settings.json"))
  }

  @Test func `what the app added gets a place, and comes back from there`() throws {
    let folder = try ProfiledFolder(sample: "habits")
    try folder.importing()
    try folder.setJSONAside()
    try folder.add("log/2025/2025-02-11", ["mood": .Int(2)], to: "log/2025-02.automerge")
    try folder.add("swim", ["goal": .String("2")], to: "habits.automerge")
    try folder.add("bike", ["goal": .String("9")], to: "habits.automerge")
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    #expect(report.findings.isEmpty)
    #expect(try target.text("log/2025/2025-02-11.json") == "{\"mood\":2}\n")
    let habits = try target.text("habits.json")
    #expect(
      habits.hasSuffix(#""archived":false},"bike":{"goal":"9"},"swim":{"goal":"2"}}}"# + "\n"))
    let again = try folder.app(in: target)
    #expect(!(try again.importing().endsWithDifferences))
    #expect(again.folder.exists("log/2025-02.automerge"))
  }

  @Test func `the JSON that no document knows is exported as it is`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let new =
      #"{"title":"New","created":"2022-01-01T00:00:00+02:00","id":"00000001-0000-4000-8000-000000000001"}"#
    try folder.folder.write(new, to: "notes/new.json")
    let notebooks = try folder.folder.text("notebooks.json")
      .replacing("\"notebooks\": [", with: "\"notebooks\": [{\"order\":9,\"name\":\"First\"},")
    try folder.folder.write(notebooks, to: "notebooks.json")
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    #expect(report.counts == [6, 4, 1])
    #expect(try target.text("notes/new.json") == new + "\n")
    #expect(
      try target.text("notebooks.json").hasPrefix(
        #"{"version":3,"notebooks":[{"order":9,"name":"First"},{"name":"Inbox","color""#))
    // Nothing was imported yet: the files are what they were.
    let plain = try ProfiledFolder(sample: "habits")
    let other = try TestFolder("other")
    #expect(try plain.exporting(to: other).counts == [3, 4])
    let copy = try plain.app(in: other)
    try copy.importing()
    try plain.importing()
    #expect(try copy.documents() == plain.documents())
  }

  @Test func `members that are neither entities nor expected are kept, and the import says so`()
    throws
  {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.folder.write(
      #"{"trash":[1,{"a":null}],"notebooks":[{"name":"Inbox"},{"order":4}],"version":"3.10"}"#,
      to: "notebooks.json")
    try folder.importing()
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    #expect(report.findings.contains { $0.code == .missingField && $0.severity == .error })
    #expect(
      try target.text("notebooks.json")
        == #"{"trash":[1,{"a":null}],"notebooks":[{"name":"Inbox"}],"version":"3.10"}"# + "\n")
  }

  @Test func `the newest file of the quarantine says what a file was like`() throws {
    let folder = try ProfiledFolder(sample: "habits")
    try folder.importing()
    try folder.setJSONAside(in: "20260106T120000Z")
    try folder.folder.write(
      #"{"habits":{"água":{"goal":1.5}},"app":7}"#,
      to: ".automerge-migrate.nosync/quarantine/20260301T120000Z/habits.json")
    let target = try TestFolder("out")
    try folder.exporting(to: target)
    let text = try target.text("habits.json")
    #expect(text.hasPrefix(#"{"habits":{"água":{"goal":"1.5""#) && text.hasSuffix("},\"app\":7}\n"))
  }

  // MARK: Several documents

  @Test func `an entity in the documents of two months is exported once, and that is told`() throws
  {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.add(
      Self.lisbon,
      ["title": .String("Other"), "created": .Timestamp(Date(timeIntervalSince1970: 0))],
      to: "documents/2023-05.automerge")
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    let told = try #require(report.findings.first { $0.code == .notExported })
    #expect(told.path == Self.january && told.message.contains(Self.lisbon))
    #expect(report.counts == [5, 3, 1])
    #expect(try target.text(Self.lisbonFile).contains(#""title":"Other""#))
  }

  @Test func `conflict copies of documents and losing values are told`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let other = try folder.copied()
    for (device, title) in [(folder, "One"), (other, "Two")] {
      try device.change(Self.january) { document in
        guard case .Object(let map, _)? = try document.get(obj: .ROOT, key: Self.lisbon) else {
          return
        }
        try document.put(obj: map, key: "title", value: .String(title))
      }
    }
    let copy = try folder.copied()
    try copy.folder.write(other.folder.bytes(Self.january), to: "documents/2025-01 2.automerge")
    let target = try TestFolder("out")
    let report = try copy.exporting(to: target)
    #expect(report.counts == [5, 3, 1])
    #expect(
      report.findings.contains {
        $0.code == .notExported && $0.path == "documents/2025-01 2.automerge"
          && $0.message.contains("is exported from documents/2025-01.automerge")
      })

    try folder.change(Self.january) { document in
      try document.merge(other: Document(Data(other.folder.bytes(Self.january))))
    }
    let merged = try folder.exporting(to: TestFolder("merged"))
    #expect(
      merged.findings.filter { $0.code == .notExported }.map(\.message)
        == ["1 losing value of conflicts is not exported"])
  }

  @Test func `a document that cannot be read is told, the others are exported`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.removeJSON()
    var bytes = try folder.folder.bytes(Self.january)
    bytes[bytes.count / 2] ^= 0x55
    try folder.folder.write(bytes, to: Self.january)
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target)
    #expect(report.endsWithDifferences)
    #expect(report.findings.contains { $0.path == Self.january && $0.severity == .error })
    #expect(report.counts == [3, 3, 1])
  }

  // MARK: Destinations

  @Test func `a file with other bytes is never replaced`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    for path in ["notebooks.json", Self.lisbonFile, "settings.json"] {
      let target = try TestFolder("out")
      try target.write("{}", to: path)
      #expect {
        try folder.exporting(to: target)
      } throws: { error in
        (error as? MigrationError)?.diagnostic.kind == .cannotCreate
      }
      #expect(try target.text(path) == "{}")
    }
  }

  @Test func `a dry run writes nothing and counts the same`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let target = try TestFolder("out")
    let plan = try folder.exporting(to: target, isDryRun: true)
    #expect(try target.files().isEmpty)
    let report = try folder.exporting(to: target)
    #expect(plan.counts == report.counts && plan.filesCreated == report.filesCreated)
    #expect(plan.isDryRun && !report.isDryRun)
  }

  @Test func `the export does not depend on workers`() throws {
    for name in ProfiledFolder.samples + ["greenhouse"] {
      let folder = try ProfiledFolder(sample: name)
      try folder.importing()
      try folder.removeJSON()
      let one = try TestFolder("one")
      let other = try TestFolder("other")
      let report = try folder.exporting(to: one, workers: 1)
      #expect(try folder.exporting(to: other, workers: 4).findings == report.findings)
      #expect(try one.files() == other.files())
    }
  }

  @Test(arguments: ProfiledFolder.samples, [FaultPlan.Fault.stop, .failure(ENOSPC), .failure(EIO)])
  func `an export that fails anywhere leaves old or new, and the next one completes it`(
    _ name: String, _ fault: FaultPlan.Fault
  ) throws {
    let folder = try ProfiledFolder(sample: name)
    try folder.importing()
    try folder.setJSONAside()
    let source = try folder.folder.files(includingState: true)
    let undisturbed = try TestFolder("out")
    try folder.exporting(to: undisturbed)
    let expected = try undisturbed.files()
    var call = 1
    while true {
      let target = try TestFolder("out")
      let faults = FaultPlan(atCall: call, fault)
      _ = try? folder.exporting(to: target, workers: 1, faults: faults)
      for (path, bytes) in try target.files() where !path.hasSuffix(".tmp.nosync") {
        #expect(bytes == expected[path], "call \(call): \(path)")
      }
      try folder.exporting(to: target)
      #expect(try target.files() == expected, "call \(call)")
      #expect(try folder.folder.files(includingState: true) == source)
      if !faults.hasFired { break }
      call += fault == .stop ? 1 : 3
    }
    #expect(call > 10)
  }
}
