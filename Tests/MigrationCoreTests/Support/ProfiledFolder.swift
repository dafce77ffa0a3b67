import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles

@testable import MigrationCore
@testable import Runs

/// A data folder of an app that only a profile describes.
final class ProfiledFolder: Sendable {
  let folder: TestFolder
  let profile: Profile

  init(_ profile: Profile, in folder: TestFolder? = nil) throws {
    self.folder = try folder ?? TestFolder("Data")
    self.profile = profile
  }

  /// A copy of a folder under `fixtures/profiles`.
  convenience init(
    sample name: String, profile file: String = "profile.json", in folder: TestFolder? = nil
  ) throws {
    let directory = Fixtures.directory.appending(path: "profiles/\(name)")
    try self.init(Profile(file: directory.appending(path: file).path), in: folder)
    let root = directory.appending(path: "folder").path
    for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
      let file = URL(filePath: root + "/" + path)
      guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
        continue
      }
      try self.folder.write([UInt8](Data(contentsOf: file)), to: path)
    }
  }

  static let samples = ["notes", "habits"]

  func copied() throws -> ProfiledFolder {
    let copy = try ProfiledFolder(profile)
    try folder.copy(to: copy.folder)
    return copy
  }

  /// Each run learns the texts of identities anew.
  func context(workers: Int = 2, faults: (any FileOperations)? = nil) -> RunContext {
    var context = TestFolder.context(workers: workers, faults: faults)
    context.kinds = EntityKinds(profile, givenAs: "profile.json")
    return context
  }

  @discardableResult
  func importing(
    workers: Int = 2, faults: (any FileOperations)? = nil, isDryRun: Bool = false,
    _ configure: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportReport {
    var options = ImportOptions(source: .folder(path: folder.path))
    configure(&options)
    let workflow = ImportWorkflow(options, context: context(workers: workers, faults: faults))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  func verifying(
    workers: Int = 2, against reference: VerificationOptions.Reference = .automatic
  ) throws -> VerificationReport {
    var options = VerificationOptions(folder: folder.path)
    options.reference = reference
    return try VerificationWorkflow(options, context: context(workers: workers)).perform()
  }

  @discardableResult
  func packing(_ configure: (inout PackOptions) -> Void = { _ in }) throws -> BackupReport {
    var options = PackOptions(folder: folder.path)
    configure(&options)
    return try PackWorkflow(options, context: context()).perform()
  }

  /// Restores a backup into the folder, told the profile or not.
  @discardableResult
  func restoring(
    _ backup: String, only paths: [String] = [], isTold: Bool = true,
    faults: (any FileOperations)? = nil
  ) throws -> RestoreReport {
    let context = isTold ? context(faults: faults) : TestFolder.context(faults: faults)
    var options = RestoreOptions(backup: backup, folder: folder.path)
    options.only = paths
    return try RestoreWorkflow(options, context: context).perform()
  }

  func status() throws -> StatusReport {
    try StatusWorkflow(VerificationOptions(folder: folder.path), context: context()).perform()
  }

  @discardableResult
  func cleaning(
    backup: String?, faults: (any FileOperations)? = nil, isDryRun: Bool = false
  ) throws -> CleanUpReport {
    let workflow = CleanUpWorkflow(
      CleanUpOptions(folder: folder.path, backup: backup), context: context(faults: faults))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  @discardableResult
  func bringingBack(
    _ run: String, faults: (any FileOperations)? = nil, isDryRun: Bool = false
  ) throws -> CleanUpReport {
    // Reports name the directory of a run.
    let name = run.split(separator: "/").last.map(String.init) ?? run
    let workflow = BringBackWorkflow(
      BringBackOptions(folder: folder.path, run: name), context: context(faults: faults))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  @discardableResult
  func purging(backup: String) throws -> CleanUpReport {
    try PurgeWorkflow(
      PurgeOptions(folder: folder.path, backup: backup, minimumAgeSeconds: 0), context: context()
    ).perform()
  }

  /// The files without our state and without locks.
  func files() throws -> [String: [UInt8]] {
    try folder.files().filter { !$0.key.hasPrefix(".") }
  }

  /// Changes a document as the app would.
  func edit(
    _ document: String, actor: UInt8 = 7, _ body: (inout DocumentEditor) throws -> Void
  ) throws {
    try folder.edit(document, actor: actor, body)
  }

  func documents() throws -> [String: [UInt8]] { try folder.documents() }
}
