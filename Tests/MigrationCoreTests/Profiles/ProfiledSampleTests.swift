import Diagnostics
import Folders
import Foundation
import SafeFiles
import SampleFolders
import Testing

@testable import MigrationCore

/// Folders that `generate-folder` makes up for a profile: nothing in them is an error, and all of it is
/// proven.
@Suite struct ProfiledSampleTests {
  private static func plan(_ count: Int, seed: UInt64 = 1) -> SamplePlan {
    var plan = SamplePlan()
    plan.recordCount = count
    plan.seed = seed
    return plan
  }

  private func expectProven(_ profile: Profile, _ plan: SamplePlan) throws -> VerificationReport {
    let folder = try ProfiledFolder(profile)
    _ = try DeclaredSample(plan, of: profile).write(into: Directory.open(path: folder.folder.path))
    let report = try folder.importing()
    #expect(report.findings.allSatisfy { $0.severity == .info }, "\(report.findings)")
    #expect(report.counts.reduce(0) { $0 + $1.imported } == plan.recordCount)
    let verification = try folder.verifying()
    #expect(
      verification.findings.allSatisfy { $0.severity == .info }, "\(verification.findings)")
    #expect(verification.isComplete)
    #expect(verification.counts.reduce(0) { $0 + $1.proven } == plan.recordCount)
    #expect(verification.counts.reduce(0) { $0 + $1.equal } == plan.recordCount)
    return verification
  }

  @Test(arguments: ["notes", "habits", "greenhouse"], [1, 2] as [UInt64])
  func `a sample of an app's profile is imported and proven`(_ name: String, seed: UInt64) throws {
    let file = Fixtures.directory.appending(path: "profiles/\(name)/profile.json").path
    let profile = try Profile(file: file)
    let verification = try expectProven(profile, Self.plan(400, seed: seed))
    #expect((verification.imagesFound > 0) == (name == "notes"))
    let kinds = Set(verification.counts.map(\.kind))
    #expect(kinds == Set(profile.kinds.map(\.name)))
    #expect(verification.counts.allSatisfy { $0.kind != "settings" || $0.proven == 1 })
    _ = try expectProven(profile, Self.plan(profile.kinds.count - 1, seed: seed))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `values of every type in files of every form are imported and proven`(seed: UInt64) throws {
    let profile = try Profile(parsing: Array(Self.everything.utf8), of: "everything.json")
    let verification = try expectProven(profile, Self.plan(700, seed: seed))
    #expect(Set(verification.counts.map(\.kind)).count == profile.kinds.count)
    #expect(verification.imagesFound > 0)
  }

  /// Each kind of file, identity, document and type, and checks that not every value passes.
  private static let everything = """
    {"profile": "everything", "version": 3, "kinds": [
      {"kind": "thing", "identity": {"type": "uuid", "property": "id"},
       "files": {"paths": ["things/**/{year}-{month}-*.json", "box/*/thing.json"]},
       "document": {"path": "things/{year}/{month}.automerge", "month": "begin",
        "undated": "things/none.automerge"},
       "properties": {
        "begin": {"type": "date"}, "end": {"type": "date"}, "late": {"type": "date"},
        "s": {"type": "string", "required": true}, "code": {"type": "string"},
        "u": {"type": "uuid"}, "f": {"type": "boolean", "required": true},
        "i": {"type": "integer"}, "small": {"type": "integer"}, "n": {"type": "number"},
        "d": {"type": "double", "required": true}, "b": {"type": "bytes"},
        "m": {"type": "decimal"}, "share": {"type": "decimal"}, "j": {"type": "json"},
        "t": {"type": "text"}, "l": {"type": "list"}, "o": {"type": "map"},
        "many": {"type": "links", "kind": "day"}, "any": {"type": "links"},
        "one": {"type": "reference", "kind": "row", "required": true},
        "loose": {"type": "reference"}, "self": {"type": "reference", "kind": "thing"},
        "new": {"type": "text", "since": 2}, "old": {"type": "integer", "since": 2, "until": 3},
        "photo": {"type": "string"}, "photos": {"type": "list"}},
       "attachments": [
        {"property": "photo", "directories": ["photo/{year}-{month}", "."]},
        {"property": "photos", "directories": ["photos/{year}/{month}"]}],
       "checks": [
        {"property": "begin", "notAfter": "end"}, {"property": "end", "notAfter": "late"},
        {"property": "small", "minimum": -3, "maximum": 3},
        {"property": "share", "minimum": 0.1, "maximum": 0.9},
        {"property": "n", "minimum": 1000},
        {"property": "code", "pattern": "[A-Z][0-9]?*-\\\\*"}]},
      {"kind": "row", "identity": {"type": "string", "property": "key"},
       "files": {"paths": ["rows/{year}-{month}.json"], "elements": "/data/rows",
        "stays": ["/data/version", "/about/app"]},
       "document": {"path": "rows-{year}-{month}.automerge"},
       "properties": {"see": {"type": "links", "kind": "row"}}},
      {"kind": "plain", "identity": {"type": "string", "property": "key"},
       "files": {"paths": ["plain.json"], "elements": ""},
       "document": {"path": "plain.automerge"}, "properties": {}},
      {"kind": "member", "identity": {"type": "member"},
       "files": {"paths": ["maps/*.json", "first.json"], "members": "/all",
        "stays": ["/all/_", "/x"]},
       "document": {"path": "members.automerge"},
       "properties": {"to": {"type": "reference", "kind": "one"}}},
      {"kind": "day", "identity": {"type": "file"},
       "files": {"paths": ["days/*/{year}{month}*.json"]},
       "document": {"path": "days/{year}{month}.automerge"},
       "properties": {"thing": {"type": "reference", "kind": "thing"}}},
      {"kind": "one", "identity": {"type": "singleton"},
       "files": {"paths": ["one.json"], "value": "/a~1b/c", "stays": ["/a~1b/d", "/e"]},
       "document": {"path": "one.automerge"}, "properties": {"o": {"type": "map"}}}
    ]}
    """
}
