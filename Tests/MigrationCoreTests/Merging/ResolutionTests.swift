import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a person decides about a field that several devices wrote.
@Suite struct ResolutionTests {
  private static let base = "records/2024/01.automerge"

  /// A month in which two or more devices wrote one comment, none of which saw the others.
  private func folder(_ texts: [String] = ["one", "two"]) throws -> TestFolder {
    let folder = try DocumentMergeTests.folder()
    let start = try folder.document(Self.base)
    var merged = start
    for (number, text) in texts.enumerated() {
      let edited = try AppDocument.editing(start, actor: UInt8(number + 5)) {
        try $0.set("comment", of: DocumentMergeTests.identity(1), to: text)
      }
      merged = try merged.merging(edited)
    }
    try folder.write(merged.encoded(), to: Self.base)
    return folder
  }

  /// A document that holds whatever the engine can write, edited by two actors at once.
  private func folder(
    _ prepare: (Document, ObjId) throws -> Void,
    _ edits: (Document, ObjId) throws -> Void...
  ) throws -> TestFolder {
    let document = Document()
    let map = try document.putObject(
      obj: .ROOT, key: DocumentMergeTests.identity(1).description, ty: .Map)
    try prepare(document, map)
    let forks = try edits.enumerated().map { number, edit in
      let fork = document.fork()
      fork.actor = try #require(ActorId(data: Data(repeating: UInt8(number + 1), count: 16)))
      try edit(fork, map)
      return fork
    }
    for fork in forks { try document.merge(other: fork) }
    let folder = try TestFolder()
    try folder.write([UInt8](document.save()), to: Self.base)
    return folder
  }

  private func values(
    _ folder: TestFolder, _ field: String = "comment"
  ) throws -> [ReportValue] {
    let document = try folder.document(Self.base)
    let id = try DocumentMergeTests.identity(1).description
    let object = try #require(FieldPlace.at([id], in: document)?.values.last?.id)
    let place = try #require(FieldPlace.find(field, in: document, below: object))
    return try place.values.map { try document.reportValue(of: $0) }
  }

