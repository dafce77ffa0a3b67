/// The user and group a file belongs to.
package struct FileOwner: Hashable, Sendable {
  /// The numeric user.
  package var user: UInt32
  /// The numeric group.
  package var group: UInt32

  /// Creates an owner from its numbers.
  package init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }
}
