#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes that are appended first and then read piece by piece, by any number of threads.
///
/// A few are kept in memory, more in a file without a name, which goes with the process however that
/// ends.
package struct ByteSpool: Sendable {
  /// So many bytes are in memory at most, and one piece.
  package static let standardLimit = 4 << 20
  /// Once there is a file, so many are put there together.
  private static let batchByteCount = 1 << 18

  private let directory: String
  private let operations: any FileOperations
  private let limit: Int
  private var file: NamelessFile?
  /// How many bytes are in the file.
  private var written = 0
  /// What comes behind them.
  private var held: [UInt8] = []

  /// Creates a spool without bytes; nothing is written yet.
  ///
  /// - Parameter directory: where the file is made if there are many bytes, as the user gave it.
  package init(
    in directory: String, operations: any FileOperations, holding limit: Int = standardLimit
  ) {
    self.directory = directory
    self.operations = operations
    self.limit = limit
  }

  /// Appends a piece and returns where it is, for `read(_:into:)`.
  package mutating func append(_ piece: ArraySlice<UInt8>) throws(FileError) -> Range<Int> {
    let start = written + held.count
    held.append(contentsOf: piece)
    if held.count > (file == nil ? limit : min(limit, Self.batchByteCount)) {
      let isFirst = file == nil
      if isFirst { file = try NamelessFile(in: directory, operations: operations) }
      try file?.writer.write(held)
      written += held.count
      held.removeAll(keepingCapacity: !isFirst)
    }
    return start..<start + piece.count
  }

  /// Puts a piece that was appended whole into a buffer, in the place of what is there.
  package func read(_ piece: Range<Int>, into buffer: inout [UInt8]) throws(FileError) {
    buffer.removeAll(keepingCapacity: true)
    if piece.lowerBound >= written {
      let range = piece.lowerBound - written..<piece.upperBound - written
      buffer.append(contentsOf: held[range])
    } else {
      try file?.reader.read(piece, into: &buffer)
    }
  }
}

extension ByteSpool {
  /// Reads pieces of a spool to which nothing is appended any more.
  ///
  /// Those that lie closely behind one another are read from the file together.
  package struct Reader: Sendable {
    private let spool: ByteSpool
    private var window: [UInt8] = []
    /// Where the window begins in the spool, and where the piece ends that was read last.
    private var (start, end) = (0, 0)

    /// So many bytes are read at once.
    private static let windowByteCount = 1 << 16
    /// What is so close behind the last piece is closely behind it.
    private static let widestGap = 1 << 10

    /// Creates a reader.
    package init(_ spool: ByteSpool) { self.spool = spool }

    /// Puts a piece that was appended whole into a buffer, in the place of what is there.
    package mutating func read(
      _ piece: Range<Int>, into buffer: inout [UInt8]
    ) throws(FileError) {
      defer { end = piece.upperBound }
      let isNext =
        piece.lowerBound >= end && piece.lowerBound - end <= Self.widestGap
        && piece.count < Self.windowByteCount
      if !holds(piece), isNext, piece.lowerBound < spool.written {
        start = piece.lowerBound
        let windowEnd = min(spool.written, start + Self.windowByteCount)
        window.removeAll(keepingCapacity: true)
        try spool.file?.reader.read(start..<windowEnd, into: &window)
      }
      guard holds(piece) else { return try spool.read(piece, into: &buffer) }
      buffer.removeAll(keepingCapacity: true)
      buffer.append(contentsOf: window[piece.lowerBound - start..<piece.upperBound - start])
    }

    private func holds(_ piece: Range<Int>) -> Bool {
      piece.lowerBound >= start && piece.upperBound <= start + window.count
    }
  }
}
