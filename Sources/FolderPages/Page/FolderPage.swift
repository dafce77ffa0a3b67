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
    html.element("html", ("lang", "en")) { html in
      html.element("head") { html in Self.writeHead(overview, to: &html) }
      html.element("body") { html in Self.writeBody(overview, to: &html) }
    }
    bytes = Self.signature + [UInt8(ascii: "\n")] + html.bytes
  }

  private static func writeHead(_ overview: FolderOverview, to html: inout HTMLWriter) {
    html.void("meta", ("charset", "utf-8"))
    html.void("meta", ("name", "viewport"), ("content", "width=device-width, initial-scale=1"))
    html.void(
      "meta", ("http-equiv", "Content-Security-Policy"),
      (
        "content",
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
      ))
    html.void("meta", ("name", "referrer"), ("content", "no-referrer"))
    html.element(
      "title", text: "\(overview.folder): \(overview.status?.status.rawValue ?? "not told")")
    html.markup("<style>")
    html.markup(PageStyle.sheet)
    html.markup("</style>\n")
  }

  private static func writeBody(_ overview: FolderOverview, to html: inout HTMLWriter) {
    let sections: [(id: StaticString, title: String, write: (inout HTMLWriter) -> Void)] = [
      ("counts", "JSON against documents", { CountSection(overview).write(to: &$0) }),
      ("findings", "Findings", { FindingSection(overview).write(to: &$0) }),
      ("documents", "Documents", { DocumentSection(overview).write(to: &$0) }),
      ("conflicts", "Conflicts", { ConflictSection(overview).write(to: &$0) }),
      ("runs", "Runs", { RunSection(overview).write(to: &$0) }),
      ("backups", "Backups", { StorageSection(overview).writeBackups(to: &$0) }),
      ("quarantine", "Quarantine", { StorageSection(overview).writeQuarantine(to: &$0) }),
    ]
    html.element("header") { html in
      StandingSection(overview).write(to: &html)
      html.element("nav", ("aria-label", "Sections")) { html in
        html.element("ul") { html in
          for section in sections {
            html.element("li") { html in
              html.element("a", ("href", "#\(section.id)"), text: section.title)
            }
          }
        }
      }
    }
    html.element("main") { html in
      for section in sections {
        html.element(
          "section", ("id", section.id.description), ("aria-labelledby", "\(section.id)-title")
        ) { html in
          html.element("h2", ("id", "\(section.id)-title"), text: section.title)
          section.write(&html)
        }
      }
    }
    html.element("footer") { html in StandingSection(overview).writeOrigin(to: &html) }
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
