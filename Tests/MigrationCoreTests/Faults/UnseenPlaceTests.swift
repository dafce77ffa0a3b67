import Diagnostics
import Folders
import Foundation
import Testing

@testable import MigrationCore
@testable import Runs

/// What stands in the place of a document or a directory and cannot be looked at is told by every
/// command that says something about the whole folder.
@Suite struct UnseenPlaceTests {
  enum Obstacle: CaseIterable {
    case linkedMonth, linkedDocument, placeholder

    var code: Finding.Code { self == .placeholder ? .placeholder : .symbolicLink }
    var path: String {
      switch self {
      case .linkedMonth: "records/2024/03"
      case .linkedDocument: "records/2024/03.automerge"
      case .placeholder: "records/2024/.03.automerge.icloud"
      }
    }
  }

  private func folder(_ obstacle: Obstacle) throws -> TestFolder {
    let folder = try DocumentMergeTests.folder()
    switch obstacle {
    case .linkedMonth, .linkedDocument:
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/\(obstacle.path)", withDestinationPath: "/nowhere")
    case .placeholder: try folder.write("x", to: obstacle.path)
    }
    return folder
  }

  private func expectTold(
    _ findings: [Finding], _ obstacle: Obstacle, _ location: SourceLocation = #_sourceLocation
  ) {
    let found = findings.filter { $0.path == obstacle.path }
    #expect(found.map(\.code) == [obstacle.code], sourceLocation: location)
    #expect(found.map(\.severity) == [.error], sourceLocation: location)
  }

  @Test(arguments: Obstacle.allCases)
  func `a merge tells it`(_ obstacle: Obstacle) throws {
    let folder = try folder(obstacle)
    expectTold(try folder.merging().findings, obstacle)
    expectTold(try folder.merging { $0.unifies = true }.findings, obstacle)
  }

  @Test(arguments: Obstacle.allCases)
  func `compacting and measuring tell it`(_ obstacle: Obstacle) throws {
    let folder = try folder(obstacle)
    let context = folder.context(workers: 1)
    let compaction = try CompactionWorkflow(folder: folder.path, context: context).plan()
    expectTold(compaction.findings, obstacle)
    let sizes = try SizesWorkflow(folder: folder.path, context: context).perform()
    expectTold(sizes.findings, obstacle)
  }

  @Test(arguments: Obstacle.allCases)
  func `names alone do not say that all is well`(_ obstacle: Obstacle) throws {
    let folder = try folder(obstacle)
    var options = VerificationOptions(folder: folder.path)
    options.looksAtNamesOnly = true
    let report = try StatusWorkflow(options, context: folder.context(workers: 1)).perform()
    #expect(report.errors.map(\.code) == [obstacle.code])
    #expect(report.differs)
  }

  @Test(arguments: Obstacle.allCases)
  func `a search for an entity names it`(_ obstacle: Obstacle) throws {
    let folder = try folder(obstacle)
    let context = folder.context(workers: 1)
    func resolve(_ id: String) throws -> ResolutionReport {
      try ResolutionWorkflow(
        ResolutionOptions(folder: folder.path, id: id, field: "comment", choice: .this),
        context: context
      ).plan()
    }
    let error = #expect(throws: MigrationError.self) {
      try resolve("00000000-0000-0000-0000-000000000000")
    }
    #expect(error.map { "\($0.diagnostic)".contains(obstacle.path) } == true)
    expectTold(try resolve(DocumentMergeTests.identity(1).description).findings, obstacle)
  }

  @Test(arguments: Obstacle.allCases)
  func `a backup says that the content is not in it`(_ obstacle: Obstacle) throws {
    let folder = try folder(obstacle)
    var options = PackOptions(folder: folder.path)
    options.backupDirectory = "\(folder.path)-kept"
    defer { try? FileManager.default.removeItem(atPath: "\(folder.path)-kept") }
    let workflow = PackWorkflow(options, context: folder.context(workers: 1))
    for report in [try workflow.plan(), try workflow.perform()] {
      expectTold(report.findings, obstacle)
      #expect(report.findings.contains { $0.message.contains("not in the backup") })
      #expect(report.archives.map(\.outcome) == [.created])
    }
  }
}