  @Test(arguments: [ValueChoice.this, .other, .value("three"), .value(#""thr\u0065e""#)])
  func `a decision is one more change, and leaves one value`(_ choice: ValueChoice) throws {
    let folder = try folder()
    let before = try folder.document(Self.base)
    let plan = try folder.resolving(choice, isDryRun: true)
    #expect(plan.isDryRun && plan.isWritten && plan.change.isEmpty)
    #expect(try folder.document(Self.base).heads == before.heads)
    let report = try folder.resolving(choice)
    let expected: [ValueChoice: String] = [.this: "two", .other: "one"]
    let text = expected[choice] ?? "three"
    #expect(report.kept == .string(text))
    #expect(report.kept == plan.kept)
    #expect(report.findings.isEmpty)
    #expect(try values(folder) == [.string(text)])
    let after = try folder.document(Self.base)
    #expect(after.changeCount == before.changeCount + 1)
    #expect(after.heads.map(\.hex) == [report.change])
    let change = after.change(at: after.changeCount - 1)
    #expect(String(decoding: change.message, as: UTF8.self).hasPrefix("merge-conflicts --resolve"))
    #expect(abs(Double(change.time) - Date().timeIntervalSince1970) < 600)
    #expect(Set(change.dependencies) == Set(before.heads))
    let differences = try DocumentComparison(before, after).differences
    #expect(differences.map(\.field) == ["comment"])
    let settled = try folder.files(includingState: true)
    #expect(try !folder.resolving(choice).isWritten)
    #expect(try folder.files(includingState: true) == settled)
  }

  @Test func `a run is in the history, a dry run and one without anything to do are not`() throws {
    let folder = try folder()
    let path = ".automerge-migrate.nosync/history.jsonl"
    let before = try folder.bytes(path)
    try folder.resolving(.this, isDryRun: true)
    #expect(try folder.bytes(path) == before)
    try folder.resolving(.this)
    let history = try folder.bytes(path)
    #expect(history.dropFirst(before.count).count { $0 == UInt8(ascii: "\n") } == 1)
    try folder.resolving(.this)
    #expect(try folder.bytes(path) == history)
  }

  @Test(arguments: [false, true])
  func `decisions that were made apart come together, and lose nothing`(isEqual: Bool) throws {
    let (one, two) = (try folder(), try folder())
    try two.write(one.bytes(Self.base), to: Self.base)
    try one.resolving(.this)
    try two.resolving(isEqual ? .this : .other)
    try one.write(two.bytes(Self.base), to: "records/2024/01 2.automerge")
    try one.merging()
    let found = Set(try values(one))
    #expect(found == (isEqual ? [.string("two")] : [.string("one"), .string("two")]))
    // Who decides the same in the same second writes the same change.
    if try values(one).count > 1 { try one.resolving(.value("two")) }
    #expect(try values(one) == [.string("two")])
  }

  @Test func `of more than two values the other one has to be named`() throws {
    let folder = try folder(["one", "two", "three"])
    let error = #expect(throws: MigrationError.self) { try folder.resolving(.other) }
    #expect(error?.diagnostic.kind == .conflictsWithData)
    #expect(error?.diagnostic.problem.contains(#""one""#) == true)
    #expect(error?.diagnostic.remedy?.contains("VALUE") == true)
    try folder.resolving(.value("two"))
    #expect(try values(folder) == [.string("two")])
    // Two that are equal are one.
    let equal = try self.folder(["one", "one", "two"])
    try equal.resolving(.other)
    #expect(try values(equal) == [.string("one")])
  }

  @Test func `a field with one value takes no other`() throws {
    let folder = try DocumentMergeTests.folder()
    let before = try folder.files(includingState: true)
    for choice in [ValueChoice.this, .other, .value("comment 1")] {
      #expect(try !folder.resolving(choice).isWritten)
    }
    let error = #expect(throws: MigrationError.self) {
      try folder.resolving(.value("another"))
    }
    #expect(error?.diagnostic.kind == .conflictsWithData)
    #expect(try folder.files(includingState: true) == before)
  }

  @Test func `who does not name what is there is told what is`() throws {
    let folder = try folder()
    let unknown = #expect(throws: MigrationError.self) {
      try folder.resolving(.this, id: "00000000-0000-0000-0000-000000000000")
    }
    #expect(unknown?.diagnostic.kind == .conflictsWithData)
    let field = #expect(throws: MigrationError.self) {
      try folder.resolving(.this, field: "coment")
    }
    #expect(field?.diagnostic.problem.contains("in conflict: comment") == true)
    #expect(field?.diagnostic.subject == Self.base)
  }

