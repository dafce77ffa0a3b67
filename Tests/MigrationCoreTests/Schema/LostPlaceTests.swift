import Diagnostics
import FileFaults
import Folders
import Foundation
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Steps whose value is gone, and of what that was made of only a part is there.
@Suite struct LostPlaceTests {
  private static func plan(_ sources: String) throws -> Plan {
    let text = """
      {"plan": "p", "places": [
        {"id": "u", "risk": "transformative", "sources": [\(sources)], "destination": "u.json",
         "value": {"object": {"x": {"first": [{"copy": "/x"}, {"constant": 0}]},
           "z": {"first": [{"copy": "/z"}, {"constant": 0}]}}}}]}
      """
    return try Plan(parsing: Array(text.utf8), of: "plan.json") { _ in nil }
  }

  private static let files = #"{"file": "x.json", "as": "x"}, {"file": "z.json", "as": "z"}"#
  private static let member =
    #"{"file": "all.json", "member": "/x", "as": "x"}, {"file": "z.json", "as": "z"}"#

  private static func folder(_ files: [String: String]) throws -> TestFolder {
    let folder = try TestFolder("App")
    for (path, text) in files { try folder.write(text, to: path) }
    return folder
  }

  private static func workflow(
    _ folder: TestFolder, _ plan: Plan, _ configure: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> PlaceWorkflow {
    var options = SchemaOptions(plans: [plan], source: .file(path: folder.path))
    options.context.appVersion = AppVersion("2.1")
    options.context.parameters["at"] = "2026-01-01T00:00:00Z"
    configure(&options)
    var context = TestFolder.context()
    context.appLock = nil
    return PlaceWorkflow(options, in: folder.path, context: context)
  }

  /// Runs the step, and forces it once its value is gone, and of what it was made of only this is back.
  private static func ranTwice(
    _ plan: Plan, _ folder: TestFolder, back: [String: String]
  ) throws {
    _ = try workflow(folder, plan).perform()
    try folder.remove("u.json")
    for (path, text) in back { try folder.write(text, to: path) }
    let report = try workflow(folder, plan) { $0.forced = ["u"] }.perform()
    #expect(report.standings.map(\.state) == [.applied])
  }

  private static func own(_ folder: TestFolder) throws -> [String: String] {
    try folder.files(includingState: true)
      .filter { !$0.key.hasPrefix(".automerge-migrate") }
      .mapValues { bytes in
        String(String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace })
      }
  }

  /// A property list with a value, or without it.
  private static func list(_ value: String?) -> String {
    let entry = value.map { "<key>v</key><string>\($0)</string>" } ?? ""
    return "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(entry)</dict></plist>"
  }

