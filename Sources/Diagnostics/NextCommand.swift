/// A command to run next, as the words that it is started with.
///
/// Whoever decides by it compares its name, and never reads the text beside it.
package struct NextCommand: Hashable, Sendable {
  /// The commands that are told about; a raw value is what starts one.
  package enum Name: String, CaseIterable, Hashable, Sendable {
    case cleanupLegacy = "cleanup-legacy"
    case exportJSON = "export-json"
    case importCRDT = "import-crdt"
    case mergeConflicts = "merge-conflicts"
    case migrateFolder = "migrate-folder"
    case migrateSchema = "migrate-schema"
    case packBackup = "pack-backup"
    case recoverFolder = "recover-folder"
    case repairCRDT = "repair-crdt"
    case restoreBackup = "restore-backup"
    case rollbackFolder = "rollback-folder"
    case verifyCounts = "verify-counts"
  }

  /// The command.
  package var name: Name
  /// What it is told, a word each.
  package var arguments: [String]

  /// Creates a command from its words.
  package init(_ name: Name, _ arguments: [String]) {
    self.name = name
    self.arguments = arguments
  }

  /// The name and the arguments.
  package var words: [String] { [name.rawValue] + arguments }

  /// The command as a line for a shell.
  package var shellText: String { ShellWord.line(of: words) }
}

/// A word of a command line, as a POSIX shell reads it.
package enum ShellWord {
  /// Returns the word as it is if a shell leaves it alone, else in single quotes; one with characters
  /// that a report would have to escape, as what prints it.
  package static func quoting(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: ","):
        true
      default: false
      }
    }
    if isPlain, !word.isEmpty, !word.hasPrefix("-") { return word }
    // What a command prints loses the line ends at its end.
    if !word.unicodeScalars.allSatisfy(isShown), !word.hasSuffix("\n") { return printing(word) }
    let quoted = word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''")
    return "'\(quoted)'"
  }

  /// Returns the line of a command: what is plainly an option stands as it is, other words are quoted
  /// where they have to be.
  package static func line(of words: [String]) -> String {
    words.map { isOption($0) ? $0 : quoting($0) }.joined(separator: " ")
  }

  /// Whether a word is two dashes and lower-case letters, or a dash and a letter.
  private static func isOption(_ word: String) -> Bool {
    let bytes = Array(word.utf8)
    let dash = UInt8(ascii: "-")
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    if bytes.count == 2, bytes[0] == dash { return letters.contains(bytes[1]) }
    return bytes.count > 2 && bytes.starts(with: [dash, dash])
      && bytes.allSatisfy { letters.contains($0) || $0 == dash }
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  /// Returns a command substitution, which is one line whatever is in the word.
  private static func printing(_ word: String) -> String {
    var format = ""
    for (index, scalar) in word.unicodeScalars.enumerated() {
      switch scalar {
      case "%": format += "%%"
      case "-" where index > 0: format += "-"
      case "'", "\\", "-": format += octal(scalar)
      case _ where isShown(scalar): format.unicodeScalars.append(scalar)
      default: format += octal(scalar)
      }
    }
    return "\"$(printf '\(format)')\""
  }

  private static func octal(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf8.map { byte in
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }.joined()
  }
}
