extension String {
  /// The text with everything escaped that could move a cursor, hide text or fake a line.
  ///
  /// Paths arrive escaped already; messages can quote what a file says.
  package var safeForTerminal: String {
    if unicodeScalars.allSatisfy(Self.isHarmless) { return self }
    var text = ""
    for scalar in unicodeScalars {
      if Self.isHarmless(scalar) {
        text.unicodeScalars.append(scalar)
      } else {
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
    }
    return text
  }

  /// The same for a text whose own line ends are meant.
  var linesSafeForTerminal: String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).safeForTerminal }.joined(separator: "\n")
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
  }
}
