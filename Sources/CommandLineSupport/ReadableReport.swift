import Diagnostics
import MigrationCore
package import Runs

/// A report as people read it: tables, findings, and sentences that say what came of it.
package protocol ReadableReport: RunReport {
  /// Tables shown first; empty ones are left out.
  var tables: [TextTable] { get }
  /// The end of the report, the part a person in a hurry reads.
  var conclusion: [String] { get }
}

extension ReadableReport {
  package var tables: [TextTable] { [] }
}

/// Findings as people read them: gravest last, so that they are still on the screen at the end.
struct FindingList {
  /// How many findings of one code are written out; scripts get all of them.
  private static let shownPerCode = 10

  private let findings: [Finding]
  private let style: TextStyle

  init(_ findings: [Finding], style: TextStyle) {
    self.findings = findings
    self.style = style
  }

  var lines: [String] {
    var lines: [String] = []
    for severity in Severity.allCases.sorted() {
      var codes: [FindingCode] = []
      var byCode: [FindingCode: [Finding]] = [:]
      for finding in findings where finding.severity == severity {
        if byCode[finding.code] == nil { codes.append(finding.code) }
        byCode[finding.code, default: []].append(finding)
      }
      for code in codes { lines += self.lines(for: byCode[code] ?? [], severity, code) }
    }
    return lines
  }

  private func lines(
    for findings: [Finding], _ severity: Severity, _ code: FindingCode
  ) -> [String] {
    var lines: [String] = []
    var lastNext: String?
    for finding in findings.prefix(Self.shownPerCode) {
      var line = "\(style.severity(severity)) \(code.rawValue): "
      if !finding.path.isEmpty { line += DisplayText.subject(finding.path).safeForTerminal + ": " }
      line += finding.message.safeForTerminal
      if let offset = finding.offset { line += " (offset \(offset))" }
      lines.append(line)
      // The same advice ten times is noise.
      if let next = finding.next, next != lastNext {
        lines.append("  next: " + next.safeForTerminal)
        lastNext = next
      }
    }
    let hidden = findings.count - Self.shownPerCode
    if hidden > 0 {
      lines.append(
        "\(style.severity(severity)) \(code.rawValue): and \(hidden.grouped) more (--json lists all)"
      )
    }
    return lines
  }
}
