import Synchronization

/// The highest number several threads have seen.
final class Highest: Sendable {
  private let content = Mutex(0)

  var value: Int { content.withLock { $0 } }

  func see(_ number: Int) { content.withLock { $0 = max($0, number) } }
}
