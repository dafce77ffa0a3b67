import Automerge
import Diagnostics
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

extension ProfiledFolder {
  /// What sync services put behind the name of a copy, before its extension.
  static let copySuffixes = [
    " 2", " 3", " (1)", ".Conflict", " [conflicted]", "-LAPTOP", ".Conflict.Conflict", "_conf(2)",
    " (Anna's conflicted copy 2026-01-06)", ".sync-conflict-20260106-120000-ABCDEFG",
  ]

  /// The path of a copy of a file.
  static func copy(of path: String, _ suffix: String) -> String {
    let file = path as NSString
    return "\(file.deletingPathExtension)\(suffix).\(file.pathExtension)"
  }

  @discardableResult
  func merging(
    isDryRun: Bool = false, faults: (any FileOperations)? = nil,
    _ configure: (inout MergeOptions) -> Void = { _ in }
  ) throws -> MergeReport {
    var options = MergeOptions(folder: folder.path)
    configure(&options)
    let workflow = MergeWorkflow(options, context: context(workers: 1, faults: faults))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  /// Runs again and expects that nothing changes and nothing is written.
  func expectSettled(
    _ location: SourceLocation = #_sourceLocation,
    _ configure: (inout MergeOptions) -> Void = { _ in }
  ) throws {
    let before = try folder.files(includingState: true)
    let report = try merging(configure)
    #expect(try folder.files(includingState: true) == before, sourceLocation: location)
    #expect(report.bases.allSatisfy { !$0.isWritten }, sourceLocation: location)
  }

  /// Returns a document changed with the engine's public interface, as on another device.
  func edited(_ path: String, _ body: (Document) throws -> Void) throws -> [UInt8] {
    let document = try Document(Data(folder.bytes(path)))
    try body(document)
    return [UInt8](document.save())
  }
}

extension Document {
  /// The map of an entity.
  func entity(_ identity: String) throws -> ObjId {
    guard case .Object(let map, .Map)? = try get(obj: .ROOT, key: identity) else {
      throw DocumentEditor.EditorError.noEntity
    }
    return map
  }

  /// The list, map or text of an entity.
  func container(_ name: String, of identity: String) throws -> ObjId {
    guard case .Object(let object, _)? = try get(obj: entity(identity), key: name) else {
      throw DocumentEditor.EditorError.noEntity
    }
    return object
  }
}
