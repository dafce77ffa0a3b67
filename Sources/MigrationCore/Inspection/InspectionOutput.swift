import Diagnostics
import Folders

/// Collects output and passes it on in pieces, so that no view is ever whole in memory.
final class InspectionOutput {
  /// What was written since the last piece; plain text goes to its `bytes`.
  var json = JSONWriter()

  private let sink: ByteSink
  private static let pieceByteCount = 1 << 16

  init(_ sink: ByteSink) { self.sink = sink }

  /// Appends text as it is.
  func text(_ text: String) { json.bytes.append(contentsOf: text.utf8) }

  /// Passes on what was collected once it is worth a call.
  func passOn() throws(MigrationError) {
    if json.bytes.count >= Self.pieceByteCount { try flush() }
  }

  /// Passes on everything.
  func finish() throws(MigrationError) {
    if !json.bytes.isEmpty { try flush() }
  }

  private func flush() throws(MigrationError) {
    do {
      try sink.write(json.bytes)
    } catch let error as any DiagnosableError {
      throw MigrationError(error)
    } catch {
      throw .streamFailed(name: sink.name, problem: "\(error)")
    }
    json.bytes.removeAll(keepingCapacity: true)
  }
}
