import Diagnostics
import MigrationCore

/// A page of several folders: a table of all, which leads to what a page of each would show.
///
/// The table comes first and is known last, so the parts are written before what is around them.
struct FoldersPage {
  /// What the table says of a folder.
  private struct Row {
    let name: String
    let word: String
    let counts: (json: Int, documents: Int)?
    let (errors, warnings): (Int, Int)
    let next: String

    init(_ overview: FolderOverview) {
      name = overview.folder
      word = StandingSection.word(for: overview)
      counts = overview.verification.map { report in
        (
          report.counts.reduce(0) { $0 + $1.reference },
          report.counts.reduce(0) { $0 + $1.documents }
        )
      }
      let findings = overview.findings
      // What could not be looked at is told as an error, too.
      errors = findings.count { $0.severity == .error } + overview.gaps.count
      warnings = findings.count { $0.severity == .warning }
      next = overview.status?.next.first ?? overview.gaps.first?.reason.remedy ?? ""
    }
  }

  private var rows: [Row] = []
  /// What made the page.
  private var (version, system) = ("", "")
  /// So many folders stand above the table, too.
  private static let mostLinks = 100

  private static func id(_ index: Int) -> String { "folder-\(index + 1)" }

  /// Adds a folder to the table and returns its part of the page.
  mutating func add(_ overview: FolderOverview, isAnonymous: Bool) -> [UInt8] {
    let index = rows.count
    let shown =
      isAnonymous ? overview.anonymous(called: "FOLDER \((index + 1).grouped)") : overview
    rows.append(Row(shown))
    (version, system) = (shown.version, shown.system)
    let id = Self.id(index)
    var html = HTMLWriter(partCalled: id)
    html.element(
      "section", ("id", id), ("class", "folder"), ("aria-labelledby", html.id("title"))
    ) { html in
      StandingSection(shown).write(to: &html)
      let sections = FolderSections(shown)
      html.element("ul", ("class", "parts")) { html in
        html.element("li") { html in html.element("a", ("href", "#folders"), text: "All folders") }
        if !shown.isUnseen { sections.writeLinks(to: &html) }
      }
      // Where nothing could be looked at, each of them would say just that.
      if !shown.isUnseen { sections.write(to: &html) }
    }
    return html.bytes
  }

  /// What comes before the parts, and what behind them.
  func frame() -> (beginning: [UInt8], end: [UInt8]) {
    var html = HTMLWriter()
    var middle = 0
    html.page("\(rows.count.counted("folder")): \(words)") { html in
      html.element("header") { html in
        html.heading(1, text: rows.count.counted("folder"))
        html.element("p", text: "\(words).")
        html.element("nav", ("aria-label", "Folders")) { html in
          html.element("ul") { html in writeLinks(to: &html) }
        }
      }
      html.element("main") { html in
        html.element("section", ("id", "folders"), ("aria-labelledby", "folders-title")) { html in
          html.heading(2, ("id", "folders-title"), text: "All folders")
          writeTable(to: &html)
        }
        middle = html.bytes.count
      }
      html.element("footer") { html in
        StandingSection.writeOrigin(version, system, to: &html)
      }
    }
    return (
      FolderPage.signature + [UInt8(ascii: "\n")] + html.bytes[..<middle],
      Array(html.bytes[middle...])
    )
  }

  /// How many folders stand where.
  private var words: String {
    let counts = rows.reduce(into: [String: Int]()) { $0[$1.word, default: 0] += 1 }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value.grouped) \($0.key)" }.joined(separator: ", ")
  }

  private func writeLinks(to html: inout HTMLWriter) {
    for (index, row) in rows.prefix(Self.mostLinks).enumerated() {
      html.element("li") { html in
        html.element("a", ("href", "#\(Self.id(index))"), text: row.name)
      }
    }
    guard rows.count > Self.mostLinks else { return }
    html.element("li") { html in
      html.element(
        "a", ("href", "#folders"), text: "and \((rows.count - Self.mostLinks).grouped) more")
    }
  }

  private func writeTable(to html: inout HTMLWriter) {
    html.table(
      "Where each folder stands",
      [
        .text("folder"), .text("stands"), .number("in JSON"), .number("in documents"),
        .number("errors"), .number("warnings"), .text("what to run next"),
      ], links: rows.indices.map(Self.id),
      rows.map { row in
        [
          row.name, row.word, row.counts?.json.grouped ?? "", row.counts?.documents.grouped ?? "",
          row.errors.grouped, row.warnings.grouped, row.next,
        ]
      })
  }
}
