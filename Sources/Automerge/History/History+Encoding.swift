extension History {
  /// Appends the change columns of a document, in the order of application (format.md 4.2).
  ///
  /// - Parameter ranks: the number to write for each actor.
  func encode(into columns: inout ColumnWriter, ranks: [UInt32]) {
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
      actor.append(UInt64(ranks[Int(change.actor)]))
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
    actor.finish(.changeActor, into: &columns)
    sequence.finish(.changeSequence, into: &columns)
    maxCounter.finish(.changeMaxCounter, into: &columns)
    time.finish(.changeTime, into: &columns)
    message.finish(.changeMessage, from: chunks, into: &columns)
    group.finish(.dependencyGroup, into: &columns)
    index.finish(.dependencyIndex, into: &columns)
    extraMetadata.finish(.extraMetadata, into: &columns)
    columns.append(.extraData, extra)
  }
}
