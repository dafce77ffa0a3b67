import Automerge
import Diagnostics
import Folders
import Foundation
import SampleStores
import Testing

@testable import MigrationCore
@testable import Runs

/// Rows whose cells alone decide: a verification says the same as one that reads the line of every row.
@Suite struct PlainRowTests {
  /// What a verification says, and how many rows it read no line of.
  private struct Verdict: Equatable {
    var findings: [Finding]
    var counts: [VerificationReport.Count]
    var numbers: [Int]
    var settledCount = 0

    init(_ report: VerificationReport) {
      (findings, counts) = (report.findings, report.counts)
      numbers = [
        report.documentsVerified, report.changesVerified, report.fieldsCompared, report.imagesFound,
      ]
    }
  }

  /// Verifies the documents of a place against stores, with cells alone where these decide or without.
  private func verdict(
    on folder: TestFolder, against stores: TestFolder, readsAllLines: Bool
  ) throws -> Verdict {
    var context = TestFolder.context()
    let source = try #require(try StoreSource.open(stores.path, context: context))
    context.kinds = source.kinds
    var references = try VerificationReferences.stores(source, at: "stores", rules: EntityRules())
    if readsAllLines { references.plainRows = nil }
    let settledCount = Counter()
    let lines = try #require(references.lines)
    references.lines = { settled in
      for (number, store) in source.stores.enumerated() {
        for entity in store.entities {
          settledCount.value += settled.part(of: entity.layout, inStore: number)?.rows.count ?? 0
        }
      }
      return lines(settled)
    }
    let directory = try FolderAccess.open(folder.path, context: context)
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(
      of: directory, as: context.kinds, noting: &unlisted)
    var run = VerificationRun(
      directory, inventory, unlisted: unlisted, against: references, context: context)
    var verdict = Verdict(try run.run().report)
    verdict.settledCount = settledCount.value
    return verdict
  }

  private final class Counter { var value = 0 }

  /// Verifies both ways and returns what they say, which has to be the same.
  private func verdict(on place: StorePlace, against stores: TestFolder? = nil) throws -> Verdict {
    var fast = try verdict(
      on: place.folder, against: stores ?? place.stores, readsAllLines: false)
    let full = try verdict(on: place.folder, against: stores ?? place.stores, readsAllLines: true)
    #expect(full.settledCount == 0)
    let settledCount = fast.settledCount
    fast.settledCount = 0
    #expect(fast == full)
    fast.settledCount = settledCount
    return fast
  }

  private static let versions = SampleApp.all.flatMap { app in
    app.versions.map { "\(app.name) \($0.name)" }
  }

  private static func place(_ version: String, device: Int = 1) throws -> StorePlace {
    let words = version.split(separator: " ").map(String.init)
    guard let app = SampleApp.named(words[0]) else { throw CocoaError(.featureUnsupported) }
    return try StorePlace(StorePlace.plan(app, words[1], rows: 240, device: device))
  }

  @Test(arguments: versions)
  func `an import of every version is equal, with lines and without`(version: String) throws {
    let place = try Self.place(version)
    try place.importing { $0.includesPrivate = true }
    let verdict = try verdict(on: place)
    #expect(!verdict.findings.contains { $0.severity == .error }, "\(verdict.findings)")
  }

