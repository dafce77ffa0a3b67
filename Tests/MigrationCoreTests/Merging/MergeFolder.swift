import Automerge
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

extension TestFolder {
  @discardableResult
  func merging(
    isDryRun: Bool = false, faults: (any FileOperations)? = nil,
    _ configure: (inout MergeOptions) -> Void = { _ in }
  ) throws -> MergeReport {
    var options = MergeOptions(folder: path)
    configure(&options)
    let workflow = MergeWorkflow(options, context: context(workers: 1, faults: faults))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  /// Every file in quarantine by its path in its run.
  func quarantined() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    let prefix = ".automerge-migrate.nosync/quarantine/"
    for (path, bytes) in try self.files(includingState: true) where path.hasPrefix(prefix) {
      let parts = path.dropFirst(prefix.count).split(separator: "/", maxSplits: 1)
      if parts.count == 2 { files[String(parts[1])] = bytes }
    }
    return files
  }

  /// Runs again and expects that nothing changes and nothing is wrong.
  func expectSettled(
    _ location: SourceLocation = #_sourceLocation,
    _ configure: (inout MergeOptions) -> Void = { _ in }
  ) throws {
    let before = try files(includingState: true)
    let report = try merging(configure)
    #expect(try files(includingState: true) == before, sourceLocation: location)
    #expect(report.bases.allSatisfy { !$0.isWritten }, sourceLocation: location)
  }
}

extension MergeReport {
  /// The outcome of each copy by its path.
  var outcomes: [String: Copy.Outcome] {
    Dictionary(
      bases.flatMap(\.copies).map { ($0.path, $0.outcome) }, uniquingKeysWith: { first, _ in first }
    )
  }
}

/// Makes documents as an app does that migrates by itself: another object on each device.
enum AppDocument {
  static func make(
    actor: UInt8, _ body: (inout DocumentEditor) throws -> Void
  ) throws -> DocumentState {
    var editor = DocumentEditor(DocumentState(), actor: actor)
    try body(&editor)
    return try editor.finish()
  }

  static func editing(
    _ state: DocumentState, actor: UInt8, _ body: (inout DocumentEditor) throws -> Void
  ) throws -> DocumentState {
    var editor = DocumentEditor(state, actor: actor)
    try body(&editor)
    return try editor.finish()
  }
}

extension MergeReport.Difference {
  /// A difference of an entity of Minuta.
  init(
    identity: String, field: String, kept: ReportValue, other: ReportValue, source: String
  ) {
    self.init(
      entity: MergeReport.Entity(identity: identity), field: field, kept: kept, other: other,
      source: source)
  }
}
