import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import SampleFolders
import SampleStores
import Testing

@testable import MigrationCore
@testable import Runs

/// What a recovery finds wrong with stores and what comes of its steps, also where the program dies.
@Suite struct StoreRecoveryTests {
  /// A backup of the store with nothing wrong, made once.
  private static let archive: Data? = {
    // What cannot be made is missed where it is needed.
    guard let site = try? Site(hasBackup: false),
      let path = try? StorePackWorkflow(PackOptions(folder: site.store), context: site.context())
        .perform().archives[0].path
    else { return nil }
    return FileManager.default.contents(atPath: path)
  }()

  /// The store of an app, and one for backups and private copies.
  private final class Site: Sendable {
    let base: URL

    init(_ damages: Set<StoreDamage> = [], hasBackup: Bool = true) throws {
      base = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
      for name in ["app", "working"] {
        try FileManager.default.createDirectory(
          at: base.appending(path: name), withIntermediateDirectories: true)
      }
      if hasBackup {
        let place = app.appending(path: "default.store-backups")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try #require(StoreRecoveryTests.archive).write(
          to: place.appending(path: "default.store-20260106T120000Z-0001.tar"))
      }
      try put(damages)
    }

    deinit {
      // What stays behind in the temporary directory harms no test.
      try? FileManager.default.removeItem(at: base)
    }

    var app: URL { base.appending(path: "app") }
    var store: String { app.appending(path: "default.store").path }

    /// Makes a backup of the store that is there.
    func pack() throws -> String {
      try StorePackWorkflow(PackOptions(folder: store), context: context()).perform()
        .archives[0].path
    }

    /// Puts a store in the place of the one that is there; backups stay.
    func put(_ damages: Set<StoreDamage>, rows: Int = 60) throws {
      for name in ["default.store", "default.store-wal", "default.store-journal"] {
        // What is not there is gone.
        try? FileManager.default.removeItem(at: app.appending(path: name))
      }
      var plan = try #require(StorePlan(.laundryTime))
      (plan.rowCount, plan.damages) = (rows, damages)
      try SampleStore(plan).forEachFile { file in
        try Data(file.bytes).write(to: app.appending(path: file.path.description))
      }
    }

    func context(_ faults: (any FileOperations)? = nil) -> RunContext {
      var context = TestFolder.context(faults: faults)
      context.temporaryDirectory = base.appending(path: "working").path
      return context
    }

    func look(at path: String? = nil) throws -> StoreRecoveryReport {
      let workflow = try StoreRecoveryWorkflow(
        RecoveryOptions(folder: path ?? store), context: context())
      return try #require(workflow).look()
    }

    /// Takes the steps, as the command does.
    func apply(_ steps: [RecoveryStep], _ faults: (any FileOperations)? = nil) throws {
      for step in steps {
        guard case .run(let command) = step.action else { throw CocoaError(.featureUnsupported) }
        let words = command.arguments
        let context = context(faults)
        switch command.name {
        case .packBackup:
          var options = PackOptions(folder: words[0])
          options.isUnopened = words.contains("--as-it-is")
          _ = try options.workflow(context: context).perform()
        case .restoreBackup where words[0] == "--finish":
          let options = RestoreOptions(backup: "", folder: words[1])
          _ = try RestoreWorkflow(options, context: context).finish()
        case .restoreBackup:
          let options = RestoreOptions(backup: words[0], folder: words[2])
          _ = try RestoreWorkflow(options, context: context).perform()
        default: throw CocoaError(.featureUnsupported)
        }
      }
    }

    func rows() throws -> Int {
      try StoreStatusWorkflow(store, context: context()).perform().stores.reduce(0) {
        $0 + $1.rowCount
      }
    }