  @Test func `rows of plain values need no line`() throws {
    let place = try Self.place("ritualist V11")
    try place.importing()
    let logs = try place.exporting().lines.count { $0.hasPrefix(#"{"kind":"log""#) }
    #expect(logs > 100)
    #expect(try verdict(on: place).settledCount >= logs)
  }

  @Test func `rows of another device are compared with its own numbers`() throws {
    let place = try Self.place("ritualist V11")
    let other = try Self.place("ritualist V11", device: 2)
    try place.importing()
    let verdict = try verdict(on: place, against: other.stores)
    #expect(verdict.counts.contains { $0.kind == "log" && $0.reference > 0 })
  }

  /// What an import could make of a row that its cells do not say.
  private static let faults: [(from: String, to: String)] = [
    (#""value":1"#, #""value":7"#), (#""value":1.0"#, #""value":null"#),
    (#""timezone":"Eu"#, #""timezone":"eu"#), (#""timezone":"UTC""#, #""timezone":"UTC ""#),
    (#""date":"20"#, #""date":"19"#), (#"Z","habit""#, #"Z","more":1,"habit""#),
    (#""habit":""#, #""habit":"HabitModel/p1","x":""#),
    (#""habitID":""#, #""habitID":"00000000-0000-0000-0000-000000000000","x":""#),
  ]

  @Test(arguments: faults.indices)
  func `what a document shows wrong is settled by no cell`(index: Int) throws {
    let (from, to) = Self.faults[index]
    let place = try Self.place("ritualist V11")
    var count = 0
    let lines = try place.exporting().lines.map { line in
      guard line.hasPrefix(#"{"kind":"log""#) else { return line }
      let altered = line.replacingOccurrences(of: from, with: to)
      if altered != line { count += 1 }
      return altered
    }
    #expect(count > 0, "\(lines.dropFirst().first { $0.contains("log") } ?? "")")
    try importing(lines, into: place)
    let verdict = try verdict(on: place)
    let logs = verdict.counts.filter { $0.kind == "log" }
    #expect(logs.reduce(0) { $0 + $1.reference - $1.equal } == count)
    #expect(verdict.findings.count { $0.severity == .error } >= count)
  }

  /// Imports lines that say something else than the store they came from.
  private func importing(_ lines: [String], into place: StorePlace) throws {
    let file = place.folder.beside("stream.jsonl")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
    let stores = try #require(
      try StoreSource.open(place.stores.path, context: TestFolder.context()))
    var context = TestFolder.context()
    context.kinds = stores.kinds
    let handle = try #require(FileHandle(forReadingAtPath: file))
    let options = ImportOptions(
      source: .stream(ByteSource(name: "stream", descriptor: handle.fileDescriptor)),
      target: place.folder.path)
    _ = try ImportWorkflow(options, context: context).perform()
    withExtendedLifetime(handle) {}
  }

  @Test func `what was edited and deleted in documents is told the same`() throws {
    let place = try Self.place("ritualist V11")
    try place.importing()
    for (path, bytes) in try place.documents() where path.hasPrefix("logs/") {
      let document = try Document(Data(bytes))
      let keys = document.keys(obj: .ROOT)
      guard case .Object(let first, .Map)? = try document.get(obj: .ROOT, key: keys[0]) else {
        continue
      }
      try document.put(obj: first, key: "value", value: .F64(99))
      if keys.count > 1 { try document.delete(obj: .ROOT, key: keys[1]) }
      if keys.count > 2, case .Object(let third, .Map)? = try document.get(obj: .ROOT, key: keys[2])
      {
        // The same value, written again by an edit.
        try document.put(obj: third, key: "timezone", value: .String("UTC"))
      }
      try place.folder.write([UInt8](document.save()), to: path)
    }
    let verdict = try verdict(on: place)
    #expect(verdict.findings.contains { $0.code == .editedSince })
    #expect(verdict.findings.contains { $0.code == .deletedSince })
  }

  @Test func `rows that several documents show are compared with all of them`() throws {
    let place = try Self.place("ritualist V11")
    try place.importing()
    let documents = try place.documents().filter { $0.key.hasPrefix("logs/") }
      .sorted { $0.key < $1.key }
    let (path, bytes) = try #require(documents.first)
    let document = try Document(Data(bytes))
    let key = document.keys(obj: .ROOT)[0]
    guard case .Object(let map, .Map)? = try document.get(obj: .ROOT, key: key) else { return }
    try document.put(obj: map, key: "value", value: .F64(99))
    try place.folder.write([UInt8](document.save()), to: "logs/2031/01.automerge")
    try place.folder.write(bytes, to: path.replacingOccurrences(of: ".auto", with: " 2.auto"))
    let verdict = try verdict(on: place)
    #expect(verdict.findings.contains { $0.code == .duplicate })
  }

  @Test func `documents that are gone leave their rows unsettled`() throws {
    let place = try Self.place("ritualist V11")
    try place.importing()
    let path = try #require(try place.documents().keys.filter { $0.hasPrefix("logs/") }.min())
    try FileManager.default.removeItem(atPath: place.folder.path + "/" + path)
    let verdict = try verdict(on: place)
    #expect(verdict.findings.contains { $0.code == .missingEntity })
  }

  @Test func `rows whose time zone is none are told, and cells alone settle the others`() throws {
    let place = try StorePlace(
      StorePlace.plan(.ritualist, "V11", rows: 240, [.unknownZones]))
    try place.importing { $0.includesPrivate = true }
    let verdict = try verdict(on: place)
    let told = verdict.findings.filter { $0.message.contains("the name of no time zone") }
    #expect(told.count > 60 && told.allSatisfy { $0.code == .unexpectedValue })
    #expect(verdict.settledCount > 100)
  }
}
