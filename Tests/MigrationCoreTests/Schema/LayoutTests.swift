import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Records that get documents of another layout.
@Suite struct LayoutTests {
  private static let january = "records/2024/01"
  private static let names = ["2024-01-15_093000", "2024-01-16_093000", "2024-02-01_080000"]

  private static func path(_ name: String) -> String {
    "records/\(name.prefix(4))/\(name.dropFirst(5).prefix(2))/\(name)"
  }

  /// A folder of documents of single records, without the JSON that they were made of.
  private static func folder(_ layout: LayoutChoice = .perRecord) throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write(Legacy.tags(Legacy.tag(9)), to: "tags.json")
    for (number, name) in names.enumerated() {
      let start = "\(name.prefix(10))T09:30:00Z"
      try folder.write(
        Legacy.record(
          number + 1, start: start, "\"comment\":\"c\(number)\",\"images\":[\"a.jpg\"]"),
        to: "\(path(name)).json")
    }
    try folder.importing { $0.layout = layout }
    for path in try folder.files().keys where path.hasSuffix(".json") { try folder.remove(path) }
    return folder
  }

  private static func plan(_ name: String) throws -> Plan {
    let file = Fixtures.directory.appending(path: "../plans/\(name).json")
    return try Plan(parsing: [UInt8](Data(contentsOf: file)), of: name) {
      Profile.builtIn(named: $0)
    }
  }

  private static func workflow(
    _ folder: TestFolder, _ plan: String = "minuta-months", faults: (any FileOperations)? = nil,
    _ configure: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> LayoutWorkflow {
    var options = SchemaOptions(plans: [try Self.plan(plan)], source: .file(path: folder.path))
    options.flattens = plan == "minuta-records"
    configure(&options)
    let context = folder.context(faults: faults)
    return LayoutWorkflow(
      options, in: try ListedFolder(folder.path, context: context), context: context)
  }

  @discardableResult
  private static func run(
    _ folder: TestFolder, _ plan: String = "minuta-months"
  ) throws -> SchemaReport {
    try workflow(folder, plan).perform()
  }

  private static func state(
    _ folder: TestFolder, _ plan: String = "minuta-months"
  ) throws -> StepStanding.State? {
    try workflow(folder, plan).status().standings.first?.state
  }

  private static func comment(_ number: Int, in document: DocumentState) throws -> String? {
    guard let map = document.value(of: .root, key: try identity(number).canonicalBytes),
      let value = document.value(of: map.id, key: Array("comment".utf8)),
      case .scalar(let place) = value.content
    else { return nil }
    return String(decoding: document.pool[place.range], as: UTF8.self)
  }

  private static func identity(_ number: Int) throws -> Identity {
    let identity = Identity(Array(Legacy.id(number).utf8).span)
    return try #require(identity)
  }

  // MARK: Into months

  @Test func `a month has every change of its records, and two devices make the same one`() throws {
    let folder = try Self.folder()
    try folder.edit(Self.path(Self.names[0]) + ".automerge", actor: 7) {
      try $0.set("comment", of: try Self.identity(1), to: "edited")
    }
    let other = try TestFolder()
    try folder.copy(to: other)
    let before = try folder.documents()
    #expect(try Self.state(folder) == .pending)
    let report = try Self.workflow(folder).perform()
    #expect(report.isPublished && report.findings.isEmpty)
    #expect(report.effects.map(\.changedCount) == [3] && report.documentCount == 3)
    #expect(
      Set(try folder.documents().keys)
        == ["tags.automerge", Self.january + ".automerge", "records/2024/02.automerge"])
    let january = try folder.document(Self.january + ".automerge")
    #expect(january.heads.count == 1)
    for name in Self.names.prefix(2) {
      let path = Self.path(name) + ".automerge"
      let record = try DocumentState(loading: #require(before[path]))
      for row in 0..<record.changeCount { #expect(january.contains(record.hash(ofChange: row))) }
    }
    #expect(try Self.comment(1, in: january) == "edited")
    #expect(try folder.quarantined().count == 3)
    #expect(try folder.quarantined().allSatisfy { before[$0.key] == $0.value })
    #expect(try Self.state(folder) == .applied)
    try Self.run(other)
    #expect(try other.documents() == folder.documents())
    let files = try folder.files(includingState: true)
    #expect(try Self.workflow(folder).perform().effects.isEmpty)
    #expect(try folder.files(includingState: true) == files)
  }

  @Test func `what another device still writes into a record comes into the month later`() throws {
    let folder = try Self.folder()
    let path = Self.path(Self.names[0]) + ".automerge"
    let other = try TestFolder()
    try folder.copy(to: other)
    try other.edit(path, actor: 7) { try $0.set("comment", of: try Self.identity(1), to: "later") }
    try Self.run(folder)
    try folder.write(other.bytes(path), to: path)
    #expect(try Self.state(folder) == .pending)
    let report = try Self.workflow(folder).perform()
    #expect(report.isPublished && report.documentCount == 1)
    #expect(try Self.comment(1, in: folder.document(Self.january + ".automerge")) == "later")
    // The other one, whose record was edited all along, has the same in the end.
    try Self.run(other)
    var one = try folder.document(Self.january + ".automerge")
    var two = try other.document(Self.january + ".automerge")
    try one.merge(other.document(Self.january + ".automerge"))
    try two.merge(folder.document(Self.january + ".automerge"))
    #expect(one.heads == two.heads && one.changeCount == two.changeCount)
    #expect(try Self.comment(1, in: two) == "later")
  }

  @Test func `what was made separately, waits or has another shape keeps all where it is`() throws {
    let twice = try Self.folder()
    let made = try AppDocument.make(actor: 3) { editor in
      editor.make(try Self.identity(1), "comment", "apart")
    }
    try twice.write(made.encoded(), to: Self.january + ".automerge")
    let shaped = try Self.folder()
    let root = Document()
    try root.put(obj: .ROOT, key: "id", value: .String(Legacy.id(5)))
    try root.put(obj: .ROOT, key: "comment", value: .String("x"))
    try shaped.write(Array(root.save()), to: Self.january + "/2024-01-20_100000.automerge")
    for (folder, code) in [(twice, FindingCode.unrelatedCopy), (shaped, .notConverted)] {
      let before = try folder.files()
      let dry = try Self.workflow(folder).plan()
      #expect(dry.findings.contains { $0.code == code && $0.severity == .error })
      let report = try Self.workflow(folder).perform()
      #expect(!report.isPublished && report.documentCount == 0)
      #expect(report.standings.map(\.state) == [.pending])
      #expect(report.findings.contains { $0.code == code && $0.severity == .error })
      #expect(try folder.files() == before)
    }
  }

  // MARK: Into documents of records

  @Test func `records of a month get documents of their values, as an import makes them`() throws {
    let records = try Self.folder()
    let folder = try Self.folder(.monthly)
    #expect(try Self.state(folder, "minuta-records") == .pending)
    let refused = #expect(throws: MigrationError.self) {
      try Self.workflow(folder, "minuta-records") { $0.flattens = false }.perform()
    }
    #expect(refused?.diagnostic.kind == .conflictsWithData)
    let report = try Self.workflow(folder, "minuta-records").perform()
    #expect(report.isPublished && report.effects.map(\.changedCount) == [3])
    // Names come from the times, as there is no file any more that has one.
    #expect(report.findings.allSatisfy { $0.code == .nameDerived })
    let byContent = { (folder: TestFolder) in try Set(folder.documents().values) }
    #expect(try byContent(folder) == byContent(records))
    #expect(
      try Set(folder.quarantined().keys) == [
        Self.january + ".automerge", "records/2024/02.automerge",
      ])
    #expect(try Self.state(folder, "minuta-records") == .applied)
    // Back in months they are what they were: nobody has edited them.
    let months = try Self.folder(.monthly)
    try Self.run(folder)
    #expect(try folder.exporting().stream.text == months.exporting().stream.text)
  }

  @Test func `undone, records have the former layout and what was edited since`() throws {
    let folder = try Self.folder()
    try Self.run(folder)
    try folder.edit(Self.january + ".automerge", actor: 7) {
      try $0.set("comment", of: Self.identity(2), to: "edited since")
    }
    let before = try folder.exporting().stream.lines.filter { $0.contains("\"kind\":\"record\"") }
    #expect(throws: MigrationError.self) {
      try Self.workflow(folder) { $0.undone = "minuta-months" }.perform()
    }
    let undo = { try Self.workflow(folder) { ($0.undone, $0.flattens) = ("minuta-months", true) } }
    let report = try undo().perform()
    #expect(report.isPublished && report.standings.map(\.state) == [.undone])
    let after = try folder.exporting().stream.lines.filter { $0.contains("\"kind\":\"record\"") }
    #expect(after == before)
    #expect(try folder.documents().count == 4)
    #expect(try undo().perform().effects.isEmpty)
    #expect(try Self.state(folder) == .pending)
  }

  @Test func `a record that two months show gets one document, unless they show it differently`()
    throws
  {
    for isEdited in [false, true] {
      let folder = try Self.folder(.monthly)
      let february = "records/2024/02.automerge"
      var both = try folder.document(february)
      try both.merge(folder.document(Self.january + ".automerge"))
      try folder.write(both.encoded(), to: february)
      if isEdited {
        try folder.edit(february, actor: 7) {
          try $0.set("comment", of: try Self.identity(1), to: "other")
        }
      }
      let before = try folder.documents()
      let report = try Self.workflow(folder, "minuta-records").perform()
      #expect(report.isPublished == !isEdited, "\(report.findings)")
      #expect(report.effects.map(\.changedCount) == [isEdited ? 0 : 3])
      if isEdited {
        #expect(try folder.documents() == before)
      } else {
        #expect(try folder.documents().count == 4)
      }
    }
  }

  @Test func `deleted records are told, and both layouts at once wait`() throws {
    let folder = try Self.folder(.monthly)
    let document = try Document(Data(folder.bytes(Self.january + ".automerge")))
    try document.delete(obj: .ROOT, key: Legacy.id(1))
    try folder.write(Array(document.save()), to: Self.january + ".automerge")
    let report = try Self.workflow(folder, "minuta-records").plan()
    #expect(report.findings.contains { $0.code == .deleted && $0.severity == .warning })
    #expect(report.effects.map(\.changedCount) == [2])
    let other = try Self.folder()
    let path = Self.path(Self.names[2]) + ".automerge"
    try folder.write(other.bytes(path), to: path)
    let mixed = try Self.workflow(folder, "minuta-records").perform()
    #expect(mixed.standings.map(\.state) == [.waiting] && !mixed.isPublished)
    #expect(try folder.documents().count == 4)
  }

  // MARK: Faults

  @Test(arguments: [
    ("minuta-months", FaultPlan.Fault.stop, 1), ("minuta-months", .failure(ENOSPC), 3),
    ("minuta-records", .stop, 1), ("minuta-records", .failure(EIO), 4),
  ])
  func `wherever a run dies or fails nothing is lost, and the next one completes it`(
    plan: String, fault: FaultPlan.Fault, stride: Int
  ) throws {
    func made() throws -> TestFolder {
      try Self.folder(plan == "minuta-months" ? .perRecord : .monthly)
    }
    func records(_ folder: TestFolder) throws -> [String] {
      try folder.exporting().stream.lines.filter { $0.contains("\"kind\":\"record\"") }
        .map { $0.replacing(/"place":"[^"]*",/, with: "") }.sorted()
    }
    let whole = try made()
    let values = try records(whole)
    let counting = FaultPlan(atCall: .max, .stop)
    _ = try Self.workflow(whole, plan, faults: counting).perform()
    let after = try whole.documents()
    #expect(try records(whole) == values && counting.callCount > 50)
    var unfinishedCount = 0
    for call in Swift.stride(from: 1, through: counting.callCount, by: stride) {
      let folder = try made()
      // How it ends is told by what is there.
      _ = try? Self.workflow(folder, plan, faults: FaultPlan(atCall: call, fault)).perform()
      let journal = ".automerge-migrate.nosync/step-journal.jsonl"
      if folder.exists(journal) {
        let busy = #expect(throws: MigrationError.self, "call \(call)") { try records(folder) }
        #expect(busy?.diagnostic.kind == .busy)
        // The app looks for no journal, and sees all records all the time.
        let bytes = try folder.bytes(journal)
        try folder.remove(journal)
        #expect(try records(folder) == values, "call \(call)")
        try folder.write(bytes, to: journal)
      } else {
        #expect(try records(folder) == values, "call \(call)")
      }
      if try Self.state(folder, plan) == .unfinished {
        unfinishedCount += 1
        try folder.write(Legacy.record(4), to: Self.january + "/x.json")
        let busy = #expect(throws: MigrationError.self, "call \(call)") { try folder.importing() }
        #expect(busy?.diagnostic.kind == .busy)
        try folder.remove(Self.january + "/x.json")
      }
      let again = try Self.workflow(folder, plan).perform()
      #expect(again.isPublished, "call \(call): \(again.findings)")
      #expect(try folder.documents() == after, "call \(call)")
      #expect(try Self.state(folder, plan) == .applied, "call \(call)")
      let debris = try folder.files(includingState: true).keys.filter {
        $0.contains(".tmp") || $0.contains("journal")
      }
      #expect(debris.isEmpty, "call \(call): \(debris)")
    }
    if fault == .stop { #expect(unfinishedCount > 3) }
  }

  @Test func `an undoing that was stopped is finished by any run, and not done again by it`() throws
  {
    func undo(_ folder: TestFolder, _ faults: FaultPlan? = nil) throws -> LayoutWorkflow {
      try Self.workflow(folder, faults: faults) {
        ($0.undone, $0.flattens) = ("minuta-months", true)
      }
    }
    func made() throws -> TestFolder {
      let folder = try Self.folder()
      try Self.run(folder)
      return folder
    }
    let whole = try made()
    let counting = FaultPlan(atCall: .max, .stop)
    _ = try undo(whole, counting).perform()
    let after = try whole.documents()
    var unfinishedCount = 0
    for call in 1...counting.callCount {
      let folder = try made()
      // How it ends is told by what is there.
      _ = try? undo(folder, FaultPlan(atCall: call, .stop)).perform()
      let status = try Self.workflow(folder).status()
      guard status.standings.map(\.state) == [.unfinished] else { continue }
      unfinishedCount += 1
      #expect(status.standings[0].reason == "its undoing was stopped in the middle")
      #expect(try undo(folder).status().standings == status.standings)
      let isUndoing = call.isMultiple(of: 2)
      let workflow = try isUndoing ? undo(folder) : Self.workflow(folder)
      let planned = try workflow.plan()
      let report = try workflow.perform()
      #expect(report.isPublished && report.standings.map(\.state) == [.undone], "call \(call)")
      #expect(planned.finishedDocumentCount == report.finishedDocumentCount, "call \(call)")
      #expect(report.effects.map(\.isFinishing) == [true], "call \(call)")
      #expect(try folder.documents() == after, "call \(call)")
      #expect(try Self.state(folder) == .pending, "call \(call)")
    }
    #expect(unfinishedCount > 5)
  }

  @Test func `a document that was written while a run was stopped stays, and comes along later`()
    throws
  {
    let whole = try Self.folder()
    let counting = FaultPlan(atCall: .max, .stop)
    _ = try Self.workflow(whole, faults: counting).perform()
    let path = Self.path(Self.names[0]) + ".automerge"
    for call in 1...counting.callCount {
      let folder = try Self.folder()
      // Stopped, whatever it says.
      _ = try? Self.workflow(folder, faults: FaultPlan(atCall: call, .stop)).perform()
      guard try Self.state(folder) == .unfinished, folder.exists(path) else { continue }
      try folder.edit(path, actor: 7) {
        try $0.set("comment", of: try Self.identity(1), to: "later")
      }
      let report = try Self.workflow(folder).perform()
      #expect(report.findings.contains { $0.code == .changedWhileRead })
      #expect(try Self.comment(1, in: folder.document(Self.january + ".automerge")) == "later")
      #expect(try Self.state(folder) == .applied)
      return
    }
    Issue.record("no call left a journal")
  }
}