    func files() throws -> [String: Data] {
      var files: [String: Data] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: app.path) {
        files[name] = FileManager.default.contents(atPath: app.appending(path: name).path)
      }
      return files
    }
  }

  /// What the app has that has a damage.
  private enum Ending: Equatable {
    /// It is not as it was, and comes back.
    case comesBack(StoreRecoveryReport.Store.Condition)
    /// It can be read; what lies beside it is kept.
    case isKept
    /// It can be read, and nothing is to be done by a command.
    case isLeft
  }

  private static func ending(of damage: StoreDamage) -> Ending {
    switch damage {
    case .corrupt, .damagedHeader, .emptyFile, .encrypted, .truncated, .noStore:
      .comesBack(.damaged)
    case .emptied: .comesBack(.emptied)
    case .foreignLog, .staleLog, .tornLog, .unfinishedLog, .hotJournal: .isKept
    default: .isLeft
    }
  }

  private static let damages = StoreDamage.allCases.filter { damage in
    guard var plan = StorePlan(.laundryTime) else { return false }
    (plan.rowCount, plan.damages) = (60, [damage])
    return plan.problem == nil
  }

  @Test(arguments: damages)
  func `each damage has its steps, which change nothing before they are taken`(
    damage: StoreDamage
  ) throws {
    let site = try Site([damage])
    let before = try site.files()
    let report = try site.look()
    #expect(try site.files() == before)
    #expect(report.stores.count == 1)
    let commands = report.steps.map { String($0.shellText.prefix { $0 != " " }) }
    switch Self.ending(of: damage) {
    case .comesBack(let condition):
      #expect(report.stores.first?.condition == condition)
      #expect(commands == ["pack-backup", "restore-backup"])
      #expect(report.stores.first?.backupRowCount == 60 && report.endsWithDifferences)
      try site.apply(report.steps)
      #expect(try site.rows() == 60)
    case .isKept:
      #expect(report.stores.first?.condition == .whole)
      #expect(commands == ["pack-backup"])
      try site.apply(report.steps)
    case .isLeft:
      #expect(report.stores.first?.condition == .whole)
      #expect(commands.isEmpty)
    }
    // The files as they were are somewhere, byte for byte, and nothing is left to do.
    let now = try site.look()
    #expect(now.steps.isEmpty, "\(now.steps.map(\.shellText))")
    let after = try site.files()
    for (name, bytes) in before where !name.contains("-backups") {
      #expect(
        after.contains { $0.key.hasSuffix(name) && $0.value == bytes }, "\(name) is gone")
    }
    if case .comesBack = Self.ending(of: damage) { #expect(!now.endsWithDifferences) }
  }

  @Test func `a store with nothing wrong is left alone`() throws {
    let site = try Site()
    let report = try site.look()
    #expect(report.steps.isEmpty && !report.endsWithDifferences)
    #expect(report.stores.map(\.condition) == [.whole] && report.stores[0].rowCount == 60)
  }

  @Test func `of a database that is gone the log is kept, and the store comes back`() throws {
    let site = try Site()
    try FileManager.default.removeItem(atPath: site.store)
    let log = try #require(try site.files()["default.store-wal"])
    let report = try site.look()
    #expect(report.stores.map(\.condition) == [.missing])
    #expect(report.findings.map(\.code) == [.missingStore])
    #expect(report.steps.count == 2)
    // Its directory tells the same.
    #expect(try site.look(at: site.app.path).steps == report.steps)
    try site.apply(report.steps)
    #expect(try site.rows() == 60)
    #expect(
      try site.files().contains { $0.key.hasSuffix("old/default.store-wal") && $0.value == log })
    #expect(try !site.look().endsWithDifferences)
    // The archive of what was left brings just that back.
    let kept = try #require(
      try StorePackWorkflow(PackOptions(folder: site.store), context: site.context())
        .list(isVerifying: true).archives.first(where: \.isUnopened))
    #expect(kept.isVerified == true)
    _ = try RestoreWorkflow(
      RestoreOptions(backup: kept.path, folder: site.store), context: site.context()
    ).perform()
    #expect(try site.files()["default.store-wal"] == log)
    #expect(try site.files()["default.store"] == nil)
  }

  @Test func `with nothing that brings it back a damaged store is kept, and left`() throws {
    let site = try Site([.truncated], hasBackup: false)
    let report = try site.look()
    #expect(report.steps.count == 1 && report.stores.first?.backup == nil)
    try site.apply(report.steps)
    let now = try site.look()
    #expect(now.steps.isEmpty && now.left.map(\.code) == [.damagedStore])
    #expect(now.endsWithDifferences)
  }

  @Test func `what was packed as it was is no backup of the rows`() throws {
    let site = try Site(hasBackup: false)
    _ = try site.pack()
    try site.put([.emptied])
    try site.apply([try #require(try site.look().steps.first)])
    // The newest backup still holds the rows, so a new one is refused and the plan goes on.
    #expect(throws: MigrationError.self) {
      try StorePackWorkflow(PackOptions(folder: site.store), context: site.context()).perform()
    }
    let report = try site.look()
    #expect(report.steps.map { $0.shellText.hasPrefix("restore-backup") } == [true])
  }

  @Test func `a damaged backup is told, and the one before it is used`() throws {
    let site = try Site(hasBackup: false)
    let (first, second) = (try site.pack(), try site.pack())
    var bytes = try Data(contentsOf: URL(filePath: second))
    bytes[bytes.count / 2] ^= 0xff
    try bytes.write(to: URL(filePath: second))
    try site.put([.encrypted])
    let report = try site.look()
    let name = try #require(first.split(separator: "/").last)
    #expect(report.stores.first?.backup?.hasSuffix(name) == true)
    #expect(report.findings.contains { $0.code == .unverifiedBackup })
  }

  @Test func `a store that was moved with its backups is known by its name`() throws {
    let site = try Site([.damagedHeader])
    let moved = site.base.appending(path: "moved")
    try FileManager.default.moveItem(at: site.app, to: moved)
    let report = try site.look(at: moved.appending(path: "default.store").path)
    #expect(report.stores.first?.backupRowCount == 60)
  }

  @Test func `a folder of JSON is none of its business, nor is what is not there`() throws {
    let folder = try TestFolder("Minuta")
    try folder.write(Array("[]".utf8), to: "tags.json")
    try folder.write(Array("x".utf8), to: "some.store")
    for path in [folder.path, folder.path + "/none.store", folder.path + "/tags.json"] {
      #expect(
        try StoreRecoveryWorkflow(
          RecoveryOptions(folder: path), context: TestFolder.context()) == nil)
    }
    // One that lost everything but a store is no directory of stores.
    let lost = try TestFolder("Lost")
    try lost.write(Array("x".utf8), to: "some.store")
    try FileManager.default.createDirectory(
      atPath: lost.path + "-backups", withIntermediateDirectories: false)
    #expect(
      try StoreRecoveryWorkflow(
        RecoveryOptions(folder: lost.path), context: TestFolder.context()) == nil)
    let site = try Site()
    var options = RecoveryOptions(folder: site.store)
    options.numericDates = .unix
    #expect(throws: MigrationError.self) {
      try StoreRecoveryWorkflow(options, context: site.context())
    }
  }

  @Test func `what a restore left that died at its very end is removed, and nothing else`() throws {
    let site = try Site()
    let run = site.app.appending(path: ".automerge-migrate.nosync/restore/20260106T120000Z-0001")
    for name in ["staging", "old"] {
      let place = run.appending(path: name)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data("x".utf8).write(to: place.appending(path: "default.store"))
    }
    let workflow = try #require(
      try StoreRecoveryWorkflow(RecoveryOptions(folder: site.store), context: site.context()))
    #expect(try workflow.look().steps.isEmpty)
    try workflow.sweep()
    #expect(try FileManager.default.contentsOfDirectory(atPath: run.path) == ["old"])
  }

  @Test func `killed anywhere it goes on, and nothing of the store is lost`() throws {
    let first = try Site([.truncated])
    let old = try first.files().filter { !$0.key.contains("-backups") }
    let steps = try first.look().steps
    let counting = FaultPlan(atCall: .max, .stop)
    try first.apply(steps, counting)
    #expect(counting.callCount > 20)
    // Every call of a pack and of a restore is tried where these are tested; here a slice of both.
    for call in stride(from: 1, through: counting.callCount, by: 8) {
      let site = try Site([.truncated])
      do { try site.apply(try site.look().steps, FaultPlan(atCall: call, .stop)) } catch {}
      var rounds = 0
      while true {
        let report = try site.look()
        if report.steps.isEmpty { break }
        rounds += 1
        guard rounds < 4 else {
          Issue.record("call \(call): \(report.steps.map(\.shellText))")
          break
        }
        try site.apply(report.steps)
      }
      #expect(try site.rows() == 60, "call \(call)")
      #expect(try !site.look().endsWithDifferences, "call \(call)")
      let everything = try site.files()
      for (name, bytes) in old {
        #expect(
          everything.contains { $0.key.hasSuffix(name) && $0.value == bytes }, "call \(call)")
      }
    }
  }
}
