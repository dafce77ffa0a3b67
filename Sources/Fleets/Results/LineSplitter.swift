/// Bytes that come in pieces, as lines.
struct LineSplitter {
  private var rest: [UInt8] = []
  /// Whether the line at hand is longer than any of ours, and is left out.
  private var isTooLong = false
  /// How many lines were too long.
  private(set) var longLineCount = 0
  private let limit: Int

  /// Creates a splitter that leaves out lines of more than `limit` bytes.
  init(limit: Int) { self.limit = limit }

  /// Takes a piece, and hands over every line that ends in it.
  mutating func take(_ piece: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Void) {
    var piece = piece
    while let end = piece.firstIndex(of: UInt8(ascii: "\n")) {
      keep(piece[..<end])
      if isTooLong { longLineCount += 1 } else if !rest.isEmpty { body(rest[...]) }
      isTooLong = false
      rest.removeAll(keepingCapacity: true)
      piece = piece[(end + 1)...]
    }
    keep(piece)
  }

  /// Whether a line was begun that has no end.
  var isInLine: Bool { isTooLong || !rest.isEmpty }

  private mutating func keep(_ part: ArraySlice<UInt8>) {
    guard !isTooLong, rest.count + part.count <= limit else {
      isTooLong = true
      return rest.removeAll()
    }
    rest.append(contentsOf: part)
  }
}
