/// The version all commands share.
package enum ToolVersion {
  /// The version of this source tree; history lines and `--version` show it.
  package static let current = "0.1.0"

  /// Returns what `--version` prints for a command.
  package static func line(for tool: String) -> String {
    "\(tool) (automerge-migrate) \(current)"
  }
}
