import FolderDocuments

/// The column encodings of the format, written without the engine.
///
/// The functions with values give the canonical form; `runs` writes whatever record is asked for.
enum ForgedColumn {
  /// One record of a run-length column.
  enum Run {
    case repeated(Int64, [UInt8])
    case literal([[UInt8]])
    case nulls(UInt64)
    /// Bytes that are put down as they are.
    case raw([UInt8])
  }

  static func runs(_ runs: [Run]) -> [UInt8] {
    runs.flatMap { run -> [UInt8] in
      switch run {
      case .repeated(let count, let item): ForgedNumber.sleb(count) + item
      case .literal(let items): ForgedNumber.sleb(Int64(-items.count)) + items.joined()
      case .nulls(let count): [0] + ForgedNumber.uleb(count)
      case .raw(let bytes): bytes
      }
    }
  }

  /// Returns items in canonical form: maximal groups, single values gathered in literal runs,
  /// nothing at all if every item is null.
  static func canonical(_ items: [[UInt8]?]) -> [UInt8] {
    guard items.contains(where: { $0 != nil }) else { return [] }
    var records: [Run] = []
    var literal: [[UInt8]] = []
    var index = 0
    while index < items.count {
      var end = index
      while end < items.count, items[end] == items[index] { end += 1 }
      if let item = items[index], end == index + 1 {
        literal.append(item)
      } else {
        if !literal.isEmpty { records.append(.literal(literal)) }
        literal = []
        records.append(
          items[index].map { .repeated(Int64(end - index), $0) } ?? .nulls(UInt64(end - index)))
      }
      index = end
    }
    if !literal.isEmpty { records.append(.literal(literal)) }
    return runs(records)
  }

  static func unsigned(_ values: [UInt64?]) -> [UInt8] {
    canonical(values.map { $0.map { ForgedNumber.uleb($0) } })
  }

  static func strings(_ values: [[UInt8]?]) -> [UInt8] {
    canonical(values.map { $0.map(ForgedNumber.prefixed) })
  }

  /// Returns the differences of neighbours; a null neither moves nor resets the sum.
  static func delta(_ values: [Int64?]) -> [UInt8] {
    var last: Int64 = 0
    return canonical(
      values.map { value in
        guard let value else { return nil }
        defer { last = value }
        return ForgedNumber.sleb(value &- last)
      })
  }

  static func booleans(_ values: [Bool]) -> [UInt8] {
    var bytes: [UInt8] = []
    var current = false
    var count: UInt64 = 0
    for value in values {
      if value != current {
        bytes += ForgedNumber.uleb(count)
        current = value
        count = 0
      }
      count += 1
    }
    return count == 0 ? bytes : bytes + ForgedNumber.uleb(count)
  }
}
