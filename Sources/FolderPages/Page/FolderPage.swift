import Diagnostics
package import MigrationCore

/// The page that shows where a folder stands: one HTML file that needs nothing else, runs nothing, and
/// fetches nothing.
package struct FolderPage {
  /// What the first bytes of every page are, so that one is never taken for another file.
  package static let signature = Array(
    "<!DOCTYPE html><!-- automerge-migrate report-folder -->".utf8)

  /// The page, in UTF-8.
  package let bytes: [UInt8]

  /// Writes the page of a folder.
  package init(_ overview: FolderOverview) {
    var html = HTMLWriter()
    let sections = FolderSections(overview)
    html.page("\(overview.folder): \(StandingSection.word(for: overview))") { html in
      html.element("header") { html in
        StandingSection(overview).write(to: &html)
        html.element("nav", ("aria-label", "Sections")) { html in
          html.element("ul") { html in sections.writeLinks(to: &html) }
        }
      }
      html.element("main") { html in sections.write(to: &html) }
      html.element("footer") { html in
        StandingSection.writeOrigin(overview.version, overview.system, to: &html)
      }
    }
    bytes = Self.signature + [UInt8(ascii: "\n")] + html.bytes
  }
}

/// What is told of a folder below where it stands, one section for each part.
struct FolderSections {
  private typealias Section = (
    id: StaticString, title: String, write: (inout HTMLWriter) -> Void
  )

  private let sections: [Section]

  init(_ overview: FolderOverview) {
    sections = [
      ("counts", "JSON against documents", { CountSection(overview).write(to: &$0) }),
      ("findings", "Findings", { FindingSection(overview).write(to: &$0) }),
      ("documents", "Documents", { DocumentSection(overview).write(to: &$0) }),
      ("conflicts", "Conflicts", { ConflictSection(overview).write(to: &$0) }),
      ("runs", "Runs", { RunSection(overview).write(to: &$0) }),
      ("backups", "Backups", { StorageSection(overview).writeBackups(to: &$0) }),
      ("quarantine", "Quarantine", { StorageSection(overview).writeQuarantine(to: &$0) }),
    ]
  }

  /// Writes an element of a list for each, which leads there.
  func writeLinks(to html: inout HTMLWriter) {
    for section in sections {
      html.element("li") { html in
        html.element("a", ("href", "#\(html.id(section.id))"), text: section.title)
      }
    }
  }

  func write(to html: inout HTMLWriter) {
    for section in sections {
      let (id, title) = (html.id(section.id), "\(html.id(section.id))-title")
      html.element("section", ("id", id), ("aria-labelledby", title)) { html in
        html.heading(2, ("id", title), text: section.title)
        section.write(&html)
      }
    }
  }
}

extension HTMLWriter {
  /// Writes a whole page around its content.
  mutating func page(_ title: String, _ body: (inout HTMLWriter) -> Void) {
    element("html", ("lang", "en")) { html in
      html.element("head") { html in html.head(title) }
      html.element("body", content: body)
    }
  }

  private mutating func head(_ title: String) {
    void("meta", ("charset", "utf-8"))
    void("meta", ("name", "viewport"), ("content", "width=device-width, initial-scale=1"))
    void(
      "meta", ("http-equiv", "Content-Security-Policy"),
      (
        "content",
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
      ))
    void("meta", ("name", "referrer"), ("content", "no-referrer"))
    element("title", text: title)
    markup("<style>")
    markup(PageStyle.sheet)
    markup("</style>\n")
  }
}

extension FolderOverview {
  /// Writes that a part could not be looked at; returns whether that is so.
  func writeGap(_ part: Part, to html: inout HTMLWriter) -> Bool {
    guard let gap = gaps.first(where: { $0.part == part }) else { return false }
    html.element("p", ("class", "error")) { html in
      let subject = gap.reason.subject.isEmpty ? "it" : DisplayText.subject(gap.reason.subject)
      html.text("This could not be looked at: \(subject) \(gap.reason.problem).")
    }
    if let remedy = gap.reason.remedy {
      html.element("p") { html in
        html.text("Next: ")
        html.element(gap.reason.command == nil ? "span" : "code", text: remedy)
      }
    }
    return true
  }
}
