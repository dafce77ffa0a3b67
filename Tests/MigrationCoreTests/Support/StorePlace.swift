import Folders
import Foundation
import SafeFiles
import SampleFolders
import SampleStores
import TestStores

@testable import MigrationCore
@testable import Runs

/// The stores of a sample app, and a folder that gets their documents; both go with the value.
final class StorePlace: Sendable {
  let stores: TestFolder
  let folder: TestFolder

  init(_ plan: StorePlan) throws {
    stores = try TestFolder("Stores")
    folder = try TestFolder("Data")
    let stores = stores
    try SampleStore(plan).forEachFile { file in
      try stores.write(file.bytes, to: file.path.description)
    }
  }

  /// One store that a test makes.
  init(_ store: TestStore, named name: String) throws {
    stores = try TestFolder("Stores")
    folder = try TestFolder("Data")
    _ = try store.write(to: "\(stores.path)/\(name)")
  }

  /// A plan of an app's version.
  static func plan(
    _ app: SampleApp, _ version: String? = nil, rows: Int = 120, device: Int = 1, seed: UInt64 = 1,
    _ damages: Set<StoreDamage> = []
  ) throws -> StorePlan {
    guard var plan = StorePlan(app, version: version) else { throw CocoaError(.featureUnsupported) }
    (plan.rowCount, plan.device, plan.seed, plan.damages) = (rows, device, seed, damages)
    return plan
  }

  @discardableResult
  func importing(
    isDryRun: Bool = false, workers: Int = 2,
    _ configure: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportReport {
    var options = ImportOptions(source: .folder(path: stores.path), target: folder.path)
    configure(&options)
    let workflow = ImportWorkflow(options, context: TestFolder.context(workers: workers))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  func verifying(
    _ configure: (inout VerificationOptions) -> Void = { _ in }
  ) throws -> VerificationReport {
    var options = VerificationOptions(folder: folder.path)
    options.reference = .folder(path: stores.path)
    configure(&options)
    return try VerificationWorkflow(options, context: TestFolder.context()).perform()
  }

  /// The lines of an export, the first and the last included.
  func exporting(
    _ configure: (inout ExportOptions) -> Void = { _ in }
  ) throws -> (lines: [String], report: ExportReport) {
    let collected = Collected()
    var options = ExportOptions(
      source: stores.path,
      destination: .stream(ByteSink(name: "test") { collected.bytes += $0 }))
    configure(&options)
    let report = try ExportWorkflow(options, context: TestFolder.context()).perform()
    let text = String(decoding: collected.bytes, as: UTF8.self)
    return (text.split(separator: "\n").map(String.init), report)
  }

  private final class Collected { var bytes: [UInt8] = [] }

  /// The documents and what lies beside them, by path.
  func documents() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where name.hasSuffix(".automerge") || name.hasPrefix("blobs/") {
      files[name] = try folder.bytes(name)
    }
    return files
  }
}
