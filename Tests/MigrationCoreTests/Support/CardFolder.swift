import Diagnostics
import FileFaults
import Folders
import Foundation
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// A folder of people of whom each has a file, as a card has that a step makes for them.
struct CardFolder {
  private static let profile = """
    {"profile": "pc", "version": 3, "kinds": [
      {"kind": "person", "identity": {"type": "uuid", "property": "id"},
       "properties": {"email": {"type": "string"}, "n": {"type": "integer"}},
       "files": {"paths": ["people/*.json"]}, "document": {"path": "people.automerge"}},
      {"kind": "card", "identity": {"type": "uuid", "property": "id"},
       "properties": {"owner": {"type": "string"}, "label": {"type": "string"},
         "state": {"type": "string", "since": 3}},
       "files": {"paths": ["cards/*.json"]}, "document": {"path": "cards.automerge"}}]}
    """

  /// A card for each person, of the same identity, and a state in each.
  static let cards = """
    {"plan": "n", "profile": "pc", "steps": [
      {"id": "mk", "from": 1, "to": 2, "risk": "additive", "create": [
        {"kind": "card", "for": "person", "id": {"identity": true}, "fields": [
          {"set": "owner", "to": {"copy": "/email"}}, {"set": "label", "to": {"constant": "new"}}]}]},
      {"id": "st", "from": 2, "to": 3, "risk": "additive", "entities": {"card": [
        {"set": "state", "to": {"constant": "local"}}]}}]}
    """

  /// The same, whatever version the data has.
  static let cardsOfAnyVersion = cards.replacing(#/"from": \d, "to": \d, /#, with: "")
    .replacing(#""st", "risk": "additive""#, with: #""st", "risk": "destructive""#)

  static let bang = """
    {"plan": "b", "profile": "pc", "steps": [
      {"id": "bang", "risk": "transformative", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}}]}
    """

  static func id(_ number: Int) -> String { "\(number)1111111-1111-4111-8111-111111111111" }

  let folder: ProfiledFolder
  let plan: Plan

  init(_ plan: String) throws {
    let profile = try Profile(parsing: Array(Self.profile.utf8), of: "pf.json")
    folder = try ProfiledFolder(profile)
    self.plan = try Plan(parsing: Array(plan.utf8), of: "plan.json") { _ in profile }
    for number in [1, 2] { try write(Self.person(number), to: "people/\(number).json") }
  }

  init(_ plan: Plan, in folder: ProfiledFolder) { (self.folder, self.plan) = (folder, plan) }

  /// The same folder, with another plan.
  func following(_ plan: String) throws -> CardFolder {
    let profile = folder.profile
    return CardFolder(
      try Plan(parsing: Array(plan.utf8), of: "plan.json") { _ in profile }, in: folder)
  }

  static func person(_ number: Int, _ mark: String = "", n: Int = 1) -> String {
    #"{"id":"\#(id(number))","email":"e\#(number)\#(mark)","n":\#(n)}"#
  }

  func write(_ text: String, to path: String) throws {
    try folder.folder.write(text, to: path)
  }

  func text(_ path: String) throws -> String {
    String(decoding: try folder.folder.bytes(path), as: UTF8.self)
  }

  func remove(_ path: String) throws { try folder.folder.remove(path) }

  /// The file of the card of a person.
  func card(_ number: Int) throws -> String {
    let path = try folder.folder.files().keys.first {
      try $0.hasPrefix("cards/") && text($0).contains(Self.id(number))
    }
    return try #require(path)
  }

  func workflow(
    faults: FaultPlan? = nil, _ configure: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> FileStepWorkflow {
    try FileStepTests.workflow(folder, plan, faults: faults) { options in
      options.allowsDestructive = true
      configure(&options)
    }
  }

  @discardableResult
  func run(_ configure: (inout SchemaOptions) -> Void = { _ in }) throws -> SchemaReport {
    try workflow(configure).perform()
  }

  @discardableResult
  func undo(_ step: MigrationID) throws -> SchemaReport { try run { $0.undone = step } }

  func status() throws -> SchemaReport { try workflow().status() }

  func states() throws -> [StepStanding.State] { try status().standings.map(\.state) }

  /// Runs the steps over documents.
  @discardableResult
  func runDocuments(
    _ configure: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> SchemaReport {
    try documentWorkflow(configure).perform()
  }

  func documentStates() throws -> [StepStanding.State] {
    try documentWorkflow().status().standings.map(\.state)
  }

  private func documentWorkflow(
    _ configure: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> DocumentStepWorkflow {
    let context = folder.context()
    var options = SchemaOptions(plans: [plan], source: .file(path: folder.folder.path))
    options.allowsDestructive = true
    configure(&options)
    return DocumentStepWorkflow(
      options, in: try ListedFolder(folder.folder.path, context: context), context: context)
  }
}
