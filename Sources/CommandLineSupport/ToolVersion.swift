/// The version all commands share.
package enum ToolVersion {
  /// The version of this source tree; history lines and `--version` show it.
  package static let current = "0.1.0"

  /// The toolkit, and the program that holds all of it.
  private static let toolkit = "automerge-migrate"

  /// Returns what `--version` prints for a command.
  package static func line(for tool: String) -> String {
    tool == toolkit ? "\(toolkit) \(current)" : "\(tool) (\(toolkit)) \(current)"
  }
}