  @Test func `the first digits of an id name it, if no other begins with them`() throws {
    let folder = try folder()
    let id = try DocumentMergeTests.identity(1).description
    let others = try [2, 3].map { try DocumentMergeTests.identity($0).description }
    let digits = (4...id.count).first { length in
      !others.contains { $0.hasPrefix(id.prefix(length)) }
    }
    let short = String(id.prefix(try #require(digits))).lowercased()
    let common = String(id.prefix(try #require(digits) - 1))
    if common.count >= 4 {
      let error = #expect(throws: MigrationError.self) { try folder.resolving(.this, id: common) }
      #expect(error?.diagnostic.remedy == "give more of its digits")
    }
    try folder.resolving(.this, id: short)
    #expect(try values(folder).count == 1)
  }

  @Test(arguments: [
    ("7", "7"), (" 7", "7"), ("true", nil), ("x", nil), ("1.5", nil), ("[1]", nil), ("", nil),
  ])
  func `a value is of the type that the field has`(text: String, expected: String?) throws {
    let folder = try folder(
      { _, _ in }, { try $0.put(obj: $1, key: "n", value: .Int(1)) },
      { try $0.put(obj: $1, key: "n", value: .Int(2)) })
    guard let expected else {
      let error = #expect(throws: MigrationError.self) {
        try folder.resolving(.value(text), field: "n")
      }
      #expect(error?.diagnostic.kind == .conflictsWithData)
      return
    }
    try folder.resolving(.value(text), field: "n")
    #expect(try values(folder, "n") == [.integer(try #require(Int(expected)))])
  }

  @Test func `values of every scalar type can be given`() throws {
    let moment = Date(timeIntervalSince1970: 1)
    let cases: [(ScalarValue, ScalarValue, String, ReportValue)] = [
      (.Boolean(true), .Boolean(false), "true", .boolean(true)),
      (.Null, .Int(1), "null", .null),
      (.Int(1), .String("1"), "1", .integer(1)),
      (.Int(1), .String("1"), "\"1\"", .string("1")),
      (.Int(1), .String("one"), "two", .string("two")),
      (.Uint(1), .Uint(2), "3", .string(#"{"$uint":3}"#)),
      (.F64(1.5), .F64(2), "-3", .string(#"{"$f64":-3.0}"#)),
      (.Counter(1), .Counter(2), "3", .string(#"{"$counter":3}"#)),
      (
        .Timestamp(moment), .Timestamp(moment + 1), "2024-01-01T00:00:00Z",
        .string("2024-01-01T00:00:00Z")
      ),
    ]
    for (one, two, text, expected) in cases {
      let folder = try folder(
        { _, _ in }, { try $0.put(obj: $1, key: "n", value: one) },
        { try $0.put(obj: $1, key: "n", value: two) })
      try folder.resolving(.value(text), field: "n")
      #expect(try values(folder, "n") == [expected], "\(text)")
    }
  }

  @Test func `bytes, texts, lists and objects can be kept`() throws {
    func text(_ value: String) -> (Document, ObjId) throws -> Void {
      {
        let text = try $0.putObject(obj: $1, key: "n", ty: .Text)
        try $0.spliceText(obj: text, start: 0, delete: 0, value: value)
      }
    }
    func object(_ value: Int64) -> (Document, ObjId) throws -> Void {
      {
        let map = try $0.putObject(obj: $1, key: "n", ty: .Map)
        let list = try $0.putObject(obj: map, key: "list", ty: .List)
        try $0.insert(obj: list, index: 0, value: .Int(value))
      }
    }
    func bytes(_ value: UInt8) -> (Document, ObjId) throws -> Void {
      { try $0.put(obj: $1, key: "n", value: .Bytes(Data([value]))) }
    }
    for (one, two) in [(text("a"), text("b")), (object(1), object(2)), (bytes(1), bytes(2))] {
      for choice in [ValueChoice.this, .other] {
        let folder = try folder({ _, _ in }, one, two)
        let before = try values(folder, "n")
        try folder.resolving(choice, field: "n")
        #expect(try values(folder, "n") == [choice == .this ? before[1] : before[0]])
      }
    }
    let folder = try folder({ _, _ in }, text("a"), text("b"))
    try folder.resolving(.value("c \u{1F600}"), field: "n")
    #expect(try values(folder, "n") == [.string("{\"$text\":\"c \u{1F600}\"}")])
  }

  @Test func `edits that others make in a text that is kept come in`() throws {
    let folder = try folder(
      { _, _ in },
      { try $0.put(obj: $1, key: "n", value: .String("s")) },
      {
        let text = try $0.putObject(obj: $1, key: "n", ty: .Text)
        try $0.spliceText(obj: text, start: 0, delete: 0, value: "a")
      })
    let elsewhere = try Document(Data(folder.bytes(Self.base)))
    let id = try DocumentMergeTests.identity(1).description
    guard case .Object(let map, _)? = try elsewhere.get(obj: .ROOT, key: id),
      case .Object(let text, .Text)? = try elsewhere.get(obj: map, key: "n")
    else { throw CocoaError(.fileReadCorruptFile) }
    try folder.resolving(.this, field: "n")
    try elsewhere.spliceText(obj: text, start: 1, delete: 0, value: "b")
    try elsewhere.merge(other: Document(Data(folder.bytes(Self.base))))
    try folder.write([UInt8](elsewhere.save()), to: Self.base)
    #expect(try values(folder, "n") == [.string(#"{"$text":"ab"}"#)])
  }

  @Test func `of objects that were decided about differently one is left`() throws {
    func text(_ value: String) -> (Document, ObjId) throws -> Void {
      {
        let text = try $0.putObject(obj: $1, key: "n", ty: .Text)
        try $0.spliceText(obj: text, start: 0, delete: 0, value: value)
      }
    }
    let one = try folder({ _, _ in }, text("a"), text("b"))
    let two = try TestFolder()
    try two.write(one.bytes(Self.base), to: Self.base)
    try one.resolving(.this, field: "n")
    try two.resolving(.other, field: "n")
    let merged = try one.document(Self.base).merging(two.document(Self.base))
    try one.write(merged.encoded(), to: Self.base)
    #expect(try values(one, "n") == [.string(#"{"$text":"a"}"#)])
  }

  @Test func `conflicts inside maps and lists are decided by their places`() throws {
    let folder = try folder(
      {
        let map = try $0.putObject(obj: $1, key: "a.b", ty: .Map)
        let list = try $0.putObject(obj: map, key: "list", ty: .List)
        try $0.insert(obj: list, index: 0, value: .Int(0))
        try $0.insert(obj: list, index: 1, value: .Int(0))
      },
      { try Self.set($0, $1, to: 1) }, { try Self.set($0, $1, to: 2) })
    try folder.resolving(.other, field: "a.b.list.1")
    #expect(try values(folder, "a.b.list.1") == [.integer(1)])
    try folder.resolving(.value("3"), field: "a.b.x")
    #expect(try values(folder, "a.b.x") == [.integer(3)])
    #expect(try values(folder, "a.b.list.0") == [.integer(0)])
  }

  private static func set(_ document: Document, _ entity: ObjId, to value: Int64) throws {
    guard case .Object(let map, _)? = try document.get(obj: entity, key: "a.b"),
      case .Object(let list, _)? = try document.get(obj: map, key: "list")
    else { throw CocoaError(.fileReadCorruptFile) }
    try document.put(obj: map, key: "x", value: .Int(value))
    try document.put(obj: list, index: 1, value: .Int(value))
  }

  @Test func `a text with marks is not copied without them`() throws {
    func text(_ value: String) -> (Document, ObjId) throws -> Void {
      {
        let text = try $0.putObject(obj: $1, key: "n", ty: .Text)
        try $0.spliceText(obj: text, start: 0, delete: 0, value: value)
        try $0.mark(
          obj: text, start: 0, end: 1, expand: .none, name: "bold", value: .Boolean(true))
      }
    }
    let folder = try folder({ _, _ in }, text("aa"), text("bb"))
    let before = try folder.files(includingState: true)
    let error = #expect(throws: MigrationError.self) { try folder.resolving(.other, field: "n") }
    #expect(error?.diagnostic.problem.contains("marks") == true)
    #expect(try folder.files(includingState: true) == before)
    try folder.resolving(.this, field: "n")
    #expect(try values(folder, "n").count == 1)
  }

  private static func text(
    _ letters: String, in map: ObjId, _ key: String = "n", of document: Document,
    isBold: Bool = false
  ) throws {
    let text = try document.putObject(obj: map, key: key, ty: .Text)
    try document.spliceText(obj: text, start: 0, delete: 0, value: letters)
    if isBold {
      try document.mark(
        obj: text, start: 0, end: 1, expand: .none, name: "bold", value: .Boolean(true))
    }
  }

  private func expectRefused(
    _ folder: TestFolder, _ part: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try folder.files(includingState: true)
    let error = #expect(throws: MigrationError.self, sourceLocation: location) {
      try folder.resolving(.other, field: "n")
    }
    #expect(error?.diagnostic.kind == .conflictsWithData, sourceLocation: location)
    let problem = error?.diagnostic.problem ?? ""
    #expect(problem.contains(part), "\(problem)", sourceLocation: location)
    #expect(try folder.files(includingState: true) == before, sourceLocation: location)
    try folder.resolving(.this, field: "n")
    #expect(try values(folder, "n").count == 1, sourceLocation: location)
  }

  @Test func `what a copy would lack at any depth is named, and nothing is written`() throws {
    func nested(isBold: Bool) -> (Document, ObjId) throws -> Void {
      {
        let map = try $0.putObject(obj: $1, key: "n", ty: .Map)
        let list = try $0.putObject(obj: map, key: "list", ty: .List)
        let inner = try $0.insertObject(obj: list, index: 0, ty: .Map)
        try Self.text("p", in: inner, "t", of: $0, isBold: isBold)
      }
    }
    func plain(_ document: Document, _ map: ObjId) throws {
      let map = try document.putObject(obj: map, key: "n", ty: .Map)
      try document.put(obj: map, key: "seen", value: .Int(1))
    }
    try expectRefused(
      folder({ _, _ in }, nested(isBold: true), plain),
      "a text with marks at list.0.t, which would be lost")
    try folder({ _, _ in }, nested(isBold: false), plain)
      .resolving(.other, field: "n")
  }

  @Test func `a value that is not seen is not copied without the conflicts inside it`() throws {
    let id = try DocumentMergeTests.identity(1).description
    let document = Document()
    let entity = try document.putObject(obj: .ROOT, key: id, ty: .Map)
    func fork(_ of: Document, _ actor: UInt8, _ edit: (Document) throws -> Void) throws -> Document
    {
      let fork = of.fork()
      fork.actor = try #require(ActorId(data: Data(repeating: actor, count: 16)))
      try edit(fork)
      return fork
    }
    var map: ObjId?
    let hidden = try fork(document, 1) {
      map = try $0.putObject(obj: entity, key: "n", ty: .Map)
    }
    let inside = try #require(map)
    let seen = try fork(document, 9) { _ = try $0.putObject(obj: entity, key: "n", ty: .Map) }
    for actor in [UInt8(2), 3] {
      try document.merge(
        other: fork(hidden, actor) {
          try $0.put(obj: inside, key: "k", value: .Int(Int64(actor)))
        })
    }
    try document.merge(other: seen)
    let folder = try TestFolder()
    try folder.write([UInt8](document.save()), to: Self.base)
    try expectRefused(folder, "values in conflict at k, all but one of which would be lost")
  }

  @Test func `texts with the same letters and other marks are not one value`() throws {
    let folder = try folder(
      { _, _ in }, { try Self.text("p", in: $1, of: $0, isBold: true) },
      { try Self.text("p", in: $1, of: $0) }, { try Self.text("q", in: $1, of: $0) })
    try expectRefused(folder, "has 3 values")
  }

  @Test(arguments: [FaultPlan.Fault.stop, .failure(ENOSPC), .failure(EIO), .interruption])
  func
    `a decision that fails anywhere leaves the old document or the new, and the next completes it`(
      _ fault: FaultPlan.Fault
    ) throws
  {
    var call = 1
    while true {
      let folder = try folder()
      let before = try folder.document(Self.base)
      let faults = FaultPlan(atCall: call, fault)
      _ = try? folder.resolving(.other, faults: faults)
      let between = try folder.document(Self.base)
      #expect([before.changeCount, before.changeCount + 1].contains(between.changeCount))
      try folder.resolving(.other)
      #expect(try values(folder) == [.string("one")], "call \(call)")
      #expect(try folder.document(Self.base).changeCount == before.changeCount + 1, "call \(call)")
      let debris = try folder.files(includingState: true).keys.filter { $0.contains(".tmp.") }
      #expect(debris.isEmpty, "call \(call)")
      if !faults.hasFired { break }
      call += 1
    }
    #expect(call > 10)
  }

  @Test func `a document that changes meanwhile is left to the next run`() throws {
    var (moment, changed) = (1, 0)
    while true {
      let folder = try folder()
      let edited = try AppDocument.editing(folder.document(Self.base), actor: 9) {
        try $0.set("comment", of: DocumentMergeTests.identity(2), to: "meanwhile")
      }
      let plan = FaultPlan(beforeCall: moment, calls: .changing) {
        try? folder.write(edited.encoded(), to: Self.base)
      }
      if (try? folder.resolving(.other, faults: plan)) == nil { changed += 1 }
      guard plan.hasFired else { break }
      let found = try folder.document(Self.base)
      // What was written last is there, or in quarantine if this run had its turn before.
      let isThere = edited.heads.allSatisfy(found.contains)
      let quarantined = try folder.quarantined().values.contains(edited.encoded())
      #expect(isThere || quarantined || found.heads == edited.heads, "call \(moment)")
      moment += 1
    }
    #expect(moment > 5)
  }
}

extension TestFolder {
  @discardableResult
  fileprivate func resolving(
    _ choice: ValueChoice, id: String? = nil, field: String = "comment", isDryRun: Bool = false,
    faults: (any FileOperations)? = nil
  ) throws -> ResolutionReport {
    let id = try id ?? DocumentMergeTests.identity(1).description
    let workflow = ResolutionWorkflow(
      ResolutionOptions(folder: path, id: id, field: field, choice: choice),
      context: context(workers: 1, faults: faults))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }
}
