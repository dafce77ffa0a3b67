package import Automerge
import Diagnostics
import FolderDocuments
package import Runs
import SafeFiles

/// What `repair-crdt` is asked to do.
package struct RepairOptions {
  /// The damaged document; it is only read.
  package var file: String
  /// Where the new document goes.
  package var output: String
  /// Whether a file that is there already is replaced; never the damaged document itself.
  package var replaces = false
  /// Who writes the salvaged values; nil for a random actor.
  package var actor: ActorId?
  /// When they are said to be written, in seconds since 1970; nil for now.
  package var time: Int64?
  /// What replacements are derived from when content is replaced; nil for random bytes.
  package var secret: [UInt8]?

  /// Creates options that replace nothing.
  package init(file: String, output: String) {
    self.file = file
    self.output = output
  }
}

/// Builds a new document from what can still be read of a damaged one.
///
/// The damaged file is only read. The new document has another actor and one change; it shares no
/// history with any other copy, so nobody may merge them.
package struct RepairWorkflow: PlannedWorkflow {
  private let options: RepairOptions
  private let context: RunContext
  private var isDryRun = false
  private let clock = RunClock()

  /// Creates a workflow; nothing is read yet.
  package init(_ options: RepairOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns what could be salvaged; writes nothing.
  package func plan() throws(MigrationError) -> RepairReport {
    var run = self
    run.isDryRun = true
    return try run.run()
  }

  /// Writes the new document, unless nothing at all could be salvaged: that is an error.
  package func perform() throws(MigrationError) -> RepairReport {
    try run()
  }

  private func run() throws(MigrationError) -> RepairReport {
    let file = try DerivedFile(
      of: options.file, at: options.output, replaces: options.replaces, context: context)
    guard !file.bytes.isEmpty else { throw nothing("is empty") }
    let salvage = SalvagedDocument(salvaging: file.bytes, labels: ImportLabel.allCases.map(\.text))
    if context.isInterrupted() { throw .interrupted }

    var report = RepairReport(file: options.file, output: options.output, isDryRun: isDryRun)
    report.isWhole = salvage.isWhole
    report.pieces = salvage.pieces.map { RepairReport.Piece($0) }
    report.missingChangeCount = salvage.missingChanges.count
    report.lostOperationCount = salvage.lostCount
    report.ignoredDeletionCount = salvage.ignoredDeletionCount
    let entities = SalvagedEntities(salvage, of: context.kinds, in: options.file)
    report.entities = entities.entities
    guard salvage.isWhole || report.entities.contains(where: { $0.certainty != .lost }) else {
      let names = report.entities.count
      throw nothing(
        "holds nothing that can be salvaged"
          + (names > 0 ? ", though it names \(names.counted("key"))" : ""))
    }
    if !salvage.lacksSuccessors {
      report.conflicts = try SalvagedConflicts(salvage.state).conflicts
    }
    let document = try SalvagedFile.document(
      of: salvage, leavingOut: entities.lost, actor: options.actor ?? ActorId(),
      time: options.time ?? clock.begin.seconds)
    report.byteCount = document.count
    if !isDryRun { try file.publish(document) }
    report.findings = findings(about: report, lacksSuccessors: salvage.lacksSuccessors)
    report.seconds = clock.seconds
    return report
  }

  private func nothing(_ problem: String) -> MigrationError {
    .underlying(
      Diagnostic(
        .damagedInput, subject: options.file, problem: problem,
        remedy: "restore it from a backup with restore-backup; nothing was written"))
  }

  // MARK: Findings

  private func findings(about report: RepairReport, lacksSuccessors: Bool) -> [Finding] {
    var findings: [Finding] = []
    let damaged = report.pieces.filter { !$0.problem.isEmpty }
    for piece in damaged.prefix(Self.mostFindings) {
      let end = piece.offset + piece.byteCount
      let isVerified = piece.certainty == .verified
      findings.append(
        Finding(
          .damagedDocument, isVerified ? .info : .error, path: report.file,
          message: "bytes \(piece.offset) to \(end) (\(piece.kind)): \(piece.problem)"
            + (isVerified ? "; yet every change in it verifies" : ""),
          offset: piece.offset))
    }
    noteFurther(
      damaged.count, "more stretch of the file is damaged",
      "more stretches of the file are damaged", to: &findings, report)
    if report.missingChangeCount > 0 {
      findings.append(
        Finding(
          .incompleteDocument, .error, path: report.file,
          message: report.missingChangeCount.counted(
            "change that others build on is missing", "changes that others build on are missing"),
          next: "look for another copy of the document that holds them"))
    }
    if report.ignoredDeletionCount > 0 {
      findings.append(
        Finding(
          .damagedDocument, .warning, path: report.file,
          message: report.ignoredDeletionCount.counted(
            "deletion that nothing proves was not followed",
            "deletions that nothing proves were not followed"),
          next: "delete again in the app what is back"))
    }
    if lacksSuccessors {
      findings.append(
        Finding(
          .damagedDocument, .error, path: report.file,
          message: "what was overwritten or deleted cannot be told from what was not",
          next: "deleted entities may be back, and older values may be shown: check them"))
    }
    let doubtful = report.entities.filter { $0.certainty != .verified }
    for entity in doubtful.prefix(Self.mostFindings) {
      let name = entity.kind == "other" ? "key \(entity.id)" : "\(entity.kind) \(entity.id)"
      switch entity.certainty {
      case .verified:
        continue
      case .readable:
        var message =
          "\(name) was read, but nothing proves its \(entity.valueCount.counted("value"))"
        if !entity.lostFields.isEmpty {
          message += "; lost: \(entity.lostFields.listed)"
        }
        findings.append(
          Finding(
            .unverifiedEntity, .warning, path: report.file, message: message,
            next: "compare with the legacy file or with a backup"))
      case .lost:
        findings.append(
          Finding(
            .lostEntity, .error, path: report.file,
            message: "\(name) is named, but what it held cannot be read",
            next: "import it from its legacy file, or restore a backup"))
      }
    }
    noteFurther(
      doubtful.count, "more entity is not verified", "more entities are not verified",
      to: &findings, report)
    for conflict in report.conflicts.prefix(Self.mostFindings) {
      findings.append(
        Finding(
          .conflict, .warning, path: report.file,
          message: "\(conflict.path.joined(separator: "/")) had "
            + "\((conflict.losing.count + 1).counted("value")); kept \(conflict.kept), not "
            + Self.some(of: conflict.losing)))
    }
    noteFurther(
      report.conflicts.count, "more key had several values", "more keys had several values",
      to: &findings, report)
    return findings
  }

  /// Thousands of values of one key are no line to read.
  private static func some(of values: [String]) -> String {
    let most = 20
    guard values.count > most else { return values.joined(separator: ", ") }
    return values.prefix(most).joined(separator: ", ")
      + " and \((values.count - most).grouped) more"
  }

  /// A file made for it could fill the memory with what is to be told of it.
  private static let mostFindings = 10_000

  private func noteFurther(
    _ count: Int, _ one: String, _ many: String, to findings: inout [Finding],
    _ report: RepairReport
  ) {
    guard count > Self.mostFindings else { return }
    findings.append(
      Finding(
        .damagedDocument, .error, path: report.file,
        message: (count - Self.mostFindings).counted(one, many),
        next: "see the lines of --json"))
  }
}

extension RepairReport.Piece {
  fileprivate init(_ piece: SalvagedPiece) {
    kind = piece.kind.rawValue
    offset = piece.range.lowerBound
    byteCount = piece.range.count
    changeCount = piece.changeCount
    switch piece.outcome {
    case .verified:
      certainty = .verified
      problem = piece.flaw?.problem ?? ""
    case .readable(let error):
      certainty = .readable
      problem = error.problem
    case .lost(let error):
      certainty = .lost
      problem = piece.kind == .zeros ? "nothing but zero bytes" : error.problem
    }
  }
}
