#if canImport(Combine)
  internal import Combine
  internal import Synchronization

  /// Tells the owner of a value in a document that the value has changed, as long as both live.
  final class DocumentWatcher: Sendable {
    // SAFETY: Only made and released, which any thread may do with a cancellable.
    private struct Subscription: @unchecked Sendable {
      let cancellable: AnyCancellable
    }

    private let subscription = Mutex<Subscription?>(nil)
    private let lastHash = Mutex<Int?>(nil)

    /// Calls `report` after changes of the document that changed the hash of the value.
    func watch(
      _ document: Document, hash: @escaping @Sendable () -> Int?,
      report: @escaping @Sendable () -> Void
    ) {
      lastHash.withLock { $0 = hash() }
      let subscription = Subscription(
        cancellable: document.objectWillChange.sink { [weak self] _ in
          // The document is locked by the call that changes it: look when that is over.
          Task { if self?.hasChanged(to: hash()) == true { report() } }
        })
      self.subscription.withLock { $0 = subscription }
    }

    private func hasChanged(to hash: Int?) -> Bool {
      lastHash.withLock { last in
        guard let hash, hash != last else { return false }
        last = hash
        return true
      }
    }
  }
#endif
