/// A column taken apart into the values of its rows, each as the bytes it is written with.
struct ColumnItems {
  struct TooMany: Error {}

  /// What the low bits of a column's specification say about its values.
  enum Kind: Equatable {
    case number, delta, boolean, string, bytes

    init(specification: UInt64) {
      switch specification & 7 {
      case 3: self = .delta
      case 4: self = .boolean
      case 5: self = .string
      case 7: self = .bytes
      default: self = .number
      }
    }
  }

  /// Run lengths can promise any number of rows.
  private static let maxCount = 20_000

  let kind: Kind
  /// Nil for null; of booleans, one byte each.
  var items: [[UInt8]?] = []

  init(_ column: ForgedColumnList.Column) throws {
    kind = Kind(specification: column.specification)
    var reader = PlainReader(column.bytes)
    while !reader.isAtEnd {
      switch kind {
      case .boolean: try append([UInt8(booleanRunCount & 1)], count: try reader.uleb())
      case .bytes: items.append(try reader.take(1))
      case .number, .delta, .string: try appendRun(&reader)
      }
      booleanRunCount += 1
    }
  }

  /// Columns of booleans alternate, beginning with false.
  private var booleanRunCount = 0

  private mutating func appendRun(_ reader: inout PlainReader) throws {
    let count = ForgedNumber.signed(try reader.integerBytes())
    if count == 0 {
      try append(nil, count: try reader.uleb())
    } else if count > 0 {
      try append(try item(&reader), count: Int(clamping: count))
    } else {
      for _ in 0..<count.magnitude { try append(try item(&reader), count: 1) }
    }
  }

  private func item(_ reader: inout PlainReader) throws -> [UInt8] {
    try kind == .string ? reader.prefixed() : reader.integerBytes()
  }

  private mutating func append(_ item: [UInt8]?, count: Int) throws {
    guard count <= Self.maxCount - items.count else { throw TooMany() }
    items.append(contentsOf: repeatElement(item, count: count))
  }

  /// The column put together again in canonical form.
  var bytes: [UInt8] {
    switch kind {
    case .boolean: ForgedColumn.booleans(items.map { $0 == [1] })
    case .bytes: items.flatMap { $0 ?? [] }
    case .number, .delta: ForgedColumn.canonical(items)
    case .string: ForgedColumn.canonical(items.map { $0.map(ForgedNumber.prefixed) })
    }
  }

  // MARK: Values

  var unsigned: [UInt64?] { items.map { $0.map(ForgedNumber.unsigned) } }

  var isTrue: [Bool] { items.map { $0 == [1] } }

  /// The running sums of a column of differences.
  var sums: [Int64?] {
    var sum: Int64 = 0
    return items.map { item in
      guard let item else { return nil }
      sum &+= ForgedNumber.signed(item)
      return sum
    }
  }
}

extension ForgedNumber {
  static func unsigned(_ bytes: [UInt8]) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 7 | UInt64($1 & 0x7f) }
  }

  static func signed(_ bytes: [UInt8]) -> Int64 {
    let isNegative = (bytes.last ?? 0) & 0x40 != 0
    let value = bytes.reversed().reduce(isNegative ? Int64(-1) : 0) {
      $0 << 7 | Int64($1 & 0x7f)
    }
    return value
  }
}
