/// The script of a shell that completes a command, or the program, as the parser makes it.
///
/// The parser offers a subcommand `help`, which neither has; and where a command without subcommands
/// takes any number of arguments, zsh refuses the whole script for it.
struct CompletionScript {
  /// The option that asks for one.
  static let option = "--generate-completion-script"

  private let made: String
  private let hasSubcommands: Bool

  init(made: String, hasSubcommands: Bool = false) {
    (self.made, self.hasSubcommands) = (made, hasSubcommands)
  }

  /// The script without that subcommand.
  var text: String {
    let lines = made.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.filter { !offersNothingElse($0) }.map {
      if $0.contains(Self.wordInBash) { return "        :" }
      guard $0.hasSuffix(Self.lastWordInBash) else { return String($0) }
      return $0.dropLast(Self.lastWordInBash.count) + Self.noWordInBash
    }.joined(separator: "\n")
  }

  private static let wordInBash = "compgen -W 'help' "
  private static let lastWordInBash = " help' -- \"${cur}\"))"
  private static let noWordInBash = "' -- \"${cur}\"))"

  /// Whether a line of a script for zsh or fish does nothing else.
  private func offersNothingElse(_ line: Substring) -> Bool {
    let line = line.drop { $0 == " " }
    if !hasSubcommands, line == "'(-): :->command'" || line == "'(-)*:: :->arg'" { return true }
    return line == "'help:Show subcommand help information.'"
      || line.hasSuffix("-fa 'help' -d 'Show subcommand help information.'")
  }
}
