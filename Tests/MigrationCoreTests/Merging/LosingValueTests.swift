import Automerge
import Diagnostics
import Folders
import Testing

@testable import MigrationCore
@testable import Runs

/// Every value that loses in a merge is in its report.
@Suite struct LosingValueTests {
  private static let base = "records/2024/01.automerge"

  private func identity() throws -> Identity { try DocumentMergeTests.identity(1) }

  private func comment(_ start: DocumentState, actor: UInt8, _ text: String) throws -> DocumentState
  {
    let identity = try identity()
    return try AppDocument.editing(start, actor: actor) {
      try $0.set("comment", of: identity, to: text)
    }
  }

  private func others(_ report: MergeReport) -> Set<String> {
    Set(
      report.bases.flatMap(\.differences).compactMap {
        if case .string(let text) = $0.other { text } else { nil }
      })
  }

  @Test(arguments: [UInt8(0), 255])
  func `several copies and an object that an app made, brought together in one run`(
    appActor: UInt8
  ) throws {
    let folder = try DocumentMergeTests.folder()
    let start = try folder.document(Self.base)
    for (number, actor) in [UInt8(5), 6, 7].enumerated() {
      try folder.write(
        comment(start, actor: actor, "edit \(actor)").encoded(),
        to: "records/2024/01 \(number + 2).automerge")
    }
    let identity = try identity()
    // Both sides begin with the same counter, so the greater actor's object is seen.
    let app = try AppDocument.make(actor: appActor) { $0.make(identity, "comment", "app") }
    try folder.write(app.encoded(), to: "records/2024/01 9.automerge")
    let report = try folder.merging { $0.unifies = true }
    #expect(report.count(.merged) == 4)
    let merged = try folder.document(Self.base)
    let seen = try #require(merged.text("comment", of: identity))
    let values: Set<String> = ["edit 5", "edit 6", "edit 7", "app"]
    #expect(values.contains(seen))
    #expect(others(report).isSuperset(of: values.subtracting([seen])), "\(others(report)), \(seen)")
    try folder.expectSettled { $0.unifies = true }
  }

  @Test func `conflicts inside maps and lists of what readers see are told, too`() throws {
    let identity = try identity()
    let start = try AppDocument.make(actor: 1) {
      $0.make(identity, "comment", "x")
      $0.makeMap(identity, "extra", ["a": "1"])
    }
    let folder = try TestFolder()
    for (number, actor) in [UInt8(5), 6].enumerated() {
      let edited = try AppDocument.editing(start, actor: actor) {
        try $0.set("a", inMap: "extra", of: identity, to: "by \(actor)")
      }
      try folder.write(
        edited.encoded(), to: number == 0 ? Self.base : "records/2024/01 2.automerge")
    }
    let report = try folder.merging()
    let difference = try #require(report.bases[0].differences.first)
    #expect(difference.field == "extra.a")
    #expect(Set([difference.kept, difference.other]) == [.string("by 5"), .string("by 6")])
  }

  @Test func `conflicts inside a hidden value that is copied are told`() throws {
    let identity = try identity()
    let start = try AppDocument.make(actor: 3) {
      $0.make(identity, "comment", "x")
      $0.makeMap(identity, "extra", ["a": "1"])
    }
    var hidden = start
    for actor in [UInt8(5), 6] {
      let edited = try AppDocument.editing(start, actor: actor) {
        try $0.set("a", inMap: "extra", of: identity, to: "by \(actor)")
      }
      hidden = try hidden.merging(edited)
    }
    let winner = try AppDocument.make(actor: 9) { $0.make(identity, "comment", "x") }
    let folder = try TestFolder()
    try folder.write(winner.merging(hidden).encoded(), to: Self.base)
    let report = try folder.merging { $0.unifies = true }
    #expect(report.bases[0].isWritten)
    #expect(report.bases[0].differences.map(\.field) == ["extra.a"])
    #expect(others(report) == ["by 5"])
    // What was copied counts as what users wrote: the next run does not take the other one instead.
    try folder.expectSettled { $0.unifies = true }
  }

  @Test func `values that lose without anything to write are told, too`() throws {
    let identity = try identity()
    let one = try AppDocument.make(actor: 9) { $0.make(identity, "comment", "seen") }
    let other = try AppDocument.make(actor: 3) { $0.make(identity, "comment", "hidden") }
    let folder = try TestFolder()
    try folder.write(one.merging(other).encoded(), to: Self.base)
    let before = try folder.bytes(Self.base)
    let report = try folder.merging { $0.unifies = true }
    #expect(others(report) == ["hidden"])
    #expect(report.bases.map(\.isWritten) == [false])
    #expect(try folder.bytes(Self.base) == before)
  }

  @Test func `what lies very deep is counted and not listed`() throws {
    let document = Document()
    var place = try document.putObject(
      obj: .ROOT, key: identity().description, ty: .Map)
    var places = [place]
    for _ in 1..<400 {
      place = try document.putObject(obj: place, key: "inner", ty: .Map)
      places.append(place)
    }
    let other = document.fork()
    for place in places {
      try document.put(obj: place, key: "text", value: .String("one"))
      try other.put(obj: place, key: "text", value: .String("other"))
    }
    try document.merge(other: other)
    let losing = try FieldConflicts.losing(
      in: DocumentState(loading: [UInt8](document.save())), .record, of: .minuta)
    #expect((100...200).contains(losing.differences.count))
    #expect(losing.differences.count + losing.omittedCount == 400)
  }

  @Test func `what the report does not list is counted`() throws {
    let folder = try TestFolder()
    let records = 1...(FieldConflicts.most + 5)
    for number in records {
      try folder.write(Legacy.record(number), to: "records/2024/01/\(number).json")
    }
    try folder.importing()
    let start = try folder.document(Self.base)
    for (actor, path) in [(UInt8(5), Self.base), (6, "records/2024/01 2.automerge")] {
      let edited = try AppDocument.editing(start, actor: actor) { editor in
        for number in records {
          try editor.set("comment", of: DocumentMergeTests.identity(number), to: "by \(actor)")
        }
      }
      try folder.write(edited.encoded(), to: path)
    }
    let report = try folder.merging()
    #expect(report.bases[0].differences.count == FieldConflicts.most)
    let finding = try #require(report.findings.first { $0.code == .conflict })
    #expect(finding.message == "up to 5 more values differ than the report lists")
  }
}