  @Test(arguments: ["one", "two", nil])
  func `a preference makes no value without the file beside it, whatever it says by now`(
    value: String?
  ) throws {
    let plan = try Self.plan(
      #"{"preferences": "p.plist", "key": "v", "as": "x"}, {"file": "z.json", "as": "z"}"#)
    let folder = try Self.folder(["p.plist": Self.list("one"), "z.json": "7"])
    _ = try Self.workflow(folder, plan).perform()
    try folder.remove("u.json")
    try folder.write(Self.list(value), to: "p.plist")
    for report in [
      try Self.workflow(folder, plan).status(), try Self.workflow(folder, plan).perform(),
    ] {
      #expect(report.standings.map(\.state) == [.waiting] && report.differs)
      let reason = report.standings[0].reason
      #expect(reason.contains("z.json") && reason.contains("--undo u"), "\(reason)")
      #expect(reason.contains("nothing is there") == (value == nil), "\(reason)")
    }
    let undone = try Self.workflow(folder, plan) { $0.undone = "u" }.perform()
    #expect(undone.standings.map(\.state) == [.undone])
    #expect(try Self.own(folder)["z.json"] == "7")
  }

  @Test func `a preference that was cleared when the app took its value away is no loss`() throws {
    let plan = try Self.plan(
      #"{"preferences": "p.plist", "key": "v", "as": "x"}, "#
        + #"{"preferences": "p.plist", "key": "none", "as": "z"}"#)
    let folder = try Self.folder(["p.plist": Self.list("one")])
    _ = try Self.workflow(folder, plan).perform()
    try folder.remove("u.json")
    try folder.write(Self.list(nil), to: "p.plist")
    #expect(try Self.workflow(folder, plan).status().standings.map(\.state) == [.applied])
  }

  @Test func `of two files one that is back makes no value, and undoing brings the other`() throws {
    let plan = try Self.plan(Self.files)
    let folder = try Self.folder(["x.json": "3", "z.json": "7"])
    _ = try Self.workflow(folder, plan).perform()
    try folder.remove("u.json")
    try folder.write("3", to: "x.json")
    for report in [
      try Self.workflow(folder, plan).status(), try Self.workflow(folder, plan).plan(),
      try Self.workflow(folder, plan).perform(),
    ] {
      #expect(report.standings.map(\.state) == [.waiting])
      #expect(report.differs && report.effects.isEmpty)
      let reason = report.standings[0].reason
      #expect(reason.contains("u.json, which held its value, is gone"))
      #expect(reason.contains("z.json is not") && reason.contains("--undo u"))
      #expect(reason.contains(".automerge-migrate.nosync/schema/u"))
    }
    #expect(try Self.own(folder) == ["x.json": "3"])
    let undone = try Self.workflow(folder, plan) { $0.undone = "u" }.perform()
    #expect(undone.effects.map(\.changedCount) == [1])
    #expect(try Self.own(folder) == ["x.json": "3", "z.json": "7"])
    _ = try Self.workflow(folder, plan) { $0.forced = ["u"] }.perform()
    #expect(try Self.own(folder) == ["u.json": #"{"x":3,"z":7}"#])
  }

  @Test func `once all of it is back the step runs again`() throws {
    let plan = try Self.plan(Self.files)
    let folder = try Self.folder(["x.json": "3", "z.json": "7"])
    _ = try Self.workflow(folder, plan).perform()
    try folder.remove("u.json")
    for (path, text) in ["x.json": "3", "z.json": "8"] { try folder.write(text, to: path) }
    #expect(try Self.workflow(folder, plan).status().standings.map(\.state) == [.pending])
    _ = try Self.workflow(folder, plan).perform()
    #expect(try Self.own(folder) == ["u.json": #"{"x":3,"z":8}"#])
    // Of the two values that it has used one comes back, and the other is told.
    let undone = try Self.workflow(folder, plan) { $0.undone = "u" }.perform()
    #expect(try Self.own(folder) == ["x.json": "3", "z.json": "8"])
    let finding = try #require(undone.findings.first)
    #expect(undone.findings.count == 1 && finding.path == "z.json")
    #expect(finding.message.contains("had another value"))
    #expect(finding.message.contains(".automerge-migrate.nosync/schema/u"))
  }

  @Test func `a member that never leaves is no proof that what was used is back`() throws {
    let plan = try Self.plan(Self.member)
    let folder = try Self.folder(["all.json": #"{"x":3,"y":1}"#, "z.json": "7"])
    _ = try Self.workflow(folder, plan).perform()
    try folder.write("{", to: "u.json")
    #expect(try Self.workflow(folder, plan).status().standings.map(\.state) == [.waiting])
    try folder.remove("u.json")
    let report = try Self.workflow(folder, plan).perform()
    #expect(report.standings.map(\.state) == [.waiting] && report.effects.isEmpty)
    #expect(report.standings[0].reason.contains("z.json is not"))
    let undone = try Self.workflow(folder, plan) { $0.undone = "u" }.perform()
    #expect(undone.effects.map(\.changedCount) == [1])
    #expect(try Self.own(folder) == ["all.json": #"{"x":3,"y":1}"#, "z.json": "7"])
  }

  @Test func `a member that is gone is told, where nothing was set aside of it`() throws {
    let plan = try Self.plan(Self.member)
    let folder = try Self.folder(["all.json": #"{"x":3,"y":1}"#, "z.json": "7"])
    _ = try Self.workflow(folder, plan).perform()
    try folder.remove("u.json")
    try folder.write(#"{"y":1}"#, to: "all.json")
    try folder.write("7", to: "z.json")
    let standing = try #require(try Self.workflow(folder, plan).perform().standings.first)
    #expect(standing.state == .waiting && standing.reason.contains("all.json#/x is not"))
    #expect(standing.reason.contains("force") && !standing.reason.contains("--undo"))
    _ = try Self.workflow(folder, plan) { $0.forced = ["u"] }.perform()
    #expect(try Self.own(folder)["u.json"] == #"{"x":0,"z":7}"#)
  }

  @Test(arguments: [member, files])
  func `undoing brings back what an earlier run has used, and the last one has not`(
    sources: String
  ) throws {
    let plan = try Self.plan(sources)
    let before = ["all.json": #"{"x":3}"#, "x.json": "3", "z.json": "7"]
    let folder = try Self.folder(before)
    let isFile = sources == Self.files
    try Self.ranTwice(plan, folder, back: isFile ? ["x.json": "3"] : [:])
    #expect(try Self.own(folder)["u.json"] == #"{"x":3,"z":0}"#)
    let planned = try Self.workflow(folder, plan) { $0.undone = "u" }.plan()
    #expect(planned.changes.map(\.id).contains("z.json"))
    let undone = try Self.workflow(folder, plan) { $0.undone = "u" }.perform()
    #expect(undone.effects.map(\.changedCount) == [isFile ? 2 : 1])
    #expect(try Self.own(folder) == before)
    // What came back once is not owed any more.
    try folder.remove("z.json")
    _ = try Self.workflow(folder, plan) { $0.forced = ["u"] }.perform()
    _ = try Self.workflow(folder, plan) { $0.undone = "u" }.perform()
    #expect(!folder.exists("z.json"))
  }

  @Test func `the shipped settings are not united without what is still set aside`() throws {
    let shipped = Fixtures.directory.deletingLastPathComponent()
      .appending(path: "plans/local-data.json")
    let text = [UInt8](try Data(contentsOf: shipped))
    let plan = try Plan(parsing: text, of: "local-data.json") { _ in nil }
    let folder = try Self.folder(["settings/notifications.json": "true"])
    try folder.write(
      try Fixtures.bytes("plans/local-data/before/preferences.plist"), to: "preferences.plist")
    _ = try Self.workflow(folder, plan).perform()
    let united = try #require(try Self.own(folder)["settings/unified.json"])
    #expect(united.contains(#""notifications":true"#))
    try folder.remove("settings/unified.json")
    let before = try Self.own(folder)
    for report in [
      try Self.workflow(folder, plan).status(), try Self.workflow(folder, plan).perform(),
    ] {
      // The theme could be made once more, and lies aside all the same.
      #expect(report.standings.first?.state == .applied)
      let standing = try #require(report.standings.last)
      #expect(standing.state == .waiting && report.differs && report.effects.isEmpty)
      #expect(standing.reason.contains("settings/notifications.json is not"))
      #expect(standing.reason.contains("--undo unify-settings"))
    }
    #expect(try Self.own(folder) == before)
    _ = try Self.workflow(folder, plan) { $0.undone = "unify-settings" }.perform()
    #expect(try Self.own(folder)["settings/notifications.json"] == "true")
    #expect(folder.exists("settings/theme.json"))
    _ = try Self.workflow(folder, plan) { $0.forced = ["unify-settings"] }.perform()
    #expect(try Self.own(folder)["settings/unified.json"] == united)
  }

  @Test func `what was never done is nothing to undo`() throws {
    let folder = try Self.folder(["x.json": "3", "z.json": "7"])
    let plan = try Self.plan(Self.files)
    for isDryRun in [true, false] {
      let refused = #expect(throws: MigrationError.self) {
        let workflow = try Self.workflow(folder, plan) { $0.undone = "u" }
        _ = try isDryRun ? workflow.plan() : workflow.perform()
      }
      #expect(refused?.diagnostic.kind == .conflictsWithData)
      #expect(refused?.diagnostic.problem.contains("nothing to undo") == true)
    }
    #expect(try folder.files(includingState: true).count == 2)
    #expect(try Self.workflow(folder, plan).perform().standings.map(\.state) == [.applied])
  }

  @Test(arguments: [false, true])
  func `a value that is gone while all it was made of is aside is told of its last step`(
    hasPreference: Bool
  ) throws {
    let preference = hasPreference ? #", {"preferences": "p.plist", "key": "v", "as": "y"}"# : ""
    let text = """
      {"plan": "p", "places": [
        {"id": "u", "risk": "transformative", "sources": [\(Self.files)\(preference)], "destination": "u.json",
         "value": {"object": {"x": {"copy": "/x"}, "z": {"copy": "/z"}}}},
        {"id": "v", "risk": "transformative", "sources": [{"file": "u.json"}], "destination": "v.json"}]}
      """
    let plan = try Plan(parsing: Array(text.utf8), of: "plan.json") { _ in nil }
    let folder = try Self.folder(["x.json": "3", "z.json": "7"])
    if hasPreference { try folder.write(Self.list("one"), to: "p.plist") }
    _ = try Self.workflow(folder, plan).perform()
    func gone() throws -> [Finding] {
      let status = try Self.workflow(folder, plan).status()
      #expect(status.standings.map(\.state) == [.applied, .applied])
      return status.findings.filter { $0.severity == .warning }
    }
    #expect(try gone().isEmpty)
    try folder.remove("v.json")
    let told = try gone()
    #expect(told.map(\.path) == ["v.json"], "\(told)")
    #expect(told[0].message.contains(".automerge-migrate.nosync/schema/v"))
    #expect(told[0].next?.contains("--undo v") == true)
    let undone = try Self.workflow(folder, plan) { $0.undone = "v" }.perform()
    #expect(undone.standings.map(\.state) == [.applied, .undone])
    #expect(try Self.own(folder)["u.json"] == #"{"x":3,"z":7}"#)
  }

  @Test func `of a chain nothing is made again whose end would lack a part`() throws {
    let text = """
      {"plan": "p", "places": [
        {"id": "a", "risk": "transformative", "sources": [{"file": "s0.json"}], "destination": "s1.json"},
        {"id": "b", "risk": "transformative", "sources": [{"file": "s1.json"}], "destination": "s2.json"},
        {"id": "c", "risk": "transformative", "sources": [{"file": "s2.json", "as": "t"}, {"file": "x.json", "as": "x"}],
         "destination": "s3.json", "value": {"object": {"t": {"copy": "/t"}, "x": {"first": [{"copy": "/x"}, {"constant": 0}]}}}}]}
      """
    let plan = try Plan(parsing: Array(text.utf8), of: "plan.json") { _ in nil }
    let before = ["s0.json": "1", "x.json": "5"]
    let folder = try Self.folder(before)
    _ = try Self.workflow(folder, plan).perform()
    let made = try Self.own(folder)
    try folder.remove("s3.json")
    try folder.write("1", to: "s0.json")
    for report in [
      try Self.workflow(folder, plan).status(), try Self.workflow(folder, plan).perform(),
    ] {
      #expect(report.standings.map(\.state) == [.applied, .applied, .waiting])
      #expect(report.findings.map(\.path) == ["s0.json"] && report.effects.isEmpty)
      #expect(report.standings[2].reason.contains("x.json is not"))
    }
    #expect(try Self.own(folder) == ["s0.json": "1"])
    // With the rest of it all three run again.
    try folder.write("5", to: "x.json")
    #expect(
      try Self.workflow(folder, plan).status().standings.map(\.state)
        == [.pending, .pending, .pending])
    #expect(try Self.workflow(folder, plan).perform().isPublished)
    #expect(try Self.own(folder) == made)
  }
}
