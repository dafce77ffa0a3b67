import FileFaults
import Testing

@testable import SafeFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct KeptFilesTests {
  /// Files of many lengths, an empty one among them, in three parts.
  private static let contents = (0..<90).map { number in
    [UInt8](repeating: UInt8(number), count: number * 131 % 4_001)
  }

  private static func state(_ number: Int, in place: TestPlace) throws -> FileState {
    try place.open().state(of: #require(FileName("f\(number % 3)")))
  }

  private static func kept(
    in directory: String, operations: any FileOperations = SystemFileOperations(),
    _ place: TestPlace
  ) throws -> KeptFiles {
    for number in 0..<3 { try place.write(String(repeating: "x", count: number), to: "f\(number)") }
    let collector = KeptFiles.Collector(in: directory, operations: operations)
    var parts: [KeptFiles.Part] = []
    for start in stride(from: 0, to: contents.count, by: 30) {
      var part = KeptFiles.Part()
      for number in start..<start + 30 {
        part.add(2 * number, contents[number], try state(number, in: place))
      }
      part.handOver(to: collector)
      parts.append(part)
    }
    return collector.files(parts)
  }

  @Test func `content and state come back, in any order`() throws {
    let place = try TestPlace()
    let kept = try Self.kept(in: place.path, place)
    var buffer: [UInt8] = [1, 2, 3]
    for number in Self.contents.indices.reversed() {
      let state = kept.read(2 * number, into: &buffer)
      #expect(state == (try Self.state(number, in: place)))
      #expect(buffer == Self.contents[number])
    }
    // Files without a name are all that was made.
    #expect(try place.names() == ["f0", "f1", "f2"])
  }

  @Test func `what was not kept is nothing`() throws {
    let place = try TestPlace()
    let kept = try Self.kept(in: place.path, place)
    var buffer: [UInt8] = []
    #expect(kept.read(1, into: &buffer) == nil)
    #expect(kept.read(2 * Self.contents.count, into: &buffer) == nil)
    var part = KeptFiles.Part()
    part.add(0, [UInt8](repeating: 0, count: 2 << 20), try Self.state(0, in: place))
    let collector = KeptFiles.Collector(in: place.path, operations: SystemFileOperations())
    part.handOver(to: collector)
    #expect(collector.files([part]).read(0, into: &buffer) == nil)
  }

  /// More than is in memory, so that a file is made.
  @Test(arguments: 1...4) func `a full disk keeps nothing from being read elsewhere`(
    call: Int
  ) throws {
    let place = try TestPlace()
    try place.write("x", to: "f")
    let state = try place.open().state(of: "f")
    let collector = KeptFiles.Collector(
      in: place.path, operations: FaultPlan(atCall: call, .failure(ENOSPC)))
    let content = [UInt8](repeating: 7, count: 700_000)
    let parts = (0..<4).map { number in
      var part = KeptFiles.Part()
      part.add(number, content, state)
      part.handOver(to: collector)
      return part
    }
    let kept = collector.files(parts)
    var buffer: [UInt8] = []
    for number in 0..<4 where kept.read(number, into: &buffer) != nil { #expect(buffer == content) }
    // What came after the failure is not kept.
    #expect(kept.read(3, into: &buffer) == nil)
  }
}
