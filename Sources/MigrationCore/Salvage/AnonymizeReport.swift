package import Diagnostics
package import Runs

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
