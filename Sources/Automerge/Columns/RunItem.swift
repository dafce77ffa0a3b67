/// What a run-length column can repeat.
///
/// Strings live as ranges of a byte pool, so comparing and writing items takes the pool along.
protocol RunItem: Sendable {
  static func areEqual(_ left: Self, _ right: Self, in pool: [UInt8]) -> Bool
  static func append(_ item: Self, from pool: [UInt8], to output: inout [UInt8])
  static func read(_ reader: inout ByteReader) throws(FormatError) -> Self
}

extension UInt64: RunItem {
  @inline(__always)
  static func areEqual(_ left: UInt64, _ right: UInt64, in pool: [UInt8]) -> Bool { left == right }

  @inline(__always)
  static func append(_ item: UInt64, from pool: [UInt8], to output: inout [UInt8]) {
    output.appendULEB(item)
  }

  @inline(__always)
  static func read(_ reader: inout ByteReader) throws(FormatError) -> UInt64 {
    try reader.readULEB()
  }
}

extension Int64: RunItem {
  @inline(__always)
  static func areEqual(_ left: Int64, _ right: Int64, in pool: [UInt8]) -> Bool { left == right }

  @inline(__always)
  static func append(_ item: Int64, from pool: [UInt8], to output: inout [UInt8]) {
    output.appendSLEB(item)
  }

  @inline(__always)
  static func read(_ reader: inout ByteReader) throws(FormatError) -> Int64 {
    try reader.readSLEB()
  }
}
