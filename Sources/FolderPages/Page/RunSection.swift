import Diagnostics
import MigrationCore

/// The runs that wrote to the folder, the newest first.
struct RunSection {
  private let overview: FolderOverview
  private static let mostRuns = 100

  init(_ overview: FolderOverview) { self.overview = overview }

  func write(to html: inout HTMLWriter) {
    if overview.writeGap(.history, to: &html) { return }
    guard let history = overview.history else { return }
    if history.unreadableLines > 0 || !history.findings.isEmpty {
      html.element(
        "p", ("class", "warning"),
        text: history.unreadableLines > 0
          ? "\(history.unreadableLines.counted("line")) of the history cannot be read."
          : "Not all of the history could be read; see the findings.")
    }
    guard !history.runs.isEmpty else {
      html.element("p", text: "No run is known that has written to the folder.")
      return
    }
    let ends = history.countsByStatus.filter { $0.1 > 0 }.map { "\($0.1.grouped) \($0.0)" }
    let runs = history.runs.count.counted("run")
    html.element(
      "p", text: ends.isEmpty ? "\(runs)." : "\(runs): \(ends.joined(separator: ", ")).")
    html.element("ol", ("class", "runs")) { html in
      for run in history.runs.reversed().prefix(Self.mostRuns) {
        html.element("li", ("class", run.status)) { html in
          html.text("\(run.start) ")
          html.element("code", text: run.command)
          html.text(" \(run.status)")
          if !run.problem.isEmpty { html.text(": \(run.problem)") }
          if !run.backup.isEmpty { html.text(", relying on \(run.backup)") }
        }
      }
    }
    let more = history.runs.count - Self.mostRuns
    if more > 0 { html.element("p", text: "And \(more.counted("older one")).") }
  }
}
