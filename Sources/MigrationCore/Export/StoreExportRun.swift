import Diagnostics
import Folders
import Runs
import SwiftDataStores

/// Writes the rows of stores as an interchange stream, as they are read.
struct StoreExportRun {
  private let source: StoreSource
  private let options: ExportOptions
  private let isDryRun: Bool
  private let context: RunContext

  init(_ source: StoreSource, _ options: ExportOptions, isDryRun: Bool, context: RunContext) {
    (self.source, self.options, self.isDryRun) = (source, options, isDryRun)
    self.context = context
  }

  func run() throws(MigrationError) -> ExportReport {
    guard case .stream(let sink) = options.destination else {
      throw .notInProfile(option: "--to", reason: "the rows of a store are no files of the app")
    }
    if options.backup != nil {
      throw .notInProfile(option: "--backup", reason: "a store is not compared with a backup")
    }
    var report = ExportReport(kindNames: source.kinds.names)
    report.isDryRun = isDryRun
    let lines = source.lines(
      withholding: source.kinds.withheld(unlessAsked: options.includesPrivate))
    while true {
      if context.isInterrupted() { throw .interrupted }
      let piece: [UInt8]
      do throws(StoreError) { piece = try lines.next().bytes } catch { throw MigrationError(error) }
      if piece.isEmpty { break }
      context.reportProgress?(
        RunProgress(
          .exporting, completed: lines.counts.values.reduce(0, +), total: 0))
      if isDryRun { continue }
      do { try sink.write(piece) } catch {
        throw MigrationError(streamFailure: error, name: sink.name)
      }
    }
    for (kind, count) in lines.counts { report[kind] = count }
    report.findings = source.findings + lines.findings + (try source.countRemainder())
    for (kind, count) in lines.leftOut.sorted(by: { $0.key < $1.key }) where count > 0 {
      report.leftOut[Int(kind.index)] = count
      report.findings.append(source.kinds.leftOut(count, kind, "not exported"))
    }
    let blobs = Set(lines.blobs.map(\.reference)).count
    if blobs > 0 {
      report.findings.append(
        Finding(
          .imagesNotCopied, .info, path: source.path,
          message:
            "\(blobs.counted("value")) too large for a stream: it names them by their hashes",
          next: "import-crdt of the store itself writes them beside the documents"))
    }
    return report
  }
}
