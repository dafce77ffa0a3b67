/// Which file an entry is, whatever its name and content.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
}
