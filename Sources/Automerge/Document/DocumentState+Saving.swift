extension DocumentState {
  /// Returns the document as a file: one document chunk, then the changes that wait in the queue
  /// (format.md 4.7, 6.8).
  ///
  /// - Parameter compressionLevel: zlib's, for columns of 256 bytes and more; nil compresses
  ///   nothing.
  package func encoded(compressionLevel: Int32? = Compression.standardLevel) -> [UInt8] {
    var output: [UInt8] = []
    let heads = history.headRows
      .map { (hash: history.changes[$0].hash, row: $0) }
      .sorted { $0.hash < $1.hash }
    var changes = ColumnWriter(compressionLevel: compressionLevel)
    history.encode(into: &changes)
    var rows = ColumnWriter(compressionLevel: compressionLevel)
    encodeOperations(into: &rows)
    DocumentWriter.write(
      actors: actors.ids, heads: heads, changes: changes, operations: rows, to: &output)
    output.append(contentsOf: queue.chunks)
    return output
  }

  private func encodeOperations(into columns: inout ColumnWriter) {
    guard !operations.operations.isEmpty else { return }
    var encoder = OperationEncoder()
    let identity = (0..<UInt32(actors.count)).map { $0 }
    for operation in operations.operations {
      encoder.append(
        operation, related: operations.successors, pool: operations.pool, actors: identity)
      encoder.appendID(operation.id, actors: identity)
    }
    encoder.finish(.document, pool: operations.pool, into: &columns)
  }
}
