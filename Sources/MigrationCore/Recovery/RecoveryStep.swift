package import Diagnostics

/// One step of a recovery: why it is taken, and what is done.
package struct RecoveryStep: Hashable, Sendable {
  /// What a step does. Paths are as a command takes them.
  package enum Action: Hashable, Sendable {
    /// A command of the toolkit is run.
    case run(NextCommand)
    /// A directory is made, and those it lies in.
    case makeDirectory(String)
    /// A file is copied to a place where nothing is.
    case copyFile(String, to: String)
    /// A file or directory is copied into a directory; what is there already stays.
    case copyTree(String, into: String)
    /// A document is moved away, unless it loads by then.
    case moveDamaged(String, to: String)
  }

  /// Why the step is taken, as a sentence fragment.
  package var reason: String
  /// What is done.
  package var action: Action

  /// Creates a step from its parts.
  package init(_ reason: String, _ action: Action) {
    self.reason = reason
    self.action = action
  }

  /// What is done, as the line that does it in a shell.
  package var shellText: String {
    switch action {
    case .run(let command): return command.shellText
    case .makeDirectory(let path): return ShellWord.line(of: ["mkdir", "-p", path])
    case .copyFile(let file, let copy): return ShellWord.line(of: ["cp", "-p", file, copy])
    case .copyTree(let source, let target):
      return "cp -Rp " + [source, target].map(ShellWord.quoting).joined(separator: " ")
    case .moveDamaged(let document, let target):
      let (document, target) = (ShellWord.quoting(document), ShellWord.quoting(target))
      return "inspect-crdt --check \(document) --quiet 2>/dev/null || [ $? -ne 65 ] || "
        + "mv \(document) \(target)"
    }
  }

  /// Whether it finishes a restore, before which nobody may write to the folder.
  package var finishesRestore: Bool {
    guard case .run(let command) = action else { return false }
    return command.name == .restoreBackup && command.arguments.first == "--finish"
  }
}
