import Automerge
import FileFaults
import Folders
import Foundation
import SafeFiles
import SampleFolders

@testable import MigrationCore
@testable import Runs

/// A data folder of a test's own, removed when the test ends.
final class TestFolder: Sendable {
  let path: String
  /// What its data is, if it is not Minuta's.
  let profile: Profile?

  init(_ name: String = "Minuta", profile: Profile? = nil) throws {
    self.profile = profile
    let base = FileManager.default.temporaryDirectory
      .appending(path: "migration-core-\(UUID().uuidString)")
    path = base.appending(path: name).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Makes a folder called `Minuta` and what lies beside it.
  init(_ tree: StoredTree, profile: Profile? = nil) throws {
    self.profile = profile
    let base = FileManager.default.temporaryDirectory
      .appending(path: "migration-core-\(UUID().uuidString)")
    path = base.appending(path: "Minuta").path
    try FileManager.default.createDirectory(atPath: base.path, withIntermediateDirectories: true)
    try tree.write(into: Directory.open(path: base.path))
  }

  deinit {
    try? FileManager.default.removeItem(
      at: URL(filePath: path).deletingLastPathComponent())
  }

  /// A path beside the folder.
  func beside(_ name: String) -> String {
    URL(filePath: path).deletingLastPathComponent().appending(path: name).path
  }

  // MARK: Files

  func write(_ text: String, to relative: String) throws {
    try write(Array(text.utf8), to: relative)
  }

  func write(_ bytes: [UInt8], to relative: String) throws {
    let url = URL(filePath: path).appending(path: relative)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  func bytes(_ relative: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path).appending(path: relative)))
  }

  func exists(_ relative: String) -> Bool {
    FileManager.default.fileExists(atPath: path + "/" + relative)
  }

  func remove(_ relative: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + relative)
  }

  func copy(to other: TestFolder) throws {
    for (name, bytes) in try files() { try other.write(bytes, to: name) }
  }

  /// Every regular file by its relative path, our own state left out.
  func files(includingState: Bool = false) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    let root = URL(filePath: path).standardizedFileURL
    let enumerator = FileManager.default.enumerator(
      at: root, includingPropertiesForKeys: [.isRegularFileKey])
    while let url = enumerator?.nextObject() as? URL {
      guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
        continue
      }
      let relative = String(url.path.dropFirst(root.path.count + 1))
      let isState =
        relative.hasPrefix(".automerge-migrate") || relative.hasPrefix(".minuta")
        || relative == profile?.lock?.description
      if isState && !includingState { continue }
      files[relative] = [UInt8](try Data(contentsOf: url))
    }
    return files
  }

  /// The documents among the files.
  func documents() throws -> [String: [UInt8]] {
    try files().filter { $0.key.hasSuffix(".automerge") }
  }

  // MARK: Runs

  static func context(workers: Int = 2, faults: (any FileOperations)? = nil) -> RunContext {
    var context = RunContext(command: "test", workerCount: workers, lockTimeoutSeconds: 2)
    if let faults { context.operations = faults }
    return context
  }

  /// For a run on this folder; each learns the texts of identities anew.
  func context(workers: Int = 2, faults: (any FileOperations)? = nil) -> RunContext {
    var context = Self.context(workers: workers, faults: faults)
    if let profile { context.kinds = EntityKinds(profile, givenAs: "profile.json") }
    return context
  }

  @discardableResult
  func importing(
    workers: Int = 2, faults: (any FileOperations)? = nil, isDryRun: Bool = false,
    _ configure: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportReport {
    var options = ImportOptions(source: .folder(path: path))
    configure(&options)
    let workflow = ImportWorkflow(
      options, context: context(workers: workers, faults: faults))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  func verifying(
    workers: Int = 2, against reference: VerificationOptions.Reference = .automatic
  ) throws -> VerificationReport {
    var options = VerificationOptions(folder: path)
    options.reference = reference
    return try VerificationWorkflow(options, context: context(workers: workers)).perform()
  }

  // MARK: Documents

  func document(_ relative: String) throws -> DocumentState {
    try DocumentState(loading: bytes(relative))
  }

  /// Changes a document as the app would: with another actor, on top of what is there.
  func edit(_ relative: String, actor: UInt8, _ body: (inout DocumentEditor) throws -> Void) throws
  {
    var editor = DocumentEditor(try document(relative), actor: actor)
    try body(&editor)
    try write(editor.finish().encoded(), to: relative)
  }
}

/// Records and tags as legacy JSON.
enum Legacy {
  static func id(_ number: Int) -> String {
    String(format: "%08X-0000-4000-8000-%012X", number, number)
  }

  static func record(
    _ number: Int, start: String = "2024-01-15T09:30:00Z", _ rest: String = ""
  ) -> String {
    "{\"id\":\"\(id(number))\",\"startTime\":\"\(start)\"\(rest.isEmpty ? "" : "," + rest)}"
  }

  static func tag(_ number: Int, name: String = "Work", _ rest: String = "") -> String {
    """
    {"id":"\(id(number))","name":"\(name)","color":"#FF8800","createdAt":"2023-01-01T08:00:00Z"\
    \(rest.isEmpty ? "" : "," + rest)}
    """
  }

  static func tags(_ tags: String...) -> String { "{\"tags\":[\(tags.joined(separator: ","))]}" }
}

extension TestFolder {
  func exporting() throws -> (stream: TestStream, report: ExportReport) {
    let stream = try TestStream([])
    let report = try ExportWorkflow(
      ExportOptions(source: path, destination: .stream(stream.sink)), context: context()
    ).perform()
    return (stream, report)
  }

  @discardableResult
  func exporting(to directory: String) throws -> ExportReport {
    try ExportWorkflow(
      ExportOptions(source: path, destination: .folder(path: directory)), context: context()
    ).perform()
  }

  @discardableResult
  func importing(
    _ stream: TestStream, _ configure: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportReport {
    var options = ImportOptions(source: .stream(try stream.source()), target: path)
    configure(&options)
    return try ImportWorkflow(options, context: context()).perform()
  }

  /// Fills the folder with the sample of a plan.
  func makeSample(_ configure: (inout SamplePlan) -> Void = { _ in }) throws {
    var plan = SamplePlan()
    configure(&plan)
    _ = try SampleFolder(plan).write(into: Directory.open(path: path))
  }
}

extension TestFolder {
  @discardableResult
  func packing(_ configure: (inout PackOptions) -> Void = { _ in }) throws -> BackupReport {
    var options = PackOptions(folder: path)
    configure(&options)
    return try PackWorkflow(options, context: context()).perform()
  }

  @discardableResult
  func cleaning(
    backup: String?, monthsBefore month: String? = nil, faults: (any FileOperations)? = nil,
    isDryRun: Bool = false
  ) throws -> CleanUpReport {
    var options = CleanUpOptions(folder: path, backup: backup)
    options.monthsBefore = month
    let workflow = CleanUpWorkflow(options, context: context(faults: faults))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  @discardableResult
  func purging(backup: String?, age: Int, isDryRun: Bool = false) throws -> CleanUpReport {
    let workflow = PurgeWorkflow(
      PurgeOptions(folder: path, backup: backup, minimumAgeSeconds: age),
      context: context())
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  @discardableResult
  func bringingBack(
    _ run: String, faults: (any FileOperations)? = nil, isDryRun: Bool = false
  ) throws -> CleanUpReport {
    // Reports name the directory of a run.
    let name = run.split(separator: "/").last.map(String.init) ?? run
    let workflow = BringBackWorkflow(
      BringBackOptions(folder: path, run: name), context: context(faults: faults))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  @discardableResult
  func restoring(
    _ backup: String, only paths: [String] = [], replacing replaced: String? = nil,
    faults: (any FileOperations)? = nil, isDryRun: Bool = false
  ) throws -> RestoreReport {
    var options = RestoreOptions(backup: backup, folder: path)
    options.only = paths
    options.replaced = replaced
    let workflow = RestoreWorkflow(options, context: context(faults: faults))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  @discardableResult
  func finishing() throws -> RestoreReport {
    let options = RestoreOptions(backup: "", folder: path)
    return try RestoreWorkflow(options, context: context()).finish()
  }
}

extension ImportReport {
  /// The counts of tags.
  var tags: Counts { self[.tag] }
  /// The counts of records.
  var records: Counts { self[.record] }
}

extension ExportReport {
  /// How many tags were written.
  var tags: Int { self[.tag] }
  /// How many records were written.
  var records: Int { self[.record] }
}
