import Diagnostics

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
