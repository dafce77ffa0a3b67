import Automerge
package import Diagnostics
package import Runs
import SafeFiles

/// Writes a document again with the same structure and damage and none of its content, to be shown
/// to others.
package struct AnonymizeWorkflow: PlannedWorkflow {
  private let options: RepairOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: RepairOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns what would be written and what left out; writes nothing.
  package func plan() throws(MigrationError) -> AnonymizeReport { try run(isDryRun: true) }

  /// Writes the new file.
  package func perform() throws(MigrationError) -> AnonymizeReport { try run(isDryRun: false) }

  private func run(isDryRun: Bool) throws(MigrationError) -> AnonymizeReport {
    let clock = RunClock()
    let file = try DerivedFile(
      of: options.file, at: options.output, replaces: options.replaces, context: context)
    guard !file.bytes.isEmpty else {
      throw .underlying(
        Diagnostic(.damagedInput, subject: options.file, problem: "is empty: nothing to show"))
    }
    let anonymous = AnonymousFile(
      of: file.bytes,
      AnonymousContent(secret: options.secret ?? Entropy.hexDigits(64), of: context.kinds))
    try compare(file.bytes, anonymous)
    if context.isInterrupted() { throw .interrupted }
    if !isDryRun { try file.publish(anonymous.bytes) }

    var report = AnonymizeReport(file: options.file, output: options.output, isDryRun: isDryRun)
    report.byteCount = anonymous.bytes.count
    report.changeCount = anonymous.changeCount
    for piece in anonymous.leftOut {
      let leftOut = AnonymizeReport.LeftOut(piece)
      report.leftOut.append(leftOut)
      report.findings.append(
        Finding(
          .damagedDocument, .warning, path: options.file,
          message: "bytes \(leftOut.offset) to \(leftOut.offset + leftOut.byteCount) "
            + "(\(leftOut.kind)) cannot be decoded and are zeros now: \(leftOut.problem)",
          offset: leftOut.offset))
    }
    report.seconds = clock.seconds
    return report
  }

  /// Throws unless a file that loads still does, with as many changes and operations.
  private func compare(
    _ original: [UInt8], _ anonymous: AnonymousFile
  ) throws(MigrationError) {
    // A file that does not load, or unfolds to more than can be written again, is to be shown as it
    // is.
    guard let before = Self.counts(of: original, limits: AnonymousFile.limits) else { return }
    // What does not load any more is no picture of it.
    guard Self.counts(of: anonymous.bytes, limits: .standard) == before else {
      throw .brokenInvariant("the file without content differs in structure")
    }
  }

  /// Returns the numbers of changes, operations and waiting changes; nil of a file that does not
  /// load.
  private static func counts(of bytes: [UInt8], limits: LoadLimits) -> [Int]? {
    // Not to load is an answer.
    guard let document = try? DocumentState(loading: bytes, limits: limits) else { return nil }
    return [document.changeCount, document.operationCount, document.queuedCount]
  }
}

extension AnonymizeReport.LeftOut {
  fileprivate init(_ piece: SalvagedPiece) {
    kind = piece.kind.rawValue
    offset = piece.range.lowerBound
    byteCount = piece.range.count
    switch piece.outcome {
    case .verified: problem = "it cannot be written again"
    case .readable(let error), .lost(let error): problem = error.problem
    }
  }
}

/// What became of a document when its content was replaced.
package struct AnonymizeReport: RunReport {
  package static let name = "repair-crdt"

  /// A stretch of the original that could not be decoded.
  package struct LeftOut: Hashable, Sendable {
    /// What it is: `document`, `change`, `bundle`, `debris` or `zeros`.
    package var kind: String
    /// Where it begins.
    package var offset: Int
    /// How long it is.
    package var byteCount: Int
    /// Why it could not be decoded.
    package var problem: String
  }

  /// The original.
  package var file: String
  /// The file without its content.
  package var output: String
  /// The size of the new file.
  package var byteCount = 0
  /// The changes that were written again with other content.
  package var changeCount = 0
  /// What was written as zeros.
  package var leftOut: [LeftOut] = []
  package var findings: [Finding] = []
  package var isDryRun: Bool
  /// Seconds from start to end.
  package var seconds = 0.0

  init(file: String, output: String, isDryRun: Bool) {
    self.file = file
    self.output = output
    self.isDryRun = isDryRun
  }

  package var differs: Bool { !leftOut.isEmpty }

  package var items: [ReportObject] {
    leftOut.map { piece in
      var item = ReportObject()
      item.add("type", "left-out")
      item.add("kind", piece.kind)
      item.add("offset", piece.offset)
      item.add("byteCount", piece.byteCount)
      item.add("problem", piece.problem)
      return item
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("file", file)
    summary.add("output", output)
    summary.add("byteCount", byteCount)
    summary.add("changes", changeCount)
    summary.add("leftOut", leftOut.count)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
