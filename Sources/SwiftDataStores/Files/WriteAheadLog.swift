import SafeFiles

/// What a log beside a database holds, read frame by frame:
/// `[4 magic][4 version][4 page size][4 sequence][8 salts][8 checksums]`, then for each frame
/// `[4 page][4 pages of the database, if it ends a transaction][8 salts][8 checksums][page]`, big-endian.
///
/// A frame counts if its salts are those of the header and its checksums continue those before it, and
/// only up to the last one that ends a transaction.
package struct WriteAheadLog: Hashable, Sendable {
  /// What follows the last frame that counts.
  package enum Tail: String, Hashable, Sendable {
    /// Nothing.
    case none
    /// Frames of an earlier round, which a log keeps until it overwrites them.
    case old
    /// The beginning of a transaction, whole frames, without its end.
    case unfinished
    /// A frame that was being written: it is cut off, or its checksums are wrong.
    case torn
  }

  /// How many bytes it has.
  package var byteCount: Int64 = 0
  /// How many frames count: what they hold is newer than the database.
  package var frameCount = 0
  /// How many pages the database has with them; nil if no frame counts.
  package var pageCount: Int?
  /// What follows them.
  package var tail = Tail.none

  /// How many transactions that were ended do not count, because a frame before their end is damaged.
  package var lostSaveCount = 0

  /// Whether there is a log, and none of it counts.
  package var isStale: Bool { byteCount > 0 && frameCount == 0 && lostSaveCount == 0 }

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// A log without a byte, as after everything of it went to the database.
  package init() {}

  /// Reads a log to its end, a frame at a time.
  init(_ file: FileReader) throws(FileError) {
    byteCount = try file.state().size
    var bytes = [UInt8](repeating: 0, count: Self.headerSize)
    guard try file.read(into: &bytes) == Self.headerSize, let header = Header(bytes) else { return }
    let frameSize = Self.frameHeaderSize + header.pageSize
    var frame = [UInt8](repeating: 0, count: frameSize)
    var sums = header.sums
    var count = 0
    while true {
      let length = try file.read(into: &frame)
      if length == 0 { break }
      let isOurs = length >= 16 && frame[8..<16] == header.salts[...]
      guard length == frameSize else {
        tail = isOurs ? .torn : count > frameCount ? .unfinished : .old
        return
      }
      guard isOurs else {
        tail = count > frameCount ? .unfinished : .old
        try countLostSaves(in: file, behind: frame, header)
        return
      }
      sums.add(frame[0..<8], header)
      sums.add(frame[Self.frameHeaderSize...], header)
      guard sums.first == number(frame[...], 16), sums.second == number(frame[...], 20),
        number(frame[...], 0) > 0
      else {
        tail = .torn
        try countLostSaves(in: file, behind: frame, header)
        return
      }
      count += 1
      let pages = number(frame[...], 4)
      if pages > 0 { (frameCount, pageCount) = (count, Int(pages)) }
    }
    if count > frameCount { tail = .unfinished }
  }

  /// Reads on behind the first frame that does not count. One of this round that ends a transaction, with
  /// others behind it, was written whole once: a program that stops leaves none of them behind what it was
  /// writing, and those of an earlier round have other salts.
  private mutating func countLostSaves(
    in file: FileReader, behind damaged: [UInt8], _ header: Header
  ) throws(FileError) {
    var frame = damaged
    var count = 0
    while try file.read(into: &frame) == frame.count {
      if frame.endsTransaction(of: header.salts) { count += 1 }
    }
    guard count > 0 else { return }
    lostSaveCount = count + (damaged.endsTransaction(of: header.salts) ? 1 : 0)
    tail = .torn
  }

  /// What a log begins with; nil for what SQLite takes nothing of.
  private struct Header {
    let pageSize: Int
    let salts: [UInt8]
    /// Whether checksums are of numbers with the highest byte first.
    let isBigEndian: Bool
    var sums = Sums()

    init?(_ bytes: [UInt8]) {
      let magic = number(bytes[...], 0)
      guard magic & ~1 == 0x377f_0682, number(bytes[...], 4) == 3_007_000 else { return nil }
      isBigEndian = magic & 1 == 1
      pageSize = Int(number(bytes[...], 8))
      guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return nil }
      salts = Array(bytes[16..<24])
      sums.add(bytes[0..<24], self)
      guard sums.first == number(bytes[...], 24), sums.second == number(bytes[...], 28) else {
        return nil
      }
    }
  }

  /// The two running sums over everything up to a place.
  private struct Sums {
    var first: UInt32 = 0
    var second: UInt32 = 0

    /// Adds pairs of numbers; wraps, as the format says.
    mutating func add(_ bytes: ArraySlice<UInt8>, _ header: Header) {
      var position = bytes.startIndex
      while position + 8 <= bytes.endIndex {
        var (one, two) = (number(bytes, position), number(bytes, position + 4))
        if !header.isBigEndian { (one, two) = (one.byteSwapped, two.byteSwapped) }
        first = first &+ one &+ second
        second = second &+ two &+ first
        position += 8
      }
    }
  }
}

/// Returns the big-endian number of four bytes.
private func number(_ bytes: ArraySlice<UInt8>, _ position: Int) -> UInt32 {
  UInt32(bytes[position]) << 24 | UInt32(bytes[position + 1]) << 16
    | UInt32(bytes[position + 2]) << 8 | UInt32(bytes[position + 3])
}

extension [UInt8] {
  /// Whether a frame is one of a round, and the last of a transaction.
  fileprivate func endsTransaction(of salts: [UInt8]) -> Bool {
    self[8..<16] == salts[...] && number(self[...], 4) > 0
  }
}
