import FileFaults
import Foundation
import SafeFiles
import Testing

@testable import Folders

@Suite struct StreamLinesTests {
  private static func lines(
    of file: FileReader, _ part: Range<Int>, _ length: Int, limit: Int = 1000
  ) throws -> [[UInt8]] {
    var lines = try StreamLines(file, beginningIn: part, of: length, longestLine: limit)
    var (found, line): ([[UInt8]], [UInt8]) = ([], [])
    while try lines.read(into: &line) {
      found.append(line)
      #expect(lines.number > 0)
    }
    return found
  }

  @Test(arguments: 0..<40)
  func `parts of a file have each of its lines once, in order`(seed: Int) throws {
    var random = TestRandom(seed: UInt64(seed))
    var text: [UInt8] = []
    while text.count < 300 {
      // Many lines are empty, some long; some have no letter but white space.
      let count = random.isOne(in: 3) ? 0 : random.number(below: 60)
      text += (0..<count).map { _ in random.isOne(in: 4) ? 0x20 : 0x61 }
      text.append(UInt8(ascii: "\n"))
    }
    if random.isOne(in: 2) { text.removeLast() }
    let folder = try TestFolder()
    let url = folder.url.appending(path: "lines")
    try Data(text).write(to: url)
    let file = try FileReader.open(path: url.path)
    let whole = try Self.lines(of: file, 0..<text.count, text.count)
    let written = text.split(separator: UInt8(ascii: "\n"))
    #expect(whole == written.filter { !$0.allSatisfy { $0 == 0x20 } }.map(Array.init))
    for size in 1...text.count {
      var found: [[UInt8]] = []
      for start in stride(from: 0, to: text.count, by: size) {
        found += try Self.lines(
          of: file, start..<min(start + size, text.count), text.count)
      }
      #expect(found == whole, "seed \(seed), parts of \(size)")
    }
  }

  @Test func `a line that is too long is told by each part that reads of it`() throws {
    let long = String(repeating: "a", count: 50)
    let folder = try TestFolder(["lines": "short\n\(long)\nend"])
    let file = try FileReader.open(path: folder.url.appending(path: "lines").path)
    #expect(try Self.lines(of: file, 0..<6, 60, limit: 20) == [Array("short".utf8)])
    for part in [6..<7, 20..<60] {
      #expect(throws: FolderError.self) { try Self.lines(of: file, part, 60, limit: 20) }
    }
  }
}
