/// What is done with a file in a process of its own: a stage in the engine, or a command.
enum DoublingWork {
  case stage(DoublingStage)
  case command(DoublingCommand)

  var name: String {
    switch self {
    case .stage(let stage): stage.rawValue
    case .command(let command): command.rawValue
    }
  }
}

/// A command that reads a document.
enum DoublingCommand: String, CaseIterable {
  case check
  case tree
  case conflicts
  case changes
  case repair
  case anonymize
  case verify
  case status
  case export
  case merge

  /// Returns the name of the command and its arguments.
  ///
  /// - Parameters:
  ///   - file: the document.
  ///   - folder: a folder that holds it as its tags.
  ///   - output: a file to write.
  func words(_ file: String, folder: String, output: String) -> (String, [String]) {
    switch self {
    case .check: ("inspect-crdt", ["--check", file])
    case .tree: ("inspect-crdt", ["--tree", file])
    case .conflicts: ("inspect-crdt", ["--conflicts", file])
    case .changes: ("inspect-crdt", ["--changes", file])
    case .repair: ("repair-crdt", [file, "--output", output, "--force"])
    case .anonymize: ("repair-crdt", [file, "--output", output, "--force", "--anonymize"])
    case .verify: ("verify-counts", [folder])
    case .status: ("verify-counts", [folder, "--status"])
    case .export: ("export-json", [folder])
    case .merge: ("merge-conflicts", [folder, "--dry-run"])
    }
  }
}
