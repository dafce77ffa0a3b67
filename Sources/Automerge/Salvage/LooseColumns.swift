/// What a column gives for one row when nothing is certain.
enum LooseItem<Value> {
  case value(Value)
  case null
  /// The column broke or ended before this row.
  case lost
}

/// A column of a chunk that does not hold together: from its first defect on, its rows are lost.
struct LooseColumn<Decoder: ColumnDecoder> {
  private var decoder: Decoder?
  private var isLost = false

  /// - Parameter decoder: nil for a column that the table does not have, whose rows are all null.
  init(_ decoder: Decoder?) {
    self.decoder = decoder
  }

  mutating func next() -> LooseItem<Decoder.Item> {
    guard !isLost else { return .lost }
    guard decoder != nil else { return .null }
    do throws(FormatError) {
      guard let item = try decoder?.nextItem() ?? nil else { return .null }
      return .value(item)
    } catch {
      isLost = true
      return .lost
    }
  }
}

extension LooseColumn {
  /// The number of rows before the first defect, counted on a copy.
  func count(limit: Int) -> Int {
    var copy = self
    var count = 0
    while count < limit {
      if case .lost = copy.next() { break }
      count += 1
    }
    return count
  }
}

/// The columns of one table, each as far as its bytes are there.
struct LooseColumns {
  private var readers: [UInt32: ByteReader] = [:]

  /// Splits the data off `reader`; what is cut is shorter, what is deflated inflated up to where it
  /// breaks.
  init(_ layout: ColumnLayout, _ reader: inout ByteReader, budget: inout Int) {
    for (spec, byteCount) in layout.columns {
      // Not more than what remains, so this cannot fail.
      guard let part = try? reader.readPart(min(byteCount, reader.remaining)) else { return }
      guard spec.isDeflated else {
        readers[spec.normalized] = part
        continue
      }
      // An inflater that cannot be set up leaves the column empty.
      let inflated = (try? Compression.inflate(part, budget: &budget, keepsBeginning: true)) ?? []
      readers[spec.normalized] = ByteReader(inflated, standingAt: part.offset)
    }
  }

  subscript(spec: ColumnSpec) -> ByteReader? { readers[spec.raw] }

  func runs<Item>(_ spec: ColumnSpec) -> LooseColumn<RunLengthDecoder<Item>> {
    LooseColumn(self[spec].map { RunLengthDecoder($0, column: spec) })
  }

  func deltas(_ spec: ColumnSpec) -> LooseColumn<DeltaDecoder> {
    LooseColumn(self[spec].map { DeltaDecoder($0, column: spec) })
  }

  func flags(_ spec: ColumnSpec) -> LooseColumn<BooleanDecoder> {
    LooseColumn(self[spec].map { BooleanDecoder($0, column: spec) })
  }
}

/// The actors that the indexes in a chunk's columns stand for.
struct LooseActors {
  private let numbers: [UInt32]
  /// Whether the list of actors is lost, so that indexes are all that is known of them.
  private let isLost: Bool

  init(_ actors: [ActorId], _ loose: inout LooseOperations) {
    numbers = actors.map { loose.intern($0) }
    isLost = false
  }

  /// Stands for a list that cannot be read. In a document actors ascend, and so do these.
  static let lost = LooseActors()

  private init() {
    numbers = []
    isLost = true
  }

  func number(_ index: UInt64, _ loose: inout LooseOperations) -> UInt32? {
    if index < UInt64(numbers.count) { return numbers[Int(index)] }
    guard isLost, index < 1 << 16 else { return nil }
    var bytes: [UInt8] = []
    bytes.appendBigEndian(index)
    return loose.intern(ActorId(bytes: bytes))
  }
}

/// A decoder of a column that can be read for as long as it makes sense.
protocol ColumnDecoder {
  associatedtype Item
  mutating func nextItem() throws(FormatError) -> Item?
}

extension RunLengthDecoder: ColumnDecoder {
  mutating func nextItem() throws(FormatError) -> Item? { try next() }
}

extension DeltaDecoder: ColumnDecoder {
  mutating func nextItem() throws(FormatError) -> Int64? { try next() }
}

extension BooleanDecoder: ColumnDecoder {
  mutating func nextItem() throws(FormatError) -> Bool? { try next() }
}
