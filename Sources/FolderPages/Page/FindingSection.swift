import Diagnostics
import MigrationCore

/// What was found, gravest first, and what to do about it.
struct FindingSection {
  private let findings: [Finding]
  private static let mostOfACode = 20

  init(_ overview: FolderOverview) { findings = overview.findings }

  func write(to html: inout HTMLWriter) {
    guard !findings.isEmpty else {
      html.element("p", text: "Nothing was found in what was looked at.")
      return
    }
    for severity in Severity.allCases.reversed() {
      let some = findings.filter { $0.severity == severity }
      if some.isEmpty { continue }
      html.heading(3, ("class", severity.rawValue), text: title(severity, some.count))
      for (code, some) in byCode(some) { write(some, code, to: &html) }
    }
  }

  private func title(_ severity: Severity, _ count: Int) -> String {
    switch severity {
    case .error: count.counted("error")
    case .warning: count.counted("warning")
    case .info: "\(count.grouped) worth knowing"
    }
  }

  /// The findings of each code, in the order in which the codes come first.
  private func byCode(_ findings: [Finding]) -> [(FindingCode, [Finding])] {
    let groups = Dictionary(grouping: findings, by: \.code)
    var known: Set<FindingCode> = []
    return findings.map(\.code).filter { known.insert($0).inserted }.map { ($0, groups[$0] ?? []) }
  }

  private func write(_ findings: [Finding], _ code: FindingCode, to html: inout HTMLWriter) {
    html.element("p") { html in
      html.element("code", text: code.rawValue)
      html.text(" × \(findings.count.grouped)")
    }
    html.element("ul") { html in
      for finding in findings.prefix(Self.mostOfACode) {
        html.element("li") { html in write(finding, to: &html) }
      }
      let more = findings.count - Self.mostOfACode
      if more > 0 {
        html.element("li", text: "and \(more.grouped) more like these")
      }
    }
  }

  private func write(_ finding: Finding, to html: inout HTMLWriter) {
    if !finding.path.isEmpty {
      html.element("strong", text: DisplayText.subject(finding.path))
      html.text(": ")
    }
    html.text(finding.message)
    if let offset = finding.offset { html.text(" (offset \(offset.grouped))") }
    guard let next = finding.next else { return }
    html.markup("<br>Next: ")
    html.element(finding.command == nil ? "span" : "code", text: next)
  }
}
