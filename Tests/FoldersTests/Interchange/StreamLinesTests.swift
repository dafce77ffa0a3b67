import FileFaults
import Foundation
import SafeFiles
import Testing

@testable import Folders

@Suite struct StreamLinesTests {
  private struct Lines {
    let file: FileReader
    let text: [UInt8]
    private let folder: TestFolder

    init(_ text: [UInt8]) throws {
      self.text = text
      folder = try TestFolder()
      let url = folder.url.appending(path: "lines")
      try Data(text).write(to: url)
      file = try FileReader.open(path: url.path)
    }

    func inPart(_ part: Range<Int>, limit: Int = 100_000) throws -> [[UInt8]] {
      var lines = try StreamLines(
        file, beginningIn: part, of: text.count, longestLine: limit)
      var (found, line): ([[UInt8]], [UInt8]) = ([], [])
      while try lines.read(into: &line) {
        found.append(line)
        #expect(lines.number > 0 && part.contains(lines.offset))
      }
      return found
    }

    func inParts(of size: Int) throws -> [[UInt8]] {
      try stride(from: 0, to: text.count, by: size).flatMap {
        try inPart($0..<min($0 + size, text.count))
      }
    }

    /// What stands between line feeds and is no white space.
    var expected: [[UInt8]] {
      text.split(separator: UInt8(ascii: "\n"))
        .filter { !$0.allSatisfy { $0 == 0x20 || $0 == 0x0d } }.map(Array.init)
    }
  }

  /// Lines of up to so many bytes: many are empty, some have white space alone, the last has no line feed
  /// now and then.
  private static func text(
    _ random: inout TestRandom, of byteCount: Int, longest: Int
  ) -> [UInt8] {
    var text: [UInt8] = []
    while text.count < byteCount {
      let count = random.isOne(in: 3) ? 0 : random.number(below: longest)
      text += (0..<count).map { _ in random.isOne(in: 4) ? 0x20 : 0x61 }
      if random.isOne(in: 4) { text.append(0x0d) }
      text.append(UInt8(ascii: "\n"))
    }
    if random.isOne(in: 2) { text.removeLast() }
    return text
  }

  @Test(arguments: 0..<20)
  func `parts of a file have each of its lines once, in order`(seed: Int) throws {
    var random = TestRandom(seed: UInt64(seed))
    let lines = try Lines(Self.text(&random, of: 300, longest: 60))
    for size in 1...lines.text.count {
      #expect(try lines.inParts(of: size) == lines.expected, "seed \(seed), parts of \(size)")
    }
  }

  @Test(arguments: [4_095, 4_097, 65_535, 65_536, 65_537, 70_000, 1 << 17, 1 << 18])
  func `parts that are read in pieces have them, too`(size: Int) throws {
    var random = TestRandom(seed: UInt64(size))
    for longest in [100, 30_000, 90_000] {
      let lines = try Lines(Self.text(&random, of: 300_000, longest: longest))
      #expect(try lines.inParts(of: size) == lines.expected, "lines of \(longest)")
    }
  }

  @Test func `a line that is too long is told by the part it begins in, and by no other`() throws {
    let long = [UInt8](repeating: 0x61, count: 50)
    let lines = try Lines(Array("short\n".utf8) + long + Array("\nend".utf8))
    #expect(try lines.inPart(0..<6, limit: 20) == [Array("short".utf8)])
    #expect(throws: FolderError.self) { try lines.inPart(6..<7, limit: 20) }
    #expect(try lines.inPart(7..<56, limit: 20) == [])
    #expect(try lines.inPart(20..<60, limit: 20) == [Array("end".utf8)])
  }

  @Test func `a part inside of a line reads of it what lies in the part`() throws {
    let lines = try Lines([UInt8](repeating: 0x61, count: 1_000_000) + [UInt8(ascii: "\n")])
    let gone = try StreamLines(
      lines.file, beginningIn: 1_000..<2_000, of: lines.text.count, longestLine: 100)
    #expect(gone.nextOffset < 70_000)
  }
}
