import Foundation
import SampleStores
import Testing

/// `generate-store` as a user runs it, and how each damage ends.
@Suite struct GenerateStoreCommandTests {
  /// What `verify-counts --status` says of a damaged store.
  private enum Ending {
    /// The store opens; these findings are told.
    case opens([String])
    /// 65, with these words.
    case damaged(String)
  }

  /// Damages of rows are not for the status, which counts, to tell.
  private static let endings: [StoreDamage: Ending] = [
    .corrupt: .damaged("is damaged: "), .damagedHeader: .damaged("page size in its header is 3"),
    .emptyFile: .damaged("is empty"), .encrypted: .damaged("does not begin as SQLite"),
    .truncated: .damaged("and its header says"),
    .noStore: .damaged("without the table Z_PRIMARYKEY"),
    .foreignLog: .opens(["foreign-wal"]), .noLog: .opens([]), .staleLog: .opens(["stale-wal"]),
    .tornLog: .opens(["torn-wal"]), .unfinishedLog: .opens(["torn-wal"]),
    .badMetadata: .opens(["names-from-columns"]), .badModel: .opens(["names-from-columns"]),
    .noMetadata: .opens(["names-from-columns"]), .noModel: .opens(["names-from-columns"]),
    .mixedVersions: .opens([
      "dormant-versioning", "mixed-versions", "model-differs", "names-from-columns",
    ]), .otherVersion: .opens(["model-differs"]),
    .unknownColumns: .opens(["model-differs", "names-from-columns"]),
    .foreignRows: .opens(["foreign-rows"]), .unknownEntity: .opens(["unknown-entity"]),
    .duplicateIdentities: .opens([]), .emptied: .opens(["store-emptied"]), .emptyBlobs: .opens([]),
    .oddDates: .opens([]), .orphans: .opens([]), .textIdentities: .opens([]),
    .hotJournal: .opens(["hot-journal"]), .unknownZones: .opens([]),
    .twoSingletons: .opens([]), .missingExternal: .opens([]), .orphanExternal: .opens([]),
  ]

  private let place: TemporaryDirectory

