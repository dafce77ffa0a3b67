internal import Synchronization

/// The bytes of the changes that a loaded document did not keep, from when somebody asks for them on. The
/// copies of the document share them.
final class GreatChunks: Sendable {
  /// How many changes the document was loaded with: what copies of it got since is not in common.
  let changeCount: Int
  /// Type, length and body, by the rows of the changes; nil as long as nobody has asked.
  private let chunks = Mutex<[Int: [UInt8]]?>(nil)

  init(changeCount: Int) { self.changeCount = changeCount }

  /// Returns the bytes of a change that was not kept.
  ///
  /// - Parameter make: makes those of all such changes, in as long as the document takes to be saved and
  ///   loaded. Called once.
  func bytes(of row: Int, make: () -> [Int: [UInt8]]) -> [UInt8] {
    let bytes = chunks.withLock { chunks in
      if chunks == nil { chunks = make() }
      return chunks?[row]
    }
    guard let bytes else { preconditionFailure("a change that was kept is none to make again") }
    return bytes
  }
}
