import Automerge
import Foundation
import Testing

/// Objects that both sides made apart, in documents that share a history: after a sync readers see one.
@Suite struct HiddenObjectSyncTests {
  private static let document = "records/2024/01.automerge"
  private static let made = SyncedFolders.identity(7)

  /// Two folders that hold the same; then each side's app changes the document.
  ///
  /// - Parameter users: who edits here and there; of two objects that of the later name is seen.
  private func folders(
    users: [String] = ["anna", "bert"], _ edit: (Document, _ side: Int) throws -> Void
  ) throws -> SyncedFolders {
    let folders = try SyncedFolders(isParted: false)
    #expect(try folders.sync("-q").status == 0)
    for (side, folder) in [folders.one, folders.two].enumerated() {
      try editAsApp(folder.appending(path: Self.document), by: users[side]) { try edit($0, side) }
    }
    return folders
  }

  private func make(_ document: Document, comment: String) throws {
    let record = try document.putObject(obj: .ROOT, key: Self.made, ty: .Map)
    try document.put(obj: record, key: "comment", value: .String(comment))
  }

  private func findings(_ run: CommandRun) -> [[String: Any]] {
    run.jsonLines.filter { $0["code"] as? String == "hidden-object" }
  }

  @Test(arguments: [["anna", "bert"], ["bert", "anna"]])
  func `a record that both sides made is told on both sides, with what unites it`(
    users: [String]
  ) throws {
    let folders = try folders(users: users) {
      try make($0, comment: "of side \($1)")
    }
    let run = try folders.sync("--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try folders.areEqual())
    let findings = findings(run)
    #expect(findings.count == 2, "\(run.output)")
    for finding in findings {
      #expect(finding["path"] as? String == Self.document)
      #expect(finding["severity"] as? String == "warning")
      #expect((finding["message"] as? String)?.contains(Self.made) == true, "\(finding)")
      #expect((finding["next"] as? String)?.contains("--unify") == true, "\(finding)")
    }
    let isAbroad = findings.map {
      ($0["message"] as? String)?.hasPrefix("on the other side: ") == true
    }
    #expect(Set(isAbroad) == [true, false])
    let command = try #require(findings.compactMap { $0["command"] as? [String] }.first)
    #expect(try CommandTests.run(command[0], Array(command.dropFirst())).status == 0)
    // What is known already is told once.
    let again = try folders.sync("--json")
    #expect(again.status == 0)
    #expect(self.findings(again).isEmpty, "\(again.output)")
  }

  @Test func `an object inside of a record is told, too`() throws {
    let folders = try folders { document, side in
      guard case .Object(let record, .Map)? = try document.get(obj: .ROOT, key: SmallFolder.firstID)
      else { throw CocoaError(.fileReadCorruptFile) }
      let place = try document.putObject(obj: record, key: "place", ty: .Map)
      try document.put(obj: place, key: "name", value: .String("place \(side)"))
    }
    let run = try folders.sync("--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    let findings = findings(run)
    #expect(findings.count == 2, "\(run.output)")
    for finding in findings {
      let message = try #require(finding["message"] as? String)
      #expect(message.contains("place of ") && message.contains(SmallFolder.firstID), "\(message)")
      #expect((finding["next"] as? String)?.contains("--conflicts") == true)
    }
  }

  @Test func `objects that hold the same hide nothing`() throws {
    let folders = try folders { document, _ in try make(document, comment: "the same") }
    let run = try folders.sync("--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(findings(run).isEmpty, "\(run.output)")
  }

  @Test func `an edit of an object that is hidden already is told`() throws {
    let folders = try folders { try make($0, comment: "of side \($1)") }
    let there = folders.one.appending(path: Self.document)
    let before = try Data(contentsOf: there)
    #expect(try folders.sync("-q").status == 0)
    // A device that has not heard of the other one's record goes on with its own.
    try before.write(to: there)
    try editAsApp(there, by: "anna again") { try $0.set("comment", of: Self.made, to: "later") }
    let run = try folders.sync("--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(findings(run).count == 2, "\(run.output)")
  }
}
