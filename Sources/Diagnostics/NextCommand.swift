/// A command to run next, as the words that it is started with.
///
/// Whoever decides by it compares its name, and never reads the text beside it.
package struct NextCommand: Hashable, Sendable {
  /// The commands that are told about; a raw value is what starts one.
  package enum Name: String, CaseIterable, Hashable, Sendable {
    case cleanupLegacy = "cleanup-legacy"
    case importCRDT = "import-crdt"
    case mergeConflicts = "merge-conflicts"
    case migrateFolder = "migrate-folder"
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
