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
  private var nextOffset = 0
  /// Lines that begin here or behind are not read.
  private var end = Int.max
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
  /// from that part on.
  ///
  /// - Parameter length: how many bytes the file has.
  package init(
    _ file: FileReader, beginningIn part: Range<Int>, of length: Int, longestLine: Int
  ) throws(FolderError) {
    // The line that the part begins in ends with the line feed before its first line, at the nearest.
    nextOffset = max(0, part.lowerBound - 1)
    source = .shared(file, nextOffset..<length)
    end = part.upperBound
    name = file.path
    self.longestLine = longestLine
    guard part.lowerBound > 0 else { return }
    var before: [UInt8] = []
    _ = try readOne(into: &before)
    number = 0
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
      guard nextOffset < end else { return false }
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
      let consumed = part.count + (end == nil ? 0 : 1)
      nextOffset += consumed
      unread = unread.lowerBound + consumed..<unread.upperBound
      if end != nil { return true }
    }
  }

  private mutating func fill() throws(FolderError) {
    switch source {
    case .none: return
    case .pieces(let next): buffer = try next()
    case .shared(let file, let left):
      let next = left.prefix(1 << 16)
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
