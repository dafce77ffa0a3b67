/// Writes the change columns of a document in their canonical form, one row at a time
/// (format.md 4.2).
struct ChangeRowEncoder {
  private var actor = RunLengthEncoder<UInt64>()
  private var sequence = DeltaEncoder()
  private var maxCounter = DeltaEncoder()
  private var time = DeltaEncoder()
  private var message = RunLengthEncoder<PoolRange>()
  private var group = RunLengthEncoder<UInt64>()
  private var index = DeltaEncoder()
  private var extraMetadata = RunLengthEncoder<UInt64>()
  private var extra: [UInt8] = []

  init() {}

  /// Appends a row.
  ///
  /// - Parameters:
  ///   - actor: the number to write for the author; nil if it is appended later.
  ///   - pool: what `message` and `extra` are ranges of.
  ///   - dependencies: the rows that the change depends on.
  @inline(__always)
  mutating func append(
    actor: UInt32?, sequence: UInt32, maxCounter: UInt32, time: Int64, message: PoolRange?,
    extra: PoolRange, pool: [UInt8], dependencies: ArraySlice<UInt32>
  ) {
    if let actor { append(actor: actor) }
    self.sequence.append(Int64(sequence))
    self.maxCounter.append(Int64(maxCounter))
    self.time.append(time)
    if let message {
      self.message.append(message, from: pool)
    } else {
      self.message.appendNull(from: pool)
    }
    group.append(UInt64(dependencies.count))
    for dependency in dependencies { index.append(Int64(dependency)) }
    extraMetadata.append(UInt64(extra.count) << 4 | UInt64(ValueType.bytes.code))
    self.extra.append(from: pool, extra.range)
  }

  /// Appends the number to write for the author of the next row that has none.
  @inline(__always)
  mutating func append(actor: UInt32) { self.actor.append(UInt64(actor)) }

  /// Completes the columns.
  mutating func finish(pool: [UInt8], into columns: inout ColumnWriter) {
    actor.finish(.changeActor, into: &columns)
    sequence.finish(.changeSequence, into: &columns)
    maxCounter.finish(.changeMaxCounter, into: &columns)
    time.finish(.changeTime, into: &columns)
    message.finish(.changeMessage, from: pool, into: &columns)
    group.finish(.dependencyGroup, into: &columns)
    index.finish(.dependencyIndex, into: &columns)
    extraMetadata.finish(.extraMetadata, into: &columns)
    columns.append(.extraData, extra)
  }
}
