import Automerge
package import Diagnostics
import FolderDocuments
import FolderState
import Folders
package import Runs
import SafeFiles

/// Writes documents whose files are longer than they need be as one chunk each, with every change they
/// have: those with changes appended to them, and those that were not deflated.
///
/// History is not touched, so that devices go on syncing; only the file of a document changes.
package struct CompactionWorkflow: PlannedWorkflow {
  private let folder: String
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(folder: String, context: RunContext) {
    self.folder = folder
    self.context = context
  }

  /// Returns what `perform()` would do; writes nothing.
  package func plan() throws(MigrationError) -> CompactionReport {
    let folder = try FolderAccess.open(folder, context: context)
    return try compact(folder, nil, [], RunClock())
  }

  /// Writes them, under the app's lock. Each is loaded again and compared, change by change, read back
  /// from disk, and takes its name only if the file there is the one that was read.
  package func perform() throws(MigrationError) -> CompactionReport {
    let folder = try FolderAccess.open(folder, context: context)
    // Before the lock, which would be a file in somebody else's folder.
    var unlisted: [Finding] = []
    try FolderAccess.requireKnownApp(folder, at: self.folder, context: context, noting: &unlisted)
    let clock = RunClock()
    return try WritingRun.perform(in: folder, clock: clock, context: context) {
      writing throws(MigrationError) in
      try compact(folder, writing, unlisted, clock)
    }
  }

  private func compact(
    _ folder: Directory, _ writing: WritingRun?, _ unlisted: [Finding], _ clock: RunClock
  ) throws(MigrationError) -> CompactionReport {
    var report = CompactionReport(isDryRun: writing == nil)
    report.findings = unlisted
    let inventory = try FolderAccess.inventory(
      of: folder, for: writing, context: context, noting: &report.findings)
    try inventory.requireKnownApp(in: folder, at: self.folder, unlisted: report.findings)
    report.findings += inventory.unseen(inPlaceOfDocuments: true)
    // Copies are merged, and go then.
    let files = inventory.documents.map(Int.init).filter { inventory.copies[$0] == nil }
    let publisher = DocumentPublisher(folder)
    defer { publisher.discard() }
    let staging = writing == nil ? nil : publisher
    let outcomes = try Workers.map(
      files.count, phase: .indexing, context: context,
      makeState: { DocumentLoader(folder, inventory) }
    ) { item, loader throws(MigrationError) in
      try Outcome(of: files[item], with: &loader, stagingWith: staging)
    }
    for outcome in outcomes {
      if let finding = outcome.finding { report.findings.append(finding) }
      guard outcome.finding == nil else { continue }
      report.documentCount += 1
      if let document = outcome.document { report.documents.append(document) }
    }
    report.documents.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    if let writing, !report.documents.isEmpty {
      writing.beginWriting()
      try publisher.publish(outcomes.compactMap(\.built), context: context)
    }
    report.findings = report.findings.withoutRepetitions().inReportOrder()
    report.seconds = clock.seconds
    return report
  }

  /// What became of one document.
  private struct Outcome: Sendable {
    /// How much shorter it gets; nil if it stays as it is.
    var document: CompactionReport.Document?
    /// What takes its place, staged.
    var built: BuiltDocument?
    var finding: Finding?

    init(
      of file: Int, with loader: inout DocumentLoader, stagingWith publisher: DocumentPublisher?
    ) throws(MigrationError) {
      let path = loader.inventory.path(of: file)
      let (document, state): (DocumentState?, FileState)
      do throws(DocumentDefect) {
        (document, state) = try loader.loadUnlessPacked(file)
      } catch {
        finding = error.finding
        return
      }
      guard let document, let compacted = CompactDocument(of: document, in: loader.bytes) else {
        return
      }
      if let defect = compacted.defect {
        finding = Finding(
          .kept, .error, path: path.description, message: "was not written: \(defect)",
          next: "nothing was changed; report this with the document")
        return
      }
      self.document = CompactionReport.Document(
        path: path.description, byteCount: compacted.bytes.count,
        formerByteCount: loader.bytes.count)
      guard let publisher else { return }
      var built = BuiltDocument(
        path: path, bytes: compacted.bytes, replaced: loader.version(state), entitiesAdded: 0,
        changesAdded: 0)
      try publisher.stage(&built)
      self.built = built
    }
  }
}

/// What a compaction did, or would do.
package struct CompactionReport: RunReport {
  package static let name = "cleanup-legacy"

  /// A document that gets shorter.
  package struct Document: Hashable, Sendable {
    /// The path relative to the folder.
    package var path: String
    /// How long it is as one chunk.
    package var byteCount: Int
    /// How long it was.
    package var formerByteCount: Int
  }

  /// The documents that get shorter, in path order.
  package var documents: [Document] = []
  /// How many documents were looked at.
  package var documentCount = 0
  package var isDryRun: Bool
  package var findings: [Finding] = []
  /// Seconds from start to end.
  package var seconds = 0.0

  /// How many bytes are saved in all.
  package var savedByteCount: Int {
    documents.reduce(0) { $0 + $1.formerByteCount - $1.byteCount }
  }

  init(isDryRun: Bool) { self.isDryRun = isDryRun }

  package var items: [ReportObject] {
    documents.map { document in
      var item = ReportObject()
      item.add("type", "document")
      item.add("path", document.path)
      item.add("outcome", "compacted")
      item.add("byteCount", document.byteCount)
      item.add("formerByteCount", document.formerByteCount)
      return item
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("documents", documentCount)
    summary.add("documentsCompacted", documents.count)
    summary.add("savedByteCount", savedByteCount)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
