package import ArgumentParser

/// What `inspect-crdt` shows of a whole folder.
package enum FolderView: String, EnumerableFlag, Sendable {
  /// The runs that wrote to it.
  case history
  /// What the history of each document costs.
  case sizes

  package static func help(for view: FolderView) -> ArgumentHelp? {
    switch view {
    case .history: "Show which runs wrote to a folder, and how they ended."
    case .sizes: "Show what the history of each document of a folder costs."
    }
  }
}
