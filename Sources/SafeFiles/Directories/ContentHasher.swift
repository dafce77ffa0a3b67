import Crypto

/// Hashes one file after the other, with the memory of one buffer however large they are.
package struct ContentHasher {
  private static let largestBuffer = 1 << 20

  private var buffer: [UInt8] = []

  package init() {}

  /// Returns the hash of a regular file's bytes and its state; throws `changedWhileRead` if that was
  /// another one when the last byte had been read.
  package mutating func hash(
    _ name: FileName, in directory: Directory
  ) throws(FileError) -> (hash: ContentHash, state: FileState) {
    let (file, state) = try directory.openRegular(name)
    var hash = SHA256()
    var position: Int64 = 0
    // What is appended meanwhile is not waited for.
    while position <= state.size {
      // One byte more than expected: a read that leaves it unfilled has met the end.
      let wanted = Int(min(state.size - position, Int64(Self.largestBuffer) - 1)) + 1
      if buffer.count < wanted { buffer.resize(to: wanted) }
      let count = try file.readSome(into: &buffer, at: 0..<wanted)
      hash.update(buffer, 0..<count)
      position += Int64(count)
      if count == 0 || (count < wanted && position == state.size) { break }
    }
    guard position == state.size, try file.state().isUnchanged(since: state) else {
      throw .changedWhileRead(path: file.path)
    }
    return (ContentHash(hash.finalize()), state)
  }
}
