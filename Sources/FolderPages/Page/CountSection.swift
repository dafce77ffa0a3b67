import Diagnostics
import MigrationCore

/// How many entities the JSON has and the documents show, by kind and month.
struct CountSection {
  private let overview: FolderOverview
  private static let mostRows = 1000

  init(_ overview: FolderOverview) { self.overview = overview }

  func write(to html: inout HTMLWriter) {
    guard let report = overview.verification else {
      if !overview.writeGap(.standing, to: &html) { html.element("p", text: "Nothing is known.") }
      return
    }
    html.element("p") { html in
      html.text(
        "\(report.documentsVerified.counted("document")) loaded with every hash recomputed, "
          + "\(report.changesVerified.counted("change")); "
          + "\(report.fieldsCompared.counted("field")) compared with \(report.reference). "
          + (report.isComplete
            ? "\(equality(of: report)), and nothing was left out."
            : report.isSound
              ? "\(equality(of: report)); \(report.gapCount.counted("finding")) below "
                + "\(report.gapCount == 1 ? "tells" : "tell") of what is not there or was not compared."
              : "Something differs, or could not be compared: see the findings."))
    }
    guard !report.counts.isEmpty else {
      html.element(
        "p", text: report.isSound ? "There are no entities." : "No entity could be counted.")
      return
    }
    let undated = report.counts.filter { $0.month.isEmpty }
    let source = report.reference.replacing("legacy files", with: "JSON")
    CountChart(of: .kinds, in: source, undated.map { CountChart.Bars($0, label: $0.kind) })
      .write(to: &html)
    for kind in report.kindNames {
      let dated = report.counts.filter { $0.kind == kind && !$0.month.isEmpty }
      CountChart(
        of: .months(of: kind), in: source, dated.map { CountChart.Bars($0, label: $0.month) }
      ).write(to: &html)
    }
    html.element("details") { html in
      html.element("summary", text: "The same as a table")
      html.table(
        "Entities by kind and month",
        [
          .text("kind"), .text("month"), .number("in \(source)"), .number("in documents"),
          .number("proven"), .number("equal"),
        ], headings: 2,
        report.counts.prefix(Self.mostRows).map { count in
          [
            count.kind, count.month, count.reference.grouped, count.documents.grouped,
            count.proven.grouped, count.equal.grouped,
          ]
        })
      let more = report.counts.count - Self.mostRows
      if more > 0 {
        html.element("p", text: "And \(more.counted("row")) more, which verify-counts shows.")
      }
    }
  }

  /// What a sound report says of both sides. Entities that were made or deleted in documents since are
  /// no error, and not nothing either.
  private func equality(of report: VerificationReport) -> String {
    report.counts.allSatisfy(\.isEqual)
      ? "Nothing differs" : "What was compared is equal, but not the counts below"
  }
}

extension CountChart.Bars {
  fileprivate init(_ count: VerificationReport.Count, label: String) {
    self.init(label: label, json: count.reference, documents: count.documents)
  }
}
