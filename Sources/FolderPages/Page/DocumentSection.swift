import Diagnostics
import MigrationCore

/// The documents with what they take and how much is in them.
struct DocumentSection {
  private let overview: FolderOverview
  private static let mostRows = 100

  init(_ overview: FolderOverview) { self.overview = overview }

  func write(to html: inout HTMLWriter) {
    if overview.writeGap(.standing, to: &html) { return }
    writeDamaged(to: &html)
    let documents = overview.documents
    guard !documents.isEmpty else {
      html.element("p", text: "There is no document that loads.")
      return
    }
    let bytes = documents.reduce(0) { $0 + $1.figures.byteCount }
    html.element(
      "p",
      text: "\(documents.count.counted("document")) that "
        + "\(documents.count == 1 ? "loads" : "load"), \(bytes.byteCountText) in all.")
    let shown = documents.prefix(Self.mostRows)
    html.table(
      shown.count < documents.count ? "The largest documents" : "Documents, the largest first",
      [
        .text("document"), .number("size"), .number("changes"), .number("operations"),
        .number("actors"), .number("conflicts"), .number("waiting"),
      ],
      shown.map { document in
        let figures = document.figures
        return [
          document.path, figures.byteCount.byteCountText, figures.changeCount.grouped,
          figures.operationCount.grouped, figures.actorCount.grouped,
          figures.conflictCount.grouped, figures.queuedCount.grouped,
        ]
      })
    let rest = documents.dropFirst(Self.mostRows)
    if !rest.isEmpty {
      let bytes = rest.reduce(0) { $0 + $1.figures.byteCount }
      html.element(
        "p", text: "And \(rest.count.counted("smaller one")), \(bytes.byteCountText) together.")
    }
  }

  /// Names those of which nothing is known but that they are there.
  private func writeDamaged(to html: inout HTMLWriter) {
    let damaged = overview.status?.damagedDocuments ?? []
    guard !damaged.isEmpty else { return }
    let more = damaged.count - Self.mostRows
    html.element(
      "p", ("class", "error"),
      text: "\(damaged.count.counted("document")) "
        + "\(damaged.count == 1 ? "does" : "do") not load, and the table does not have "
        + "\(damaged.count == 1 ? "it" : "them"): "
        + damaged.prefix(Self.mostRows).joined(separator: ", ")
        + (more > 0 ? ", and \(more.grouped) more." : "."))
  }
}

/// Values that several devices wrote at the same time, side by side.
struct ConflictSection {
  private let overview: FolderOverview

  init(_ overview: FolderOverview) { self.overview = overview }

  func write(to html: inout HTMLWriter) {
    if overview.writeGap(.standing, to: &html) { return }
    guard !overview.conflicts.isEmpty else {
      html.element("p", text: "No value of a document that loads is in conflict with another.")
      return
    }
    let count = overview.conflicts.count + overview.furtherConflictCount
    html.element(
      "p",
      text:
        "\(count.counted("place holds", "places hold")) several values that devices wrote at the "
        + "same time. Readers see the one with the thick line; the others are kept until somebody "
        + "writes there again, as merge-conflicts FOLDER --resolve does with the id that each begins "
        + "with, the field behind it, and what is to stay.")
    for conflict in overview.conflicts { write(conflict, to: &html) }
    if overview.furtherConflictCount > 0 {
      html.element(
        "p",
        text:
          "And \(overview.furtherConflictCount.grouped) more, which inspect-crdt --conflicts shows."
      )
    }
  }

  private func write(_ conflict: FieldConflict, to html: inout HTMLWriter) {
    html.element("div", ("class", "conflict")) { html in
      html.heading(3, text: conflict.place.joined(separator: " › "))
      html.element("p", ("class", "soft"), text: conflict.document)
      html.element("div", ("class", "values")) { html in
        for value in conflict.values {
          html.element("div", ("class", value.isShown ? "value shown" : "value")) { html in
            html.element("p", text: value.text)
            html.element(
              "p", ("class", "soft"),
              text: (value.isShown ? "shown; by " : "not shown; by ") + value.actor
                + (value.time.map { " on \($0)" } ?? ""))
          }
        }
      }
      if conflict.furtherValueCount > 0 {
        html.element("p", text: "And \(conflict.furtherValueCount.counted("value")) more.")
      }
    }
  }
}
