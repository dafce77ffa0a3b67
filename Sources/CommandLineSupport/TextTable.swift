import Diagnostics
import Folders

/// Rows of cells with aligned columns, numbers to the right.
package struct TextTable {
  private var rows: [[String]]

  /// Creates a table with a heading row.
  package init(heading: [String]) {
    rows = [heading]
  }

  /// Whether there is nothing below the heading.
  package var isEmpty: Bool { rows.count < 2 }

  /// Adds a row of as many cells as the heading has.
  package mutating func add(_ cells: [String]) {
    rows.append(cells)
  }

  /// The lines of the table, each indented by two spaces and without trailing spaces.
  package var lines: [String] {
    guard let heading = rows.first else { return [] }
    let widths = heading.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let areNumbers = heading.indices.map { column in
      rows.dropFirst().allSatisfy { Self.isNumber($0[column]) }
    }
    return rows.map { row in
      var line = ""
      for column in heading.indices {
        let padding = String(repeating: " ", count: widths[column] - row[column].count)
        line += "  " + (areNumbers[column] ? padding + row[column] : row[column] + padding)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private static func isNumber(_ cell: String) -> Bool {
    cell.isEmpty || cell.allSatisfy { $0.isWholeNumber || $0 == "," }
  }
}

/// Colour for a report, or none.
package struct TextStyle: Sendable {
  private let isColoured: Bool

  /// Decides by the option, the environment and whether the stream is a terminal.
  init(_ choice: ReportingOptions.Color, isTerminal: Bool) {
    isColoured =
      switch choice {
      case .always: true
      case .never: false
      case .auto:
        isTerminal && (SystemCalls.environment("NO_COLOR") ?? "").isEmpty
          && SystemCalls.environment("TERM") != "dumb"
      }
  }

  /// Returns the severity in its colour.
  func severity(_ severity: Severity) -> String {
    switch severity {
    case .error: painted(severity.rawValue, "31")
    case .warning: painted(severity.rawValue, "33")
    case .info: painted(severity.rawValue, "36")
    }
  }

  private func painted(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  /// The text with everything escaped that could move a cursor, hide text or fake a line.
  ///
  /// Paths arrive escaped already, with the same escapes for ends of lines; messages can quote what a
  /// file says.
  package var safeForTerminal: String {
    if unicodeScalars.allSatisfy(DisplayText.isHarmless) { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where DisplayText.isHarmless(scalar): text.unicodeScalars.append(scalar)
      default: text += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
    }
    return text
  }

  /// The same for a text whose own line ends are meant.
  var linesSafeForTerminal: String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).safeForTerminal }.joined(separator: "\n")
  }
}

extension Duration {
  /// The duration in whole milliseconds, rounded down.
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }

  /// The duration as a person reads it: `0.21 s`, `14 s`, `3:07 min`.
  package var text: String {
    let milliseconds = self.milliseconds
    if milliseconds < 10_000 {
      let hundredths = (milliseconds + 5) / 10
      let fraction = hundredths % 100
      return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s"
    }
    let seconds = (milliseconds + 500) / 1000
    if seconds < 100 { return "\(seconds) s" }
    return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60) min"
  }
}
