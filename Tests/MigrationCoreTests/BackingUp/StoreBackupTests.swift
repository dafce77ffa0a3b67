import Backups
import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import SampleFolders
import SampleStores
import TestStores
import Testing

@testable import MigrationCore
@testable import Runs

/// Backups of stores, and bringing stores back, also where the program dies.
@Suite struct StoreBackupTests {
  /// The stores of an app, made once.
  private static let files = (try? made(rows: 60)) ?? [:]
  private static let others = (try? made(rows: 50, seed: 7)) ?? [:]

  private static func made(
    rows: Int, _ damages: Set<StoreDamage> = [], seed: UInt64 = 1
  ) throws -> [String: Data] {
    var plan = try #require(StorePlan(.library))
    (plan.rowCount, plan.damages, plan.seed) = (rows, damages, seed)
    var files: [String: Data] = [:]
    try SampleStore(plan).forEachFile { files[$0.path.description] = Data($0.bytes) }
    return files
  }

  /// A directory with the stores of an app, one for backups, and one for private copies.
  private final class Site: Sendable {
    let base: URL

    init(_ files: [String: Data]? = nil) throws {
      base = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
      for name in ["app", "working"] {
        try FileManager.default.createDirectory(
          at: base.appending(path: name), withIntermediateDirectories: true)
      }
      try replace(by: files ?? StoreBackupTests.files)
    }

    deinit {
      // What stays behind in the temporary directory harms no test.
      try? FileManager.default.removeItem(at: base)
    }

    /// Puts other stores in the place of those that are there; backups stay.
    func replace(by files: [String: Data]) throws {
      let app = base.appending(path: "app")
      for name in try FileManager.default.contentsOfDirectory(atPath: app.path)
      where !name.hasSuffix("-backups") && !name.hasSuffix(".nosync") {
        try FileManager.default.removeItem(at: app.appending(path: name))
      }
      for (name, bytes) in files {
        let url = app.appending(path: name)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: url)
      }
    }

    var store: String { base.appending(path: "app/Library.store").path }

    func context(_ faults: (any FileOperations)? = nil) -> RunContext {
      var context = TestFolder.context(faults: faults)
      context.temporaryDirectory = base.appending(path: "working").path
      return context
    }

    @discardableResult
    func pack(
      _ faults: (any FileOperations)? = nil, _ configure: (inout PackOptions) -> Void = { _ in }
    ) throws -> BackupReport {
      var options = PackOptions(folder: store)
      configure(&options)
      return try StorePackWorkflow(options, context: context(faults)).perform()
    }

    func restoring(
      _ backup: String, _ faults: (any FileOperations)? = nil, waits: Bool = false
    ) -> RestoreWorkflow {
      var options = RestoreOptions(backup: backup, folder: store)
      options.waits = waits
      return RestoreWorkflow(options, context: context(faults))
    }

    /// The files of a directory, without what this toolkit keeps for itself.
    func files(_ directory: String = "app") throws -> [String: Data] {
      try all(directory).filter { !$0.key.contains(".nosync") && !$0.key.contains("-backups/") }
    }

