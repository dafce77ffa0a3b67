#if canImport(Combine)
  public import Combine

  /// Bound texts tell their observers when the document has changed them.
  extension AutomergeText: ObservableObject {
    func watch(_ document: Document) {
      watcher.watch(document) { [weak self] in
        self?.value.hashValue
      } report: { [weak self] in
        self?.objectWillChange.send()
      }
    }
  }
#endif

#if canImport(SwiftUI)
  public import struct SwiftUI.Binding

  extension AutomergeText {
    /// Returns a binding to the content.
    public func textBinding() -> Binding<String> {
      Binding(get: { self.value }, set: { self.value = $0 })
    }
  }
#endif
