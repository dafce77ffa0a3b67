/// The script of a shell that completes one command, as the parser makes it.
///
/// The parser offers a subcommand `help`, which a command without subcommands does not have; and where
/// such a command takes any number of arguments, zsh refuses the whole script for it.
struct CompletionScript {
  /// The option that asks for one.
  static let option = "--generate-completion-script"

  private let made: String

  init(made: String) { self.made = made }

  /// The script without that subcommand.
  var text: String {
    let lines = made.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.filter { !Self.offersSubcommand($0) }.map {
      $0.contains(Self.wordInBash) ? "        :" : String($0)
    }.joined(separator: "\n")
  }

  private static let wordInBash = "compgen -W 'help' "

  /// Whether a line of a script for zsh or fish does nothing else.
  private static func offersSubcommand(_ line: Substring) -> Bool {
    let line = line.drop { $0 == " " }
    return line == "'(-): :->command'" || line == "'(-)*:: :->arg'"
      || line.hasSuffix("-fa 'help' -d 'Show subcommand help information.'")
  }
}
