#if canImport(Combine)
  public import Combine

  /// Bound counters tell their observers when the document has changed them.
  extension Counter: ObservableObject {
    func watch(_ document: Document) {
      watcher.watch(document) { [weak self] in
        self?.value
      } report: { [weak self] in
        self?.objectWillChange.send()
      }
    }
  }
#endif

#if canImport(SwiftUI)
  public import struct SwiftUI.Binding

  extension Counter {
    /// Returns a binding to the value.
    public func valueBinding() -> Binding<Int> {
      Binding(get: { self.value }, set: { self.value = $0 })
    }
  }
#endif
