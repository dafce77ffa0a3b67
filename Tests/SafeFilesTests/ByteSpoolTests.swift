import FileFaults
import Testing

@testable import SafeFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct ByteSpoolTests {
  private static let pieces = (0..<200).map { number in
    [UInt8](repeating: UInt8(number), count: number * 7 % 301)
  }

  @Test(arguments: [0, 1, 100, 1_000, 1 << 20])
  func `pieces are read back in any order, wherever they are kept`(limit: Int) throws {
    let place = try TestPlace()
    var spool = ByteSpool(
      in: place.path, operations: SystemFileOperations(), holding: limit)
    let ranges = try Self.pieces.map { try spool.append($0[...]) }
    // The file has no name, so nothing can be left behind.
    #expect(try place.names() == [])
    var buffer: [UInt8] = [1, 2, 3]
    for (range, piece) in zip(ranges, Self.pieces).reversed() {
      try spool.read(range, into: &buffer)
      #expect(buffer == piece)
    }
  }

  /// Some behind each other, some not, one longer than what is read at once.
  @Test(arguments: [0, 1_000, 100_000, 1 << 20])
  func `a reader gives the same pieces, in order or not`(limit: Int) throws {
    let place = try TestPlace()
    var spool = ByteSpool(
      in: place.path, operations: SystemFileOperations(), holding: limit)
    let pieces = (0..<5).flatMap { _ in Self.pieces } + [[UInt8](repeating: 7, count: 100_000)]
    let ranges = try (pieces + pieces).map { try spool.append($0[...]) }
    var reader = ByteSpool.Reader(spool)
    var buffer: [UInt8] = [1, 2, 3]
    let inOrder = Array(ranges.indices)
    let everyThird = Array(stride(from: 0, to: ranges.count, by: 3))
    for index in inOrder + inOrder.reversed() + everyThird + inOrder.dropFirst(5) {
      try reader.read(ranges[index], into: &buffer)
      #expect(buffer == pieces[index % pieces.count])
    }
  }

  @Test func `few bytes need no file`() throws {
    var spool = ByteSpool(in: "/nowhere/at/all", operations: SystemFileOperations())
    let range = try spool.append([1, 2, 3])
    var buffer: [UInt8] = []
    try spool.read(range, into: &buffer)
    #expect(buffer == [1, 2, 3])
  }

  @Test func `a place that cannot be written to is an error of that place`() throws {
    var spool = ByteSpool(
      in: "/nowhere/at/all", operations: SystemFileOperations(), holding: 2)
    let error = #expect(throws: FileError.self) { try spool.append([1, 2, 3]) }
    #expect(error == .missing(path: "/nowhere/at/all"))
  }

  @Test(arguments: 1...4) func `a full disk at any call is an error, and leaves no name`(
    call: Int
  ) throws {
    let place = try TestPlace()
    let plan = FaultPlan(atCall: call, .failure(ENOSPC))
    var spool = ByteSpool(in: place.path, operations: plan, holding: 2)
    var failure: FileError?
    do throws(FileError) {
      for _ in 0..<3 { _ = try spool.append([1, 2, 3]) }
    } catch {
      failure = error
    }
    #expect(failure != nil)
    // The call that takes the name away may be the one that fails.
    #expect(try place.names().count == (call == 2 ? 1 : 0))
  }

  @Test func `a file that ends early is told`() throws {
    let place = try TestPlace()
    try place.write("12345", to: "f")
    let reader = try place.open().openForReading("f")
    var buffer: [UInt8] = []
    try reader.read(1..<4, into: &buffer)
    #expect(buffer == Array("234".utf8))
    #expect(throws: FileError.changedWhileRead(path: place.path + "/f")) {
      try reader.read(3..<9, into: &buffer)
    }
  }
}
