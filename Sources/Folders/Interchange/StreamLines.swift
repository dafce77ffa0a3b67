package import SafeFiles

/// Cuts a stream of bytes into lines with bounded memory.
package struct StreamLines {
  /// What messages call the stream.
  let name: String
  /// The longest line that is read.
  let longestLine: Int
  /// The number of the line that was read last, counted from 1.
  package private(set) var number = 0
  /// The offset of that line in the stream.
  private(set) var offset = 0

  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var unread = 0..<0
  /// The offset behind that line.
  package private(set) var nextOffset = 0
  /// Lines that begin here or behind are not read.
  private var partEnd = Int.max
  /// Where more bytes come from.
  private var source: Source

  /// Returns the next bytes of a stream; none behind the last.
  package typealias Pieces = () throws(FolderError) -> [UInt8]

  private enum Source {
    case file(FileReader)
    /// What is left of a file that others read, too.
    case shared(FileReader, Range<Int>)
    case pieces(Pieces)
    /// All bytes are here.
    case none
  }

  /// Reads from where a file or stream stands.
  package init(_ source: FileReader, longestLine: Int) {
    self.source = .file(source)
    name = source.path
    self.longestLine = longestLine
  }

  /// Reads the lines that begin in a part of a file; several threads may, each a part. Lines are counted
  /// from there.
  ///
  /// - Parameter length: how many bytes the file has.
  package init(
    _ file: FileReader, beginningIn part: Range<Int>, of length: Int, longestLine: Int
  ) throws(FolderError) {
    // Its first line may begin right behind the line feed before it.
    nextOffset = max(0, part.lowerBound - 1)
    source = .shared(file, nextOffset..<length)
    partEnd = part.upperBound
    name = file.path
    self.longestLine = longestLine
    if part.lowerBound > 0 { try skipLine() }
  }

  /// Skips the rest of a line that begins before the part; one that ends behind it is not read on.
  private mutating func skipLine() throws(FolderError) {
    let start = nextOffset
    while nextOffset < partEnd {
      guard nextOffset - start <= longestLine else {
        throw .damagedStream(
          stream: name, line: number, offset: start, .lineTooLong(limit: longestLine))
      }
      if unread.isEmpty { try fill() }
      if unread.isEmpty { return }
      let feed = buffer.span.extracting(unread).position(of: UInt8(ascii: "\n"))
      take(feed.map { $0 + 1 } ?? unread.count)
      if feed != nil { return }
    }
  }

  private mutating func take(_ count: Int) {
    nextOffset += count
    unread = unread.lowerBound + count..<unread.upperBound
  }

  init(_ pieces: @escaping Pieces, name: String, longestLine: Int) {
    source = .pieces(pieces)
    self.name = name
    self.longestLine = longestLine
  }

  init(_ bytes: [UInt8], name: String, longestLine: Int) {
    source = .none
    self.name = name
    self.longestLine = longestLine
    buffer = bytes
    unread = bytes.indices
  }

  /// Puts the next line that is not blank into `line`, without its line feed.
  ///
  /// Returns `false` at the end of the stream.
  package mutating func read(into line: inout [UInt8]) throws(FolderError) -> Bool {
    repeat {
      line.removeAll(keepingCapacity: true)
      guard nextOffset < partEnd else { return false }
      guard try readOne(into: &line) else { return false }
    } while line.allSatisfy { $0 == 0x20 || $0 == 0x0d || $0 == 0x09 }
    return true
  }

  private mutating func readOne(into line: inout [UInt8]) throws(FolderError) -> Bool {
    offset = nextOffset
    number += 1
    while true {
      if unread.isEmpty {
        try fill()
        if unread.isEmpty { return !line.isEmpty }
      }
      let end = buffer.span.extracting(unread).position(of: UInt8(ascii: "\n"))
        .map { unread.lowerBound + $0 }
      let part = unread.lowerBound..<(end ?? unread.upperBound)
      guard line.count + part.count <= longestLine else {
        throw .damagedStream(
          stream: name, line: number, offset: offset,
          .lineTooLong(limit: longestLine))
      }
      line.append(contentsOf: buffer[part])
      take(part.count + (end == nil ? 0 : 1))
      if end != nil { return true }
    }
  }

  private mutating func fill() throws(FolderError) {
    switch source {
    case .none: return
    case .pieces(let next): buffer = try next()
    case .shared(let file, let left):
      // Little of what only other parts need.
      let next = left.prefix(min(1 << 16, max(partEnd - left.lowerBound, 1 << 12)))
      do throws(FileError) { try file.read(next, into: &buffer) } catch { throw .file(error) }
      source = .shared(file, next.upperBound..<left.upperBound)
    case .file(let file):
      do {
        unread = 0..<(try file.readSome(into: &buffer, at: 0..<buffer.count))
      } catch {
        throw .file(error)
      }
      return
    }
    unread = buffer.indices
  }
}
