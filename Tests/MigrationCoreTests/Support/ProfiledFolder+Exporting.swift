import Automerge
import Diagnostics
import FileFaults
import Foundation
import SafeFiles

@testable import MigrationCore
@testable import Runs

extension ProfiledFolder {
  /// Writes the app's own files to another folder.
  @discardableResult
  func exporting(
    to other: TestFolder, workers: Int = 2, faults: (any FileOperations)? = nil,
    isDryRun: Bool = false
  ) throws -> ExportReport {
    let workflow = ExportWorkflow(
      ExportOptions(source: folder.path, destination: .folder(path: other.path)),
      context: context(workers: workers, faults: faults))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  /// Moves all JSON into the quarantine, as a clean-up does.
  func setJSONAside(in run: String = "20260106T120000Z") throws {
    for (path, bytes) in try files() where path.hasSuffix(".json") {
      try folder.write(bytes, to: ".automerge-migrate.nosync/quarantine/\(run)/\(path)")
      try folder.remove(path)
    }
  }

  /// Removes all JSON.
  func removeJSON() throws {
    for path in try files().keys where path.hasSuffix(".json") { try folder.remove(path) }
  }

  /// Changes a document with the engine's public interface.
  func change(_ path: String, _ body: (Document) throws -> Void) throws {
    let document = try Document(Data(folder.bytes(path)))
    try body(document)
    try folder.write([UInt8](document.save()), to: path)
  }

  /// Adds an entity to a document; returns its map.
  @discardableResult
  func add(_ identity: String, _ members: [String: ScalarValue], to path: String) throws -> ObjId {
    var map = ObjId.ROOT
    try change(path) { document in
      map = try document.putObject(obj: .ROOT, key: identity, ty: .Map)
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        try document.put(obj: map, key: name, value: value)
      }
    }
    return map
  }

  /// The same app with what an export wrote.
  func app(in other: TestFolder) throws -> ProfiledFolder {
    let folder = try ProfiledFolder(profile)
    try other.copy(to: folder.folder)
    return folder
  }
}

extension TestFolder {
  /// A file as text.
  func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }
}
