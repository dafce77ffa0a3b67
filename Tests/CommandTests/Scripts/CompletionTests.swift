import Foundation
import Testing

/// What shells offer at the tab key, asked of the shells themselves.
@Suite struct CompletionTests {
  enum Shell: String, CaseIterable { case bash, zsh, fish }

  /// A line as somebody has typed it, and a word that must be among those that are offered.
  struct Line: Sendable, CustomTestStringConvertible {
    let text: String
    let word: String
    /// The start of words of which none may be offered.
    var none = "nothing-like-it"

    var testDescription: String { text }
  }

  static let lines = [
    Line(text: "import-crdt --lay", word: "--layout", none: "--dry-run"),
    Line(text: "import-crdt --layout m", word: "monthly", none: "per-record"),
    Line(text: "verify-counts --prof", word: "--profile"),
    Line(text: "verify-counts Minuta --profile rit", word: "ritualist", none: "laundrytime"),
    Line(text: "verify-counts Minuta --profile our", word: "our-app.json"),
    Line(text: "verify-counts Minuta Minu", word: "Minuta", none: "help"),
    Line(text: "inspect-crdt our", word: "our-app.json", none: "help"),
    Line(text: "migrate-schema our", word: "our-app.json", none: "help"),
    Line(text: "import-crdt --lay", word: "--layout", none: "help"),
    Line(text: "cleanup-legacy Minuta --bring-back 2026", word: "20260106T120000Z"),
    Line(
      text: "rollback-folder Minuta Minuta-backups/M",
      word: "Minuta-backups/Minuta-20260106T120000Z-0001.tar"),
    Line(
      text: "cleanup-legacy Minuta --backup Minuta-backups/Minuta-2",
      word: "Minuta-backups/Minuta-20260106T120000Z-0001.tar"),
    Line(text: "migrate-fleet list --command verify", word: "verify-counts", none: "pack-backup"),
    Line(text: "automerge-migrate verify", word: "verify-counts", none: "pack-backup"),
    Line(text: "automerge-migrate import-crdt --layout m", word: "monthly"),
  ]

  @Test(arguments: Shell.allCases, lines)
  func `a shell offers what fits`(shell: Shell, line: Line) throws {
    let place = try TemporaryDirectory()
    let folder = place.url.appending(path: "Minuta")
    for path in [
      "Minuta/.automerge-migrate.nosync/quarantine/20260106T120000Z", "Minuta-backups", "functions",
    ] {
      try FileManager.default.createDirectory(
        at: place.url.appending(path: path), withIntermediateDirectories: true)
    }
    for path in ["Minuta-backups/Minuta-20260106T120000Z-0001.tar", "our-app.json"] {
      try Data().write(to: place.url.appending(path: path))
    }
    let command = try #require(line.text.split(separator: " ").first.map(String.init))
    let script = try run(command, "--generate-completion-script", shell.rawValue)
    #expect(script.status == 0, "\(script.errors)")
    let file = place.url.appending(path: "functions/_\(command)")
    try Data(script.output.utf8).write(to: file)
    let words = try offered(shell, line.text, file, in: folder.deletingLastPathComponent())
    #expect(words.contains(line.word), "\(words)")
    #expect(!words.contains { $0.hasPrefix(line.none) }, "\(words)")
  }

  @Test(arguments: Shell.allCases)
  func `no shell offers a command of the program that is none`(shell: Shell) throws {
    let script = try run(
      BuiltCommands.program, "--generate-completion-script", shell.rawValue)
    #expect(script.status == 0, "\(script.errors)")
    #expect(!script.output.contains("'help:") && !script.output.contains("-fa 'help'"))
    #expect(!script.output.contains(" verify-counts help' "))
    #expect(script.output.contains("verify-counts"))
  }

  private func offered(
    _ shell: Shell, _ line: String, _ file: URL, in directory: URL
  ) throws -> [String] {
    let path =
      BuiltCommands.directory.path + ":"
      + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    let asking =
      switch shell {
      case .bash:
        ["bash", "--norc", "-c", Self.bash, file.path] + line.split(separator: " ").map(String.init)
      case .zsh: ["zsh", "-f", "-c", Self.zsh, file.path, line]
      case .fish: ["zsh", "-f", "-c", Self.fish, file.path, line]
      }
    let run = try CommandTests.run(
      URL(filePath: "/usr/bin/env"), ["PATH=\(path)"] + asking, input: nil, in: directory)
    #expect(run.status == 0, "\(run.errors)")
    // Of fish it is the line, whose last word was completed.
    let offers = run.output.split { $0 == "\n" || (shell == .fish && $0 == " ") }
    return offers.suffix(shell == .fish ? 1 : offers.count).map(String.init)
  }

  /// Calls the function as readline does, with the words of a line.
  private static let bash = #"""
    source "$0"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9
    COMP_POINT=${#COMP_LINE}
    function=$(complete -p "$1")
    function=${function##*-F }
    "${function%% *}" "$1" "${!#}" "${@:$#-1:1}"
    printf '%s\n' "${COMPREPLY[@]}"
    """#

  /// Runs a shell with a terminal, in which the line is completed; what it offers is caught where it
  /// would be listed.
  private static let zsh = #"""
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "PS1= fpath=(${0:h} \$fpath); autoload -Uz compinit; compinit -u -D
    compadd() {
      local -a kept; builtin compadd -O kept \"\$@\"; builtin compadd \"\$@\"
      local word; for word in \$kept; do print -r -- \"\${IPREFIX}\$word\"; done >>offers
    }
    zle-line-init() { print ready >ready }; zle -N zle-line-init"
    # What is typed before the editor has the line the terminal itself would take away.
    while [[ ! -e ready ]] { sleep 0.05 }
    # What is typed behind the tab is read when all was offered.
    zpty -w -n shell "$1"$'\t\025'
    zpty -w shell "print done >done"
    while [[ ! -e done ]] { sleep 0.05 }
    zpty -d shell
    [[ ! -e offers ]] || sort -u offers
    """#

  /// Runs fish with a terminal, which puts what alone fits into the line, and prints the line.
  private static let fish = #"""
    zmodload zsh/zpty
    print -r -- "source $0; bind \\cp 'commandline >line'; touch ready" >start
    export TERM=xterm
    zpty shell fish --no-config -C "'source start'"
    while [[ ! -e ready ]] { sleep 0.05 }
    zpty -w -n shell "$1"$'\t\020'
    while [[ ! -s line ]] { sleep 0.05 }
    zpty -d shell
    cat line
    """#
}
