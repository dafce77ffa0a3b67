import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import SampleFolders
import SampleStores
import Testing

@testable import MigrationCore
@testable import Runs

/// Copies of stores for others, and copies that apps made, where the program dies at them.
@Suite struct StoreCopyCrashTests {
  /// The stores of two devices, made once.
  private static let files = (try? made(.ritualist, "V9", rows: 220)) ?? [:]
  private static let app = (try? made(.laundryTime, "shipped", rows: 40)) ?? [:]
  private static let other = (try? made(.laundryTime, "shipped", rows: 30, device: 2)) ?? [:]

  private static func made(
    _ app: SampleApp, _ version: String, rows: Int, device: Int = 1
  ) throws -> [String: Data] {
    var plan = try #require(StorePlan(app, version: version))
    (plan.rowCount, plan.device) = (rows, device)
    var files: [String: Data] = [:]
    try SampleStore(plan).forEachFile { files[$0.path.description] = Data($0.bytes) }
    return files
  }

  /// A directory for stores, one for what is made of them, and one for private copies.
  private final class Site: Sendable {
    let base: URL

    init() throws {
      base = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
      for name in ["app", "Backups", "out", "working"] {
        try FileManager.default.createDirectory(
          at: base.appending(path: name), withIntermediateDirectories: true)
      }
    }

    deinit {
      // What stays behind in the temporary directory harms no test.
      try? FileManager.default.removeItem(at: base)
    }

    func path(_ name: String) -> String { base.appending(path: name).path }

    /// Writes the files of a store under another name.
    func put(_ files: [String: Data], _ store: String, as name: String) throws {
      for suffix in ["", "-wal"] {
        guard let bytes = files[store + suffix] else { continue }
        try bytes.write(to: base.appending(path: name + suffix))
      }
    }

    func context(_ faults: (any FileOperations)? = nil) -> RunContext {
      var context = TestFolder.context(faults: faults)
      context.temporaryDirectory = path("working")
      return context
    }

    func files(_ directory: String) throws -> [String: Data] {
      var files: [String: Data] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: path(directory)) {
        guard let bytes = FileManager.default.contents(atPath: path("\(directory)/\(name)")) else {
          continue
        }
        files[name] = bytes
      }
      return files
    }
  }

  // MARK: For others

  private func packForSupport(
    _ site: Site, to name: String, _ faults: (any FileOperations)? = nil
  ) throws -> BackupReport {
    var options = PackOptions(folder: site.path("app/Ritualist.sqlite"))
    options.isForSupport = true
    options.output = site.path("out/\(name)")
    return try StorePackWorkflow(options, context: site.context(faults)).perform()
  }

  @Test func `a run that dies while it packs for others leaves the store, and no half copy`() throws
  {
    let first = try Site()
    try first.put(Self.files, "Ritualist.sqlite", as: "app/Ritualist.sqlite")
    let counting = FaultPlan(atCall: .max, .stop)
    let whole = try packForSupport(first, to: "a.tar", counting)
    #expect(whole.findings.contains { $0.code == .privateKind })
    #expect(counting.callCount > 30)
    for call in stride(from: 1, through: counting.callCount, by: 6) {
      let site = try Site()
      try site.put(Self.files, "Ritualist.sqlite", as: "app/Ritualist.sqlite")
      let before = try site.files("app")
      for fault in [FaultPlan.Fault.stop, .failure(ENOSPC)] {
        // Whether the run could go on is up to it; what it left is looked at.
        do { _ = try packForSupport(site, to: "a.tar", FaultPlan(atCall: call, fault)) } catch {}
        #expect(try site.files("app") == before, "call \(call)")
        // What has its name is whole.
        let left = try site.files("out")
        if left["a.tar"] != nil {
          #expect(try check(site, "a.tar").isVerified == true, "call \(call)")
          try FileManager.default.removeItem(atPath: site.path("out/a.tar"))
        }
      }
      _ = try packForSupport(site, to: "a.tar")
      #expect(try check(site, "a.tar").findings.contains { $0.code == .privateKind })
      #expect(try Array(site.files("out").keys) == ["a.tar"], "call \(call)")
      #expect(try site.files("working").isEmpty, "call \(call)")
      #expect(try site.files("app") == before, "call \(call)")
    }
  }

  private func check(_ site: Site, _ name: String) throws -> RestoreReport {
    try RestoreWorkflow(
      RestoreOptions(backup: site.path("out/\(name)"), folder: ""), context: site.context()
    ).check()
  }

  // MARK: Made by apps

  @Test func `a run that dies while it restores an app's copy is completed by the next one`() throws
  {
    func prepared() throws -> Site {
      let site = try Site()
      try site.put(Self.app, "default.store", as: "app/default.store")
      try site.put(Self.other, "default.store", as: "Backups/backup.store")
      return site
    }
    func restore(_ site: Site, _ faults: (any FileOperations)? = nil) throws {
      let options = RestoreOptions(
        backup: site.path("Backups/backup.store"), folder: site.path("app/default.store"))
      _ = try RestoreWorkflow(options, context: site.context(faults)).perform()
    }
    func store(_ site: Site) throws -> [String: Data] {
      try site.files("app").filter { !$0.key.contains(".nosync") }
    }
    let first = try prepared()
    let counting = FaultPlan(atCall: .max, .stop)
    try restore(first, counting)
    #expect(counting.callCount > 30)
    let new = try store(first)
    #expect(new.keys.sorted() == ["default.store"])
    for call in stride(from: 1, through: counting.callCount, by: 5) {
      let site = try prepared()
      let (old, copy) = (try store(site), try site.files("Backups"))
      do { try restore(site, FaultPlan(atCall: call, .stop)) } catch {}
      #expect(try site.files("Backups") == copy, "call \(call)")
      do { try restore(site) } catch {
        Issue.record("call \(call): \(error)")
        continue
      }
      #expect(try store(site) == new, "call \(call)")
      let everything = try site.files("app")
      for (name, bytes) in old {
        #expect(
          everything.contains { $0.key.hasSuffix(name) && $0.value == bytes }, "call \(call)")
      }
      #expect(try site.files("Backups") == copy, "call \(call)")
      #expect(try site.files("working").isEmpty, "call \(call)")
    }
  }
}
