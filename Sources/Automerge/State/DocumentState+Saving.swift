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
    history.encode(into: &changes, ranks: actors.ranks)
    var rows = ColumnWriter(compressionLevel: compressionLevel)
    encodeOperations(into: &rows)
    changes.compress()
    rows.compress()
    DocumentWriter.write(
      actors: actors.ascendingIDs, heads: heads, changes: changes, operations: rows, to: &output)
    output.append(contentsOf: queue.chunks)
    return output
  }

  private func encodeOperations(into columns: inout ColumnWriter) {
    guard operations.directory.count > 0 else { return }
    var encoder = OperationEncoder()
    for page in operations.directory.pages.lazy.map(\.flat) {
      for row in page.rows {
        encoder.append(
          row, related: page.successors, pool: operations.pool, actors: actors.ranks)
        encoder.appendID(row.id, actors: actors.ranks)
      }
    }
    encoder.finish(.document, pool: operations.pool, into: &columns)
  }
}
