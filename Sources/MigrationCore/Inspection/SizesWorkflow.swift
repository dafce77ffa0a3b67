import Automerge
import FolderDocuments
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
    let inventory = try FolderAccess.inventory(of: directory, noting: &report.findings)
    let files = inventory.documents.map(Int.init)
    let outcomes = try Workers.map(
      files.count, phase: .indexing, context: context,
      makeState: { DocumentLoader(directory, inventory) }
    ) { item, loader throws(MigrationError) -> Result<SizesReport.Document, DocumentDefect> in
      do throws(DocumentDefect) {
        let (document, file) = try loader.load(files[item])
        return .success(
          SizesReport.Document(
            path: inventory.path(of: files[item]).description,
            size: Self.size(of: document, byteCount: Int(file.size))))
      } catch {
        return .failure(error)
      }
    }
    for outcome in outcomes {
      switch outcome {
      case .success(let document):
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

  private static func size(of document: DocumentState, byteCount: Int) -> SizesReport.Size {
    var counter = ValueCounter()
    // Counting writes nothing, so nothing can fail.
    try? StateWalk(document: document, view: nil).visit(with: &counter)
    return SizesReport.Size(
      byteCount: byteCount,
      entityCount: DocumentRoot(document).entities.count { $0.map != nil },
      changeCount: document.changeCount, operationCount: document.operationCount,
      valueCount: counter.count, valueByteCount: ValuesAlone.byteCount(of: document))
  }
}
