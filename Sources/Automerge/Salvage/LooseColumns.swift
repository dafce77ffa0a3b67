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