  init() throws { place = try TemporaryDirectory() }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }

  private func bytes(in directory: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path(directory)) {
      files[name] = FileManager.default.contents(atPath: path(directory + "/" + name))
    }
    return files
  }

  @Test func `stores are made with the app's names, the same bytes for the same options`() throws {
    let made = try run("generate-store", path("one"), "--profile", "ritualist")
    #expect(made.status == 0 && made.output.contains("with 3 files"), "\(made.errors)")
    let files = try bytes(in: "one")
    #expect(files.keys.sorted() == ["CloudKit.store", "CloudKit.store-wal", "Local.store"])
    #expect(try run("generate-store", path("two"), "--seed", "1").status == 0)
    #expect(try bytes(in: "two") == files)
    #expect(try run("generate-store", path("three"), "--device", "2").status == 0)
    #expect(try bytes(in: "three") != files)
    #expect(try run("generate-store", path("one")).status == 73)
    #expect(try bytes(in: "one") == files)
  }

  @Test(arguments: [
    ["--profile", "minuta"], ["--schema-version", "V12"], ["--rows=-1"], ["--device", "3"],
    ["--damage", "rust"], ["--damage", "missing-external"], ["--rows", "9", "--damage", "corrupt"],
    ["--damage", "corrupt", "--damage", "truncated"],
    ["--damage", "torn-wal", "--damage", "no-wal"],
    ["--schema-version", "V9", "--damage", "duplicate-ids"], ["--rows=9223372036854775807"],
  ])
  func `what cannot be made is wrong usage, and nothing is made`(options: [String]) throws {
    let run = try run(
      BuiltCommands.directory.appending(path: "generate-store"), [path("new")] + options, input: nil
    )
    #expect(run.status == 64, "\(run.output)")
    #expect(!FileManager.default.fileExists(atPath: path("new")))
  }

  @Test(arguments: StoreDamage.allCases)
  func `each damage ends in its finding or its error`(damage: StoreDamage) throws {
    let ending = try #require(Self.endings[damage])
    var triedCount = 0
    for (app, store) in [
      ("ritualist", "CloudKit.store"), ("laundrytime", "default.store"),
      ("library", "Library.store"),
    ] {
      let directory = "\(app)-\(damage.rawValue)"
      let made = try run(
        "generate-store", path(directory), "--profile", app, "--rows", "150", "--damage",
        damage.rawValue)
      if made.status == 64, made.errors.contains("is not possible") { continue }
      #expect(made.status == 0, "\(app): \(made.errors)")
      triedCount += 1
      let before = try bytes(in: directory)
      let status = try run("verify-counts", "--status", "--json", path("\(directory)/\(store)"))
      switch ending {
      case .damaged(let words):
        #expect(status.status == 65, "\(app): \(status.output)")
        #expect(status.errors.contains(words), "\(app): \(status.errors)")
      case .opens(let codes):
        // The rows of a foreign log name files that are beside another store.
        let losesFiles = app == "library" && [.foreignLog, .missingExternal].contains(damage)
        #expect(status.status == (losesFiles ? 1 : 0), "\(app): \(status.errors)")
        let found = status.jsonLines.compactMap { $0["code"] as? String }
        // Nothing else than its model says what the first bytes of the library's covers are.
        let isUnmarked = app == "library" && [.noModel, .badModel].contains(damage)
        let more = (isUnmarked ? ["other-storage"] : []) + (losesFiles ? ["missing-file"] : [])
        #expect(Set(found) == Set(codes + more), "\(app)")
      }
      #expect(try bytes(in: directory) == before, "\(app): the store changed")
    }
    #expect(triedCount > 0)
  }

  @Test(arguments: [("ritualist", "CloudKit.store"), ("library", "Library.store")])
  func `an unfinished transaction is undone, and no row is lost`(app: String, store: String) throws
  {
    #expect(try run("generate-store", path("whole"), "--profile", app).status == 0)
    #expect(
      try run("generate-store", path("hot"), "--profile", app, "--damage", "hot-journal").status
        == 0)
    let before = try bytes(in: "hot")
    #expect(before[store + "-journal"] != nil && before[store + "-wal"] == nil)
    func rows(_ directory: String, status: Int32 = 0) throws -> [Substring] {
      let exported = try run("export-json", path("\(directory)/\(store)"), "--quiet")
      #expect(exported.status == status, "\(exported.errors)")
      return exported.output.split(separator: "\n")
    }
    let (whole, hot) = (try rows("whole"), try rows("hot"))
    #expect(whole.count > 250 && hot == whole)
    #expect(try bytes(in: "hot") == before)
    // The database alone has lost rows; tags of the library lead to them, which is told.
    try FileManager.default.removeItem(atPath: path("hot/\(store)-journal"))
    let lost = try rows("hot", status: app == "library" ? 1 : 0)
    #expect(lost.count < whole.count - 50)
  }

  @Test func `a store with unknown time zones keeps them as they are`() throws {
    #expect(try run("generate-store", path("zones"), "--damage", "unknown-zones").status == 0)
    let store = path("zones/CloudKit.store")
    let exported = try run("export-json", store, "--quiet")
    #expect(exported.output.matches(of: /Mars\/Olympus_Mons/).count > 40)
    let imported = try run("import-crdt", store, "--into", path("folder"), "--json")
    #expect(imported.status == 0)
    let told = imported.jsonLines.filter { $0["code"] as? String == "unexpected-value" }
    // Those without a zone are told, too.
    #expect(told.count > 80)
    #expect(
      told.contains {
        "\($0["message"] ?? "")".contains("Mars/Olympus_Mons\", which is the name of no time zone")
      })
    #expect(try run("verify-counts", path("folder"), "--against", store).status == 0)
  }

  @Test func `a store that was emptied has no row, and handed out no number`() throws {
    #expect(try run("generate-store", path("gone"), "--damage", "emptied").status == 0)
    let status = try run("verify-counts", "--status", "--json", path("gone/CloudKit.store"))
    let entities = status.jsonLines.filter { $0["type"] as? String == "entity" }
    #expect(entities.count == 5)
    #expect(entities.allSatisfy { $0["rows"] as? Int == 0 && $0["highWater"] as? Int == 0 })
  }
}
