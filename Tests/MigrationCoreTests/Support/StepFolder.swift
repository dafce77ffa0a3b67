import Automerge
import FileFaults
import FolderDocuments
import Folders
import Foundation
import SafeFiles
import SchemaMigrations

@testable import MigrationCore
@testable import Runs

/// A folder of documents of people, and a plan for it.
final class StepFolder: Sendable {
  let folder: ProfiledFolder
  let plans: [Plan]

  static let directory = Fixtures.directory.appending(path: "plans/people")
  static let ada = "00000000-0000-4000-8000-00000000000A"
  static let grace = "00000000-0000-4000-8000-00000000000B"

  static let people = """
    {"people": [
      {"id": "\(ada)", "firstName": "Ada", "lastName": "Lovelace", "email": "ada@example.org",
       "createdAt": "2024-01-01T00:00:00Z", "height": 1.50},
      {"id": "\(grace)", "firstName": "Grace", "lastName": "Hopper", "email": "grace@example.org",
       "createdAt": "2024-02-01T00:00:00Z", "tags": ["navy", "cobol"]}]}
    """

  init(_ plans: [String], _ people: String = people) throws {
    let profile = try Profile(file: Self.directory.appending(path: "profile.json").path)
    folder = try ProfiledFolder(profile)
    self.plans = try plans.map { text in
      try Plan(parsing: Array(text.utf8), of: "plan.json") { _ in profile }
    }
    try folder.folder.write(people, to: "people.json")
    try folder.importing()
    try folder.folder.remove("people.json")
  }

  /// A folder of JSON files.
  init(files people: String, _ plans: [String]) throws {
    let profile = try Profile(file: Self.directory.appending(path: "profile.json").path)
    folder = try ProfiledFolder(profile)
    self.plans = try plans.map { text in
      try Plan(parsing: Array(text.utf8), of: "plan.json") { _ in profile }
    }
    try folder.folder.write(people, to: "people.json")
  }

  private init(_ folder: ProfiledFolder, _ plans: [Plan]) {
    self.folder = folder
    self.plans = plans
  }

  /// The plan that gives people one name instead of two.
  static func transforming() throws -> String {
    try String(contentsOf: directory.appending(path: "transform.json"), encoding: .utf8)
  }

  /// Another device that has the same documents.
  func copied() throws -> StepFolder { StepFolder(try folder.copied(), plans) }

  /// Another folder of the app, with nothing in it.
  func empty() throws -> StepFolder { StepFolder(try ProfiledFolder(folder.profile), plans) }

  func workflow(
    faults: (any FileOperations)? = nil, _ configure: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> DocumentStepWorkflow {
    let context = folder.context(faults: faults)
    return DocumentStepWorkflow(
      options(configure), in: try ListedFolder(folder.folder.path, context: context),
      context: context)
  }

  private func options(_ configure: (inout SchemaOptions) -> Void) -> SchemaOptions {
    var options = SchemaOptions(plans: plans, source: .file(path: folder.folder.path))
    options.context.parameters["at"] = "2026-01-01T00:00:00Z"
    options.allowsDestructive = true
    configure(&options)
    return options
  }

  func fileWorkflow(
    faults: (any FileOperations)? = nil, _ configure: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> FileStepWorkflow {
    let context = folder.context(faults: faults)
    return FileStepWorkflow(
      options(configure), in: try ListedFolder(folder.folder.path, context: context),
      context: context)
  }

  @discardableResult
  func runFiles(_ configure: (inout SchemaOptions) -> Void = { _ in }) throws -> SchemaReport {
    try fileWorkflow(configure).perform()
  }

  func fileStates() throws -> [StepStanding.State] {
    try fileWorkflow().status().standings.map(\.state)
  }

  @discardableResult
  func run(_ configure: (inout SchemaOptions) -> Void = { _ in }) throws -> SchemaReport {
    try workflow(configure).perform()
  }

  @discardableResult
  func undo(_ id: MigrationID) throws -> SchemaReport { try run { $0.undone = id } }

  func states(
    _ configure: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> [StepStanding.State] {
    try workflow(configure).status().standings.map(\.state)
  }

  var documents: [String: [UInt8]] { get throws { try folder.documents() } }

  func document(_ path: String = "people.automerge") throws -> DocumentState {
    try folder.folder.document(path)
  }

  func entities() throws -> [String: [String: String]] { try folder.entities() }

  /// Adds to a document what another device's has.
  func merge(_ other: StepFolder, _ path: String = "people.automerge") throws {
    var document = try document(path)
    try document.merge(other.document(path))
    try folder.folder.write(document.encoded(), to: path)
  }

  /// Changes a document as an app would.
  func edit(_ body: (Document) throws -> Void) throws {
    try folder.folder.write(folder.edited("people.automerge", body), to: "people.automerge")
  }
}
