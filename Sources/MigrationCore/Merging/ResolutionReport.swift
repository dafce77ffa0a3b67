import Automerge
package import Diagnostics
import FolderDocuments
package import Runs

/// What a decision about a field did, or would do.
package struct ResolutionReport: RunReport {
  package static let name = "merge-conflicts"

  /// A value that gave way.
  package struct Other: Hashable, Sendable {
    /// The value as reports tell it.
    package var value: ReportValue
    /// Who wrote it.
    package var writer: ChangeStamp?
  }

  /// How many of the values that gave way are listed.
  private static let mostValues = 100

  /// The path of the document.
  package let path: String
  /// What the field is of.
  package let entity: MergeReport.Entity
  /// The field, with the names of the maps it lies in.
  package let field: String
  /// The value that it has, or would have.
  package var kept: ReportValue = .null
  /// The values that gave way; none if there was nothing to decide.
  package var others: [Other] = []
  /// Whether the document was written, or would be.
  package var isWritten = false
  /// The hash of the change that says so; empty if none was made.
  package var change = ""
  package var findings: [Finding] = []
  package var isDryRun = false
  /// Seconds from start to end.
  package var seconds = 0.0

  init(path: String, _ entity: MergeReport.Entity, field: String) {
    self.path = path
    self.entity = entity
    self.field = field
  }

  /// Takes in what is decided over the values of a place.
  mutating func take(
    _ decision: ConflictDecision, over place: FieldPlace, in document: DocumentState
  ) throws(MigrationError) {
    isWritten = true
    kept = try decision.kept()
    var writers = WriterTable(of: document)
    // What readers see comes first.
    for value in place.values.reversed().prefix(Self.mostValues) {
      let told = try document.reportValue(of: value)
      guard told != kept else { continue }
      others.append(Other(value: told, writer: writers.writer(of: value, in: place.group)))
    }
  }

  package var items: [ReportObject] {
    var item = ReportObject()
    item.add("type", "decision")
    item.add("path", path)
    if !entity.kind.isEmpty { item.add("kind", entity.kind) }
    item.add("id", entity.identity)
    item.add("field", field)
    item.add("written", isWritten)
    item.add("kept", kept)
    item.add(
      "others",
      .array(
        others.map { other in
          var told = ReportObject()
          told.add("value", other.value)
          if let writer = other.writer { told.add("writer", .object(writer.object)) }
          return .object(told)
        }))
    if !change.isEmpty { item.add("change", change) }
    return [item]
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("path", path)
    summary.add("written", isWritten ? 1 : 0)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
