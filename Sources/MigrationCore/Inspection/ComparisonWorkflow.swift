import Automerge
package import Diagnostics
import FolderDocuments
package import Runs

/// Compares two documents: their histories, and what readers see of each.
package struct ComparisonWorkflow {
  private let this: InspectionOptions.Source
  private let other: InspectionOptions.Source

  /// Creates a workflow; nothing is read yet.
  package init(_ this: InspectionOptions.Source, with other: InspectionOptions.Source) {
    self.this = this
    self.other = other
  }

  /// Reads both documents whole and verifies every hash; nothing is told of documents that do not
  /// verify.
  package func perform() throws(MigrationError) -> ComparisonReport {
    let clock = RunClock()
    let (name, this) = try InspectionWorkflow.load(this)
    let (otherName, other) = try InspectionWorkflow.load(other)
    var report = ComparisonReport(this: name, other: otherName)
    // A change that waits for others is no less one that the other document may lack.
    let changes = Set(this.allHashes).union(this.queuedHashes)
    let others = Set(other.allHashes).union(other.queuedHashes)
    report.changesOnlyInThis = changes.subtracting(others).count
    report.changesOnlyInOther = others.subtracting(changes).count
    report.changesInBoth = changes.count - report.changesOnlyInThis
    let comparison = try DocumentComparison(this, other)
    report.differences = comparison.differences
    report.omittedCount = comparison.omittedCount
    report.seconds = clock.seconds
    return report
  }
}

/// What one document shows and another does not.
package struct ComparisonReport: RunReport {
  package static let name = "inspect-crdt"

  /// How the histories of the two stand to each other.
  package enum Relation: String, Hashable, Sendable {
    /// Both have the same changes.
    case same
    /// This one has every change of the other, and more.
    case ahead
    /// The other one has every change of this, and more.
    case behind
    /// Each has changes that the other lacks.
    case diverged
    /// They have no change in common.
    case unrelated
  }

  /// A value of one of the documents.
  package struct Value: Hashable, Sendable {
    /// The value as reports tell it; a map or list that both have as `{...}` or `[...]`.
    package var value: ReportValue
    /// Whether readers see it; another one beside it is a conflict.
    package var isShown: Bool
    /// Who wrote it.
    package var writer: ChangeStamp?
  }

  /// What one of the documents has in a place.
  package struct Side: Hashable, Sendable {
    /// The values, of very many the first and the last; the one that readers see is the last.
    package var values: [Value] = []
    /// How many there are.
    package var valueCount: Int
    /// Who deleted what was there.
    package var deleted: ChangeStamp?
  }

  /// A place in which the documents differ.
  package struct Difference: Hashable, Sendable {
    /// The key of the entity.
    package var entity: String
    /// The names below it; empty for the entity as a whole.
    package var field: String
    /// The names and indexes from the root.
    package var path: [String]
    package var this: Side
    package var other: Side

    /// Where there is a value at all.
    package var outcome: String {
      this.values.isEmpty ? "only-other" : other.values.isEmpty ? "only-this" : "changed"
    }
  }

  /// What the documents are called.
  package let this: String
  package let other: String
  package var changesInBoth = 0
  package var changesOnlyInThis = 0
  package var changesOnlyInOther = 0
  /// Where they differ, in the order of the document.
  package var differences: [Difference] = []
  /// How many more differences there are.
  package var omittedCount = 0
  package var findings: [Finding] = []
  /// Seconds from start to end.
  package var seconds = 0.0

  init(this: String, other: String) {
    self.this = this
    self.other = other
  }

  /// How the histories stand to each other.
  package var relation: Relation {
    switch (changesOnlyInThis > 0, changesOnlyInOther > 0) {
    case (false, false): .same
    case (true, false): .ahead
    case (false, true): .behind
    case (true, true): changesInBoth > 0 ? .diverged : .unrelated
    }
  }

  package var differs: Bool { !differences.isEmpty || omittedCount > 0 }

  package var items: [ReportObject] {
    differences.map { difference in
      var item = ReportObject()
      item.add("type", "difference")
      item.add("entity", difference.entity)
      item.add("field", difference.field)
      item.add("path", .array(difference.path.map { .string($0) }))
      item.add("outcome", difference.outcome)
      item.add("this", .object(difference.this.object))
      item.add("other", .object(difference.other.object))
      return item
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("this", this)
    summary.add("other", other)
    summary.add("relation", relation.rawValue)
    summary.add("changesInBoth", changesInBoth)
    summary.add("changesOnlyInThis", changesOnlyInThis)
    summary.add("changesOnlyInOther", changesOnlyInOther)
    summary.add("differences", differences.count + omittedCount)
    summary.add("omitted", omittedCount)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}

extension ComparisonReport.Side {
  fileprivate var object: ReportObject {
    var object = ReportObject()
    object.add(
      "values",
      .array(
        values.map { value in
          var told = ReportObject()
          told.add("value", value.value)
          told.add("shown", value.isShown)
          if let writer = value.writer { told.add("writer", .object(writer.object)) }
          return .object(told)
        }))
    object.add("valueCount", valueCount)
    if let deleted { object.add("deleted", .object(deleted.object)) }
    return object
  }
}
