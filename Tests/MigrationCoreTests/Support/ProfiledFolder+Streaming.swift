import FileFaults
import Foundation
import SafeFiles

@testable import MigrationCore
@testable import Runs

extension ProfiledFolder {
  /// Everything the folder holds as an interchange stream.
  func streaming(workers: Int = 2) throws -> TestStream {
    let stream = try TestStream([])
    let options = ExportOptions(source: folder.path, destination: .stream(stream.sink))
    _ = try ExportWorkflow(options, context: context(workers: workers)).perform()
    return stream
  }

  /// What readers see of entities, by their identities; absent and null are alike.
  ///
  /// - Parameter kind: that of the entities; nil if no two of several kinds have one identity.
  func entities(of kind: String? = nil) throws -> [String: [String: String]] {
    var entities: [String: [String: String]] = [:]
    for line in try streaming().lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      guard let id = object["id"] as? String, let fields = object["fields"] as? [String: Any] else {
        continue
      }
      if let kind, object["kind"] as? String != kind { continue }
      entities[id] = try fields.filter { !($0.value is NSNull) }.mapValues { value in
        String(
          decoding: try JSONSerialization.data(
            withJSONObject: value,
            options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]),
          as: UTF8.self)
      }
    }
    return entities
  }

  /// Imports a stream into the folder.
  @discardableResult
  func importing(
    stream: TestStream, faults: (any FileOperations)? = nil
  ) throws -> ImportReport {
    // A source is read only once, as a pipe, and open as long as its stream is there.
    let stream = try TestStream(stream.bytes)
    defer { withExtendedLifetime(stream) {} }
    let options = ImportOptions(source: .stream(try stream.source()), target: folder.path)
    return try ImportWorkflow(options, context: context(workers: 1, faults: faults)).perform()
  }

  /// Compares the documents with a stream.
  func verifying(against stream: TestStream) throws -> VerificationReport {
    let stream = try TestStream(stream.bytes)
    defer { withExtendedLifetime(stream) {} }
    return try verifying(against: .stream(try stream.source()))
  }
}

extension TestStream {
  /// The places of its lines.
  var places: [String] {
    lines.compactMap { line in
      let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["place"] as? String
    }
  }
}
