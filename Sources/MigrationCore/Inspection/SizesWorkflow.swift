import Automerge
package import Diagnostics
import FolderDocuments
import FolderState
import Folders
package import Runs
import SafeFiles

/// Measures what the history of each document of a folder costs; writes nothing.
package struct SizesWorkflow {
  private let folder: String
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(folder: String, context: RunContext) {
    self.folder = folder
    self.context = context
  }

  /// Loads the documents one after the other and builds each again from today's values alone.
  ///
  /// A document that does not load is a finding, and its figures are left out.
  package func perform() throws(MigrationError) -> SizesReport {
    let clock = RunClock()
    let directory = try FolderAccess.open(folder, context: context)
    var report = SizesReport(folder: folder)
    let inventory = try FolderAccess.inventory(
      of: directory, as: context.kinds, noting: &report.findings)
    try inventory.requireKnownApp(in: directory, at: folder, unlisted: report.findings)
    report.findings += inventory.unseen(inPlaceOfDocuments: true)
    let files = inventory.documents.map(Int.init)
    let outcomes = try Workers.map(
      files.count, phase: .indexing, context: context,
      makeState: { DocumentLoader(directory, inventory) }
    ) { item, loader throws(MigrationError) -> Result<SizesReport.Document, DocumentDefect> in
      do throws(DocumentDefect) {
        let (document, file) = try loader.load(files[item])
        var measured = SizesReport.Document(
          path: inventory.path(of: files[item]).description,
          size: Self.size(
            of: document,
            DocumentRoot(document, of: inventory.kind(of: files[item]), inventory.kinds),
            byteCount: Int(file.size)))
        measured.compactByteCount = CompactDocument(of: document, in: loader.bytes)?.bytes.count
        return .success(measured)
      } catch {
        return .failure(error)
      }
    }
    for outcome in outcomes {
      switch outcome {
      case .success(let document):
        if document.compactByteCount != nil {
          report.findings.append(document.notCompact(in: inventory))
        }
        report.documents.append(document)
        report.total.add(document.size)
      case .failure(let defect):
        report.findings.append(defect.finding)
      }
    }
    report.documents.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    report.findings = report.findings.inReportOrder()
    report.seconds = clock.seconds
    return report
  }

  private static func size(
    of document: DocumentState, _ root: DocumentRoot, byteCount: Int
  ) -> SizesReport.Size {
    var counter = ValueCounter()
    // Counting writes nothing, so nothing can fail.
    try? StateWalk(document: document, view: nil).visit(with: &counter)
    return SizesReport.Size(
      byteCount: byteCount,
      entityCount: root.entities.count { $0.map != nil },
      changeCount: document.changeCount, operationCount: document.operationCount,
      valueCount: counter.count, valueByteCount: ValuesAlone.byteCount(of: document))
  }
}

/// What the history of each document of a folder costs.
package struct SizesReport: RunReport {
  package static let name = "inspect-crdt"

  /// The figures of one document, or of all together.
  package struct Size: Hashable, Sendable {
    /// The bytes of the file.
    package var byteCount = 0
    /// The entities that readers see.
    package var entityCount = 0
    /// The changes in its history.
    package var changeCount = 0
    /// The operations, deletes not included.
    package var operationCount = 0
    /// The values that readers see.
    package var valueCount = 0
    /// The bytes a document takes that holds today's values in one change and nothing else.
    package var valueByteCount = 0

    /// How many times larger the file is than its values alone; nil if there are none.
    package var ratio: Double? {
      valueByteCount > 0 ? Double(byteCount) / Double(valueByteCount) : nil
    }

    mutating func add(_ other: Size) {
      byteCount += other.byteCount
      entityCount += other.entityCount
      changeCount += other.changeCount
      operationCount += other.operationCount
      valueCount += other.valueCount
      valueByteCount += other.valueByteCount
    }
  }

  /// The figures of one document.
  package struct Document: Hashable, Sendable {
    /// The path relative to the folder.
    package var path: String
    /// Its figures.
    package var size: Size
    /// How long its file would be as one chunk; nil if that is not a tenth less.
    package var compactByteCount: Int?

    fileprivate func notCompact(in inventory: FolderInventory) -> Finding {
      let options = ["--compact", "--apply"]
      let words = NextCommand(.cleanupLegacy, ["FOLDER"] + options + inventory.kinds.options)
      return Finding(
        .notCompact, .info, path: path,
        message: "has changes appended, or is badly packed: as one chunk it would take "
          + "\((compactByteCount ?? 0).byteCountText)",
        next: "close the app, then run \(words.shellText), which writes such documents anew",
        command: inventory.command(.cleanupLegacy, options))
    }
  }

  /// The folder.
  package var folder: String
  /// The documents that load, in path order.
  package var documents: [Document] = []
  /// The figures of all documents that load.
  package var total = Size()
  package var findings: [Finding] = []
  /// Seconds from start to end.
  package var seconds = 0.0

  init(folder: String) {
    self.folder = folder
  }

  package var items: [ReportObject] {
    documents.map { document in
      var item = ReportObject()
      item.add("type", "size")
      item.add("path", document.path)
      item.add(document.size)
      if let count = document.compactByteCount { item.add("compactByteCount", count) }
      return item
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("folder", folder)
    summary.add("documents", documents.count)
    summary.add(total)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}

extension ReportObject {
  fileprivate mutating func add(_ size: SizesReport.Size) {
    add("byteCount", size.byteCount)
    add("entities", size.entityCount)
    add("changes", size.changeCount)
    add("operations", size.operationCount)
    add("values", size.valueCount)
    add("valueByteCount", size.valueByteCount)
  }
}