    func all(_ directory: String) throws -> [String: Data] {
      var files: [String: Data] = [:]
      let root = base.appending(path: directory)
      for name in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
        files[name] = FileManager.default.contents(atPath: root.appending(path: name).path)
      }
      return files
    }

    func rows() throws -> [String: Int] {
      let report = try StoreStatusWorkflow(store, context: context()).perform()
      #expect(report.stores.count == 1)
      return Dictionary(
        uniqueKeysWithValues: report.stores[0].entities.map { ($0.name, $0.rowCount) })
    }
  }

  @Test func `a backup holds the rows of the log, the files as they were, and says how many`()
    throws
  {
    let site = try Site()
    let before = try site.files()
    let rows = try site.rows()
    let report = try site.pack()
    #expect(report.archives.map(\.outcome) == [.created])
    #expect(try site.files() == before)
    #expect(try site.all("working").isEmpty)
    let restored = site.restoring(report.archives[0].path)
    let list = try restored.list().entries.map(\.path)
    #expect(list.contains("Library.store") && list.contains("original/Library.store-wal"))
    #expect(list.contains { $0.hasPrefix(".Library_SUPPORT/_EXTERNAL_DATA/") })
    #expect(try restored.check().isVerified == true)
    // Another store takes its place, and is set aside with its log.
    try site.replace(by: Self.others)
    let other = try site.files()
    let done = try restored.perform()
    #expect(done.outcome == .restored && !done.setAside.isEmpty)
    #expect(try site.rows() == rows)
    let now = try site.files()
    #expect(now["Library.store-wal"] == nil)
    func support(_ files: [String: Data]) -> [String: Data] {
      files.filter { $0.key.hasPrefix(".Library_SUPPORT") }
    }
    #expect(support(now) == support(before) && !support(now).isEmpty)
    let aside = try site.all("app/\(done.setAside)")
    #expect(aside == other)
  }

  @Test(arguments: [0, 1, 2], [1, 2])
  func `of a store that is not sound nothing is packed, wherever the backup was to go`(
    place: Int, workers: Int
  ) throws {
    let site = try Site()
    // There may be backups of when it was sound.
    if place == 1 { try site.pack() }
    let database = try TestDatabase(at: site.store)
    try database.run(
      """
      CREATE TABLE ZEXTRA (a, b); CREATE INDEX one ON ZEXTRA (a); CREATE INDEX two ON ZEXTRA (b);
      INSERT INTO ZEXTRA VALUES (1, 2), (3, 4); PRAGMA writable_schema=ON;
      UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'one') \
      WHERE name = 'two';
      """)
    try database.checkpoint()
    let before = try site.all("app")
    let output = site.base.appending(path: "app/out.tar").path
    var context = site.context()
    context.workerCount = workers
    func refused(_ body: () throws -> Void) -> String? {
      let error = #expect(throws: MigrationError.self) { try body() }
      #expect(error?.diagnostic.kind == .damagedInput)
      return error.map { "\($0.diagnostic)" }
    }
    let opening = refused { _ = try StoreStatusWorkflow(site.store, context: context).perform() }
    let packing = refused {
      var options = PackOptions(folder: site.store)
      if place == 2 { options.output = output }
      _ = try StorePackWorkflow(options, context: context).perform()
    }
    #expect(packing == opening && packing != nil)
    #expect(try site.all("app") == before)
    #expect(try site.all("working").isEmpty)
  }

  @Test func `what is young enough, or holds the store as it is, is followed by no other`() throws {
    let site = try Site()
    try site.pack()
    #expect(try site.pack { $0.leastAgeSeconds = 3600 }.archives.map(\.outcome) == [.fresh])
    #expect(try site.pack { $0.reusesVerified = true }.archives.map(\.outcome) == [.reused])
    #expect(try site.pack { $0.leastAgeSeconds = 0 }.archives.map(\.outcome) == [.created])
    let kept = try site.pack { $0.retention.count = 2 }
    #expect(kept.archives.map(\.outcome) == [.created, .kept, .dropped])
  }

  @Test func `the backup of a store that was emptied since is never dropped`() throws {
    let site = try Site()
    let first = try site.pack().archives[0].path
    try site.replace(by: Self.made(rows: 60, [.emptied]))
    #expect(throws: MigrationError.self) { try site.pack() }
    for _ in 0..<3 {
      let report = try site.pack {
        $0.allowsEmpty = true
        $0.retention.count = 1
      }
      let outcome = report.archives.first { $0.path == first }?.outcome
      #expect(outcome == .kept)
    }
    // A few rows that the app made anew are not those that are gone.
    try site.replace(by: Self.made(rows: 8, seed: 3))
    for _ in 0..<3 {
      let report = try site.pack {
        $0.allowsEmpty = true
        $0.retention.count = 1
      }
      #expect(report.archives.first { $0.path == first }?.outcome == .kept)
    }
    try site.replace(by: Self.files)
    let list = try StorePackWorkflow(PackOptions(folder: site.store), context: site.context())
      .list(isVerifying: true)
    #expect(list.archives.allSatisfy { $0.isVerified == true })
  }

  @Test func `a run that dies while it packs changes no store, and the next one packs`() throws {
    let site = try Site()
    let before = try site.files()
    let counting = FaultPlan(atCall: .max, .stop)
    try site.pack(counting)
    #expect(counting.callCount > 20)
    for call in stride(from: 1, through: counting.callCount, by: 3) {
      for fault in [FaultPlan.Fault.stop, .failure(ENOSPC)] {
        let site = try Site()
        // Whether the run could go on is up to it; what it left is looked at.
        do { try site.pack(FaultPlan(atCall: call, fault)) } catch {}
        #expect(try site.files() == before, "call \(call)")
        try site.pack()
        let list = try StorePackWorkflow(PackOptions(folder: site.store), context: site.context())
          .list(isVerifying: true)
        #expect(list.archives.allSatisfy { $0.isVerified == true }, "call \(call)")
        #expect(try site.all("working").isEmpty, "call \(call)")
      }
    }
  }

  @Test(arguments: [false, true])
  func `a run that dies while it restores is completed by the next one, and nothing is lost`(
    waits: Bool
  ) throws {
    let first = try Site()
    let bytes = try Data(contentsOf: URL(filePath: first.pack().archives[0].path))
    func prepared() throws -> (Site, backup: String, old: [String: Data]) {
      let site = try Site(Self.others)
      let backup = site.base.appending(path: "backup.tar")
      try bytes.write(to: backup)
      return (site, backup.path, try site.files())
    }
    func work(_ site: Site, _ backup: String, _ faults: any FileOperations) throws {
      if waits {
        _ = try site.restoring(backup, waits: true).perform()
        _ = try site.restoring("", faults).finish()
      } else {
        _ = try site.restoring(backup, faults).perform()
      }
    }
    let (site, backup, _) = try prepared()
    let counting = FaultPlan(atCall: .max, .stop)
    try work(site, backup, counting)
    #expect(counting.callCount > 15)
    let new = try site.files()
    var goneCount = 0
    for call in 1...counting.callCount {
      let (site, backup, old) = try prepared()
      do { try work(site, backup, FaultPlan(atCall: call, .stop)) } catch {}
      if !FileManager.default.fileExists(atPath: site.store) {
        goneCount += 1
        let error = #expect(throws: MigrationError.self) {
          try StoreSource.open(site.store, context: site.context())
        }
        #expect(error?.diagnostic.kind == .busy, "call \(call)")
      }
      do {
        if waits {
          _ = try site.restoring("").finish()
        } else {
          _ = try site.restoring(backup).perform()
        }
      } catch {
        Issue.record("call \(call): \(error)")
        continue
      }
      #expect(try site.files() == new, "call \(call)")
      let everything = try site.all("app")
      for (name, bytes) in old {
        #expect(everything.contains { $0.key.hasSuffix(name) && $0.value == bytes }, "\(name)")
      }
    }
    #expect(goneCount > 0)
  }
}
