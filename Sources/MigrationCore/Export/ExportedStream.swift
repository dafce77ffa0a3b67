import Diagnostics
import Runs
import Synchronization

/// Everything a folder holds as an interchange stream in memory.
struct ExportedStream {
  /// The whole stream.
  let bytes: [UInt8]
  /// What the export found.
  let findings: [Finding]

  /// Exports a folder.
  init(
    of path: String, numericDates: NumericDateChoice?, context: RunContext
  ) throws(MigrationError) {
    let content = Mutex<[UInt8]>([])
    var options = ExportOptions(
      source: path,
      destination: .stream(
        ByteSink(name: path) { bytes in content.withLock { $0.append(contentsOf: bytes) } }))
    options.numericDates = numericDates
    findings = try ExportWorkflow(options, context: context).perform().findings
    bytes = content.withLock { $0 }
  }
}
