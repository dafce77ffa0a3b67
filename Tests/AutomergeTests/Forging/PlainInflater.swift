/// Raw DEFLATE (RFC 1951) read bit by bit: slow, short and independent of zlib.
///
/// The golden documents were deflated by another library than ours, so bytes are compared after
/// inflation, and the inflater must not be the engine's own.
struct PlainInflater {
  struct Malformed: Error {}

  private let input: [UInt8]
  private var bitPosition = 0
  private var output: [UInt8] = []

  static func inflate(_ input: [UInt8]) throws(Malformed) -> [UInt8] {
    var inflater = PlainInflater(input: input)
    return try inflater.run()
  }

  private init(input: [UInt8]) { self.input = input }

  private mutating func run() throws(Malformed) -> [UInt8] {
    var isFinal = false
    while !isFinal {
      isFinal = try bits(1) == 1
      switch try bits(2) {
      case 0: try storedBlock()
      case 1: try compressedBlock(literals: Self.fixedLiterals, distances: Self.fixedDistances)
      case 2: try dynamicBlock()
      default: throw Malformed()
      }
    }
    return output
  }

  private mutating func bits(_ count: Int) throws(Malformed) -> Int {
    var value = 0
    for index in 0..<count {
      guard bitPosition / 8 < input.count else { throw Malformed() }
      value |= Int(input[bitPosition / 8] >> (bitPosition % 8) & 1) << index
      bitPosition += 1
    }
    return value
  }

  private mutating func storedBlock() throws(Malformed) {
    bitPosition = (bitPosition + 7) / 8 * 8
    let length = try bits(16)
    guard try bits(16) == length ^ 0xffff else { throw Malformed() }
    for _ in 0..<length { output.append(UInt8(try bits(8))) }
  }

  private mutating func dynamicBlock() throws(Malformed) {
    let literalCount = try bits(5) + 257
    let distanceCount = try bits(5) + 1
    let codeCount = try bits(4) + 4
    let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    var codeLengths = [Int](repeating: 0, count: 19)
    for index in 0..<codeCount { codeLengths[order[index]] = try bits(3) }
    let codes = HuffmanCode(lengths: codeLengths)

    var lengths: [Int] = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try decode(codes)
      switch symbol {
      case 16:
        guard let last = lengths.last else { throw Malformed() }
        lengths += [Int](repeating: last, count: 3 + (try bits(2)))
      case 17: lengths += [Int](repeating: 0, count: 3 + (try bits(3)))
      case 18: lengths += [Int](repeating: 0, count: 11 + (try bits(7)))
      default: lengths.append(symbol)
      }
    }
    guard lengths.count == literalCount + distanceCount else { throw Malformed() }
    try compressedBlock(
      literals: HuffmanCode(lengths: Array(lengths.prefix(literalCount))),
      distances: HuffmanCode(lengths: Array(lengths.dropFirst(literalCount))))
  }

  private mutating func compressedBlock(
    literals: HuffmanCode, distances: HuffmanCode
  ) throws(Malformed) {
    while true {
      let symbol = try decode(literals)
      if symbol == 256 { return }
      if symbol < 256 {
        output.append(UInt8(symbol))
        continue
      }
      guard symbol < 286 else { throw Malformed() }
      let length = Self.lengthBase[symbol - 257] + (try bits(Self.lengthExtra[symbol - 257]))
      let code = try decode(distances)
      guard code < 30 else { throw Malformed() }
      let distance = Self.distanceBase[code] + (try bits(Self.distanceExtra[code]))
      guard distance <= output.count else { throw Malformed() }
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }

  private mutating func decode(_ code: HuffmanCode) throws(Malformed) -> Int {
    var value = 0
    var first = 0
    var index = 0
    for length in 1...15 {
      value |= try bits(1)
      let count = code.counts[length]
      if value - first < count { return code.symbols[index + value - first] }
      index += count
      first = (first + count) << 1
      value <<= 1
    }
    throw Malformed()
  }

  private struct HuffmanCode {
    /// How many codes each length has, and the symbols by length, then by number.
    var counts = [Int](repeating: 0, count: 16)
    var symbols: [Int] = []

    init(lengths: [Int]) {
      for length in lengths where length > 0 { counts[length] += 1 }
      for length in 1...15 {
        symbols += lengths.indices.filter { lengths[$0] == length }
      }
    }
  }

  private static let fixedLiterals = HuffmanCode(
    lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
  private static let fixedDistances = HuffmanCode(lengths: [Int](repeating: 5, count: 30))

  private static let lengthBase = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
  ]
  private static let lengthExtra = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBase = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
    2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
  ]
  private static let distanceExtra = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13,
    13,
  ]
}
