import Synchronization

/// What one thread says once, for others to see.
package final class SharedFlag: Sendable {
  private let value = Atomic(false)

  /// Creates a flag that is not set.
  package init() {}

  /// Whether it was set.
  package var isSet: Bool { value.load(ordering: .relaxed) }

  /// Sets it.
  package func set() { value.store(true, ordering: .relaxed) }
}
