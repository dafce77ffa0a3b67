extension Array where Element == UInt8 {
  /// Copies the bytes of a span.
  package init(_ span: Span<UInt8>) {
    self.init()
    reserveCapacity(span.count)
    for index in span.indices { append(span[index]) }
  }
}
