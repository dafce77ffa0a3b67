/// A file as it was when it was read: what the system said about it, and what it held.
package struct FileVersion: Hashable, Sendable {
  /// What the system said.
  package var state: FileState
  /// The hash of its bytes, which no clock and no program that sets times can keep from changing.
  package var hash: ContentHash

  /// Creates a version from what one read gave.
  package init(state: FileState, hash: ContentHash) {
    self.state = state
    self.hash = hash
  }
}
