import Diagnostics
package import Folders
package import Runs

/// Collects output and passes it on in pieces, so that no view is ever whole in memory.
package final class InspectionOutput {
  /// What was written since the last piece; plain text goes to its `bytes`.
  package var json = JSONWriter()

  private let sink: ByteSink
  private static let pieceByteCount = 1 << 16

  package init(_ sink: ByteSink) { self.sink = sink }

  /// Appends text as it is.
  package func text(_ text: String) { json.bytes.append(contentsOf: text.utf8) }

  /// Passes on what was collected once it is worth a call.
  package func passOn() throws(MigrationError) {
    if json.bytes.count >= Self.pieceByteCount { try flush() }
  }

  /// Passes on everything.
  package func finish() throws(MigrationError) {
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
