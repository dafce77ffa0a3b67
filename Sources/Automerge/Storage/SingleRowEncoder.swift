extension Operation {
  /// Whether the operation replaces nothing and marks nothing, so that each of its columns holds one
  /// item or none.
  @inline(__always)
  var isPlain: Bool { relatedCount == 0 && flags.isDisjoint(with: [.expand, .markName]) }
}

/// Writes the columns of a change of one plain operation: a run of one literal each (format.md 2.3).
struct SingleRowEncoder: Sendable {
  private var data: [UInt8] = []

  init() {}

  /// Appends the layout of the columns and their data.
  mutating func encode(
    _ operation: borrowing Operation, pool: [UInt8], actors: [UInt32], to body: inout [UInt8]
  ) {
    data.removeAll(keepingCapacity: true)
    // A change has fourteen columns at most, so that their number is one byte.
    let columnCount = body.count
    body.append(0)
    if !operation.object.isRoot {
      append(.objectActor, UInt64(actors[operation.object.actor]), to: &body)
      append(.objectCounter, UInt64(operation.object.counter), to: &body)
    }
    if operation.isMapOperation {
      let start = data.count
      data.append(Self.oneLiteral)
      data.appendULEB(Int(operation.name.count))
      data.append(from: pool, operation.name.range)
      describe(.keyString, from: start, to: &body)
    } else {
      if !operation.element.isRoot {
        append(.keyActor, UInt64(actors[operation.element.actor]), to: &body)
      }
      let start = data.count
      data.append(Self.oneLiteral)
      data.appendSLEB(operation.element.isRoot ? 0 : Int64(operation.element.counter))
      describe(.keyCounter, from: start, to: &body)
    }
    let start = data.count
    // How many rows are false, then how many are true.
    if operation.isInsert { data.append(0) }
    data.append(1)
    describe(.insert, from: start, to: &body)
    append(.action, UInt64(operation.action.rawValue), to: &body)
    append(.valueMetadata, operation.valueMetadata, to: &body)
    if operation.value.count > 0 {
      let start = data.count
      data.append(from: pool, operation.value.range)
      describe(.value, from: start, to: &body)
    }
    append(.predecessorGroup, 0, to: &body)
    body[columnCount] = UInt8(truncatingIfNeeded: count)
    count = 0
    body.append(from: data, 0..<data.count)
  }

  /// The length of a run of one literal, -1.
  private static let oneLiteral: UInt8 = 0x7f

  private var count = 0

  private mutating func append(_ spec: ColumnSpec, _ item: UInt64, to body: inout [UInt8]) {
    let start = data.count
    data.append(Self.oneLiteral)
    data.appendULEB(item)
    describe(spec, from: start, to: &body)
  }

  private mutating func describe(_ spec: ColumnSpec, from start: Int, to body: inout [UInt8]) {
    count += 1
    body.appendULEB(UInt64(spec.raw))
    body.appendULEB(data.count - start)
  }
}
