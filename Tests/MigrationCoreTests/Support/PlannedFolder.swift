import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import SchemaMigrations
import Testing

@testable import MigrationCore
@testable import Runs

/// A folder of an app, of JSON files or of documents, and a plan for it.
struct PlannedFolder {
  let folder: ProfiledFolder
  let isOfFiles: Bool
  let plan: Plan

  init(isOfFiles: Bool, profile: String, plan: String) throws {
    let profile = try Profile(parsing: Array(profile.utf8), of: "profile.json")
    let plan = try Plan(parsing: Array(plan.utf8), of: "plan.json") { _ in profile }
    self.init(try ProfiledFolder(profile), isOfFiles: isOfFiles, plan)
  }

  private init(_ folder: ProfiledFolder, isOfFiles: Bool, _ plan: Plan) {
    (self.folder, self.isOfFiles, self.plan) = (folder, isOfFiles, plan)
  }

  func copied() throws -> PlannedFolder {
    PlannedFolder(try folder.copied(), isOfFiles: isOfFiles, plan)
  }

  /// The same folder once its files were imported.
  func ofDocuments() -> PlannedFolder { PlannedFolder(folder, isOfFiles: false, plan) }

  /// Another folder of the app, with nothing in it.
  func empty() throws -> PlannedFolder {
    PlannedFolder(try ProfiledFolder(folder.profile), isOfFiles: isOfFiles, plan)
  }

  /// Adds entities as a device would that has not done the steps: to files that hold each one, or to the list
  /// of the name of a file.
  func add(_ files: [String: String] = [:], toListsOf lists: [String: [String]] = [:]) throws {
    for (path, text) in files { try folder.folder.write(text, to: path) }
    for (name, entities) in lists where !entities.isEmpty {
      var all = entities.joined(separator: ",")
      if folder.folder.exists("\(name).json") {
        let text = String(decoding: try folder.folder.bytes("\(name).json"), as: UTF8.self)
        let rest = text.drop { $0 != "[" }.dropFirst().prefix { $0 != "]" }
        if !rest.isEmpty { all = rest + "," + all }
      }
      try folder.folder.write(#"{"\#(name)": [\#(all)]}"#, to: "\(name).json")
    }
    if isOfFiles { return }
    try folder.importing()
    for path in files.keys { try folder.folder.remove(path) }
    for name in lists.keys where folder.folder.exists("\(name).json") {
      try folder.folder.remove("\(name).json")
    }
  }

  /// Takes in what the documents of another device have.
  func merge(_ other: PlannedFolder) throws {
    for (path, bytes) in try other.folder.documents() {
      try folder.folder.write(
        folder.edited(path) { try $0.merge(other: Document(Data(bytes))) }, to: path)
    }
  }

  func workflow(
    faults: FaultPlan? = nil, _ configure: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> any StepWorkflow {
    let context = folder.context(faults: faults)
    var options = SchemaOptions(plans: [plan], source: .file(path: folder.folder.path))
    options.allowsDestructive = true
    configure(&options)
    let listed = try ListedFolder(folder.folder.path, context: context)
    return isOfFiles
      ? FileStepWorkflow(options, in: listed, context: context)
      : DocumentStepWorkflow(options, in: listed, context: context)
  }

  @discardableResult
  func run(_ configure: (inout SchemaOptions) -> Void = { _ in }) throws -> SchemaReport {
    try workflow(configure).perform()
  }

  func states() throws -> [StepStanding.State] { try workflow().status().standings.map(\.state) }

  /// What is told of totals; a look and a run tell the same, with status 1, and the run does nothing.
  func told() throws -> [String] {
    let (status, run) = (try workflow().status(), try run())
    #expect(status.findings.map(\.message) == run.findings.map(\.message))
    #expect(status.standings.allSatisfy { $0.state == .applied } && run.effects.isEmpty)
    let told = status.findings.filter { $0.message.contains("put together") }
    for report in [status, run] { #expect(report.endsWithDifferences == !told.isEmpty) }
    return told.map { "\($0.message); \($0.next ?? "")" }
  }
}
