extension History {
  /// Appends the change columns of a document, in the order of application (format.md 4.2).
  func encode(into columns: inout ColumnWriter) {
    guard !changes.isEmpty else { return }
    var actor = RunLengthEncoder<UInt64>()
    var sequence = DeltaEncoder()
    var maxCounter = DeltaEncoder()
    var time = DeltaEncoder()
    var message = RunLengthEncoder<PoolRange>()
    var group = RunLengthEncoder<UInt64>()
    var index = DeltaEncoder()
    var extraMetadata = RunLengthEncoder<UInt64>()
    var extra: [UInt8] = []
    for change in changes {
      actor.append(UInt64(change.actor))
      sequence.append(Int64(change.sequence))
      maxCounter.append(Int64(change.maxCounter))
      time.append(change.time)
      if let text = change.message {
        message.append(text, from: chunks)
      } else {
        message.appendNull(from: chunks)
      }
      group.append(UInt64(change.dependencies.count))
      for dependency in dependencyRows[change.dependencies] { index.append(Int64(dependency)) }
      extraMetadata.append(
        UInt64(change.extra.count) << 4 | UInt64(ValueType.bytes.code))
      extra.append(from: chunks, change.extra.range)
    }
    columns.append(.changeActor, actor.finish())
    columns.append(.changeSequence, sequence.finish())
    columns.append(.changeMaxCounter, maxCounter.finish())
    columns.append(.changeTime, time.finish())
    columns.append(.changeMessage, message.finish(from: chunks))
    columns.append(.dependencyGroup, group.finish())
    columns.append(.dependencyIndex, index.finish())
    columns.append(.extraMetadata, extraMetadata.finish())
    columns.append(.extraData, extra)
  }
}
