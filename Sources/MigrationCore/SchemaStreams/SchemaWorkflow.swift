import Diagnostics
import FolderDocuments
import Folders
package import Runs
import SafeFiles
import SchemaMigrations

/// Runs the steps of plans over the entities of a stream.
///
/// The stream that comes out is whole or has no last line, and then whoever reads it publishes nothing.
package struct SchemaWorkflow: StepWorkflow {
  private let options: SchemaOptions
  private let context: RunContext
  private let clock = RunClock()

  /// Creates a workflow; nothing is read yet.
  package init(_ options: SchemaOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns how it stands with each step, as the first line says; throws if the stream is cut off behind it.
  package func status() throws(MigrationError) -> SchemaReport {
    let source = try RepeatedStream(options.source, context)
    source.isKept = false
    var reader = try source.reader(of: context.kinds)
    var report = SchemaReport(.stream, try standing(reader), options)
    report.isStatus = true
    do throws(FolderError) {
      while try reader.locateNext(), !context.isInterrupted() {}
    } catch {
      throw MigrationError(error)
    }
    if context.isInterrupted() { throw .interrupted }
    if let finding = reader.countFinding { report.findings.append(finding) }
    report.seconds = clock.seconds
    return report
  }

  /// Returns what the steps would change; nothing is written.
  package func plan() throws(MigrationError) -> SchemaReport { try run(isDryRun: true) }

  /// Writes the stream as the steps make it.
  package func perform() throws(MigrationError) -> SchemaReport { try run(isDryRun: false) }

  private func standing(_ reader: InterchangeReader) throws(MigrationError) -> PlanStanding {
    guard let header = reader.header else { throw .brokenInvariant("a stream without first line") }
    return try PlanStanding(options, KnownSteps(header))
  }

  private func run(isDryRun: Bool) throws(MigrationError) -> SchemaReport {
    let source = try RepeatedStream(options.source, context)
    var reader = try source.reader(of: context.kinds)
    let standing = try standing(reader)
    var report = SchemaReport(.stream, standing, options)
    report.isDryRun = isDryRun
    try standing.requireRunnable(options, isDryRun: isDryRun)
    var pass = SchemaPass(
      standing, isDryRun ? nil : options.sink, options, source, context,
      traces: StepTraces(
        options, reader.header?.schema, standing.record, version: standing.versionBefore,
        context.kinds),
      forcedTraces: StepTraces(forced: options, standing.recordAfter, context.kinds),
      recordsChanges: isDryRun)
    try pass.run(&reader)
    pass.complete(&report)
    report.findings = pass.findings
    if report.isPublished { report.standings = standing.standingsAfter }
    report.seconds = clock.seconds
    return report
  }
}
