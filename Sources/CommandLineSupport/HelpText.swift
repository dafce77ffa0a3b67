/// What a command's help says before its options: examples first, then exit statuses.
package struct HelpText: Sendable {
  /// One call worth copying, with what it is for.
  package struct Example: Sendable {
    let purpose: String
    let call: String

    /// Creates an example; `purpose` is an imperative without a full stop.
    package init(_ purpose: String, _ call: String) {
      self.purpose = purpose
      self.call = call
    }
  }

  /// The command's name.
  package let name: String
  /// What the command does, as an imperative without a full stop.
  package let abstract: String
  /// The calls most people need.
  package let examples: [Example]
  /// What a reader must know beyond the options, one paragraph at most.
  package let note: String?
  /// The statuses this command can end with.
  package let statuses: [ExitStatus]

  /// Creates the help of one command.
  package init(
    _ name: String, _ abstract: String, examples: [Example], note: String? = nil,
    statuses: [ExitStatus] = ExitStatus.allCases
  ) {
    self.name = name
    self.abstract = abstract
    self.examples = examples
    self.note = note
    self.statuses = statuses
  }

  /// The text between the abstract and the usage line.
  var discussion: String {
    var lines = ["Examples:"]
    for example in examples {
      lines.append("  # \(example.purpose)")
      lines.append("  \(example.call)")
    }
    if let note { lines += ["", note] }
    lines += ["", "Exit status:"]
    for status in statuses.sorted(by: { $0.rawValue < $1.rawValue }) {
      let number = String(status.rawValue)
      lines.append(String(repeating: " ", count: 4 - number.count) + number + "  " + status.meaning)
    }
    return lines.joined(separator: "\n")
  }
}
