/// Who may reach what is made of somebody's content: nobody who may not reach that content itself.
package struct Privacy: Hashable, Sendable {
  private let mode: UInt16
  private let isDirectory: Bool
  /// Who owns the content.
  package let owner: FileOwner

  /// The privacy of what has this state: a folder, or a single file.
  package init(of state: FileState) {
    mode = state.mode & 0o777
    isDirectory = state.kind == .directory
    owner = state.owner
  }

  /// The widest permissions of a file that belongs to `group`; its owner can always read and write.
  func fileMode(group: UInt32) -> UInt16 { mode(group: group) & 0o666 | 0o600 }

  /// The widest permissions of a directory that belongs to `group`; its owner can always work in it.
  func directoryMode(group: UInt32) -> UInt16 {
    let mode = mode(group: group)
    // Who may read a file may enter a directory of such files.
    return (isDirectory ? mode : mode & 0o666 | (mode & 0o444) >> 2) | 0o700
  }

  /// To another group than that of the content its members are like everybody.
  private func mode(group: UInt32) -> UInt16 {
    group == owner.group ? mode : mode & 0o707 | (mode & 0o007) << 3 & mode
  }
}
