import EngineMeasurements
import FolderDocuments
import Foundation
import Testing

@testable import Automerge

/// Inputs of a few bytes that claim more than any machine has (format.md 8.3).
@Suite struct LimitTests {
  private static let small = ForgedChange(.set("a", .signed(1)))

  private static func column(_ number: UInt64, _ runs: ForgedColumn.Run...) -> [UInt8] {
    small.bent { $0.columns[number] = ForgedColumn.runs(runs) }
  }

  private static func document(_ bend: (inout ForgedDocument) -> Void) -> [UInt8] {
    var document = ForgedDocument([small])
    bend(&document)
    return document.bytes
  }

  /// A change body that begins with the given bytes.
  private static func body(_ parts: [UInt8]...) -> [UInt8] {
    ForgedChunk(type: 1, body: Array(parts.joined())).bytes
  }

  static let bombs: [(claim: String, bytes: [UInt8])] = [
    ("2^60 actions", column(66, .repeated(1 << 60, [1]))),
    ("2^64 - 1 null actions", column(66, .nulls(.max))),
    ("2^63 literal actions", column(66, .raw(ForgedNumber.sleb(.min)))),
    ("2^60 keys", column(21, .repeated(1 << 60, [1, 0x61]))),
    ("2^60 value descriptions", column(86, .repeated(1 << 60, [0x14]))),
    ("2^62 inserts", small.bent { $0.columns[52] = ForgedNumber.uleb(1 << 62) }),
    (
      "2^40 predecessors",
      small.bent {
        $0.columns[112] = ForgedColumn.unsigned([1 << 40])
        $0.columns[113] = ForgedColumn.runs([.repeated(1 << 40, [0])])
        $0.columns[115] = ForgedColumn.runs([.repeated(1 << 40, [0])])
      }
    ),
    (
      "2^26 operations with 2^26 predecessors each",
      small.bent {
        $0.columns[66] = ForgedColumn.runs([.repeated(1 << 26, [1])])
        $0.columns[112] = ForgedColumn.runs([.repeated(1 << 26, ForgedNumber.uleb(1 << 26))])
      }
    ),
    (
      "2^60 changes",
      document { $0.changeColumns[1] = ForgedColumn.runs([.repeated(1 << 60, [0])]) }
    ),
    (
      "2^31 changes in every column",
      document {
        for column: UInt64 in [1, 3, 19, 35, 64, 86] {
          $0.changeColumns[column] = ForgedColumn.runs(
            [.repeated(1 << 31, column == 86 ? [7] : [0])])
        }
      }
    ),
    (
      "2^40 dependencies",
      document {
        $0.changeColumns[64] = ForgedColumn.unsigned([1 << 40])
        $0.changeColumns[67] = ForgedColumn.runs([.repeated(1 << 40, [0])])
      }
    ),
    (
      "2^40 successors",
      document {
        $0.operationColumns[128] = ForgedColumn.unsigned([1 << 40])
        $0.operationColumns[129] = ForgedColumn.runs([.repeated(1 << 40, [0])])
        $0.operationColumns[131] = ForgedColumn.runs([.repeated(1 << 40, [1])])
      }
    ),
    (
      "2^50 rows",
      document {
        for number: UInt64 in [21, 33, 35, 66, 86, 128] {
          $0.operationColumns[number] = ForgedColumn.runs(
            [.repeated(1 << 50, number == 21 ? [1, 0x61] : number == 35 ? [1] : [0])])
        }
        $0.operationColumns[52] = ForgedNumber.uleb(1 << 50)
      }
    ),
    (
      "a greatest counter of 4,000,000,000",
      document { $0.changeColumns[19] = ForgedColumn.delta([4_000_000_000]) }
    ),
    (
      "a greatest counter of 4,000,000,000 and as many rows",
      document {
        $0.changeColumns[19] = ForgedColumn.delta([4_000_000_000])
        for number: UInt64 in [21, 33, 35, 66, 86, 128] {
          $0.operationColumns[number] = ForgedColumn.runs(
            [.repeated(4_000_000_000, number == 21 ? [1, 0x61] : number == 35 ? [1] : [0])])
        }
        $0.operationColumns[52] = ForgedNumber.uleb(4_000_000_000)
        $0.operationColumns[87] = nil
      }
    ),
    ("2^62 dependencies of a change", body(ForgedNumber.uleb(1 << 62))),
    ("an actor of 2^63 bytes", body([0], ForgedNumber.uleb(1 << 63))),
    (
      "a message of 2^63 bytes",
      body([0, 1, 1, 1, 1, 0], ForgedNumber.uleb(1 << 63))
    ),
    ("2^64 - 1 other actors", body([0, 1, 1, 1, 1, 0, 0], ForgedNumber.uleb(.max))),
    ("2^64 - 1 columns", body([0, 1, 1, 1, 1, 0, 0, 0], ForgedNumber.uleb(.max))),
    ("a column of 2^64 - 1 bytes", small.bent { $0.columns.claim(.max, for: 87) }),
    (
      "columns whose lengths overflow together",
      small.bent {
        $0.columns.claim(1 << 63, for: 86)
        $0.columns.claim(1 << 63, for: 87)
      }
    ),
    ("2^64 - 1 actors", ForgedChunk(type: 0, body: ForgedNumber.uleb(.max)).bytes),
    ("2^59 heads", ForgedChunk(type: 0, body: [0] + ForgedNumber.uleb(1 << 59)).bytes),
    (
      "an actor of 2,000 bytes",
      ForgedChunk(type: 0, body: [1] + ForgedNumber.prefixed([UInt8](repeating: 7, count: 2_000)))
        .bytes
    ),
  ]

  @Test(arguments: bombs.indices)
  func `a claim beyond the input is refused`(index: Int) {
    let (claim, bytes) = Self.bombs[index]
    // Of this thread: others have the processor, too.
    let seconds = ThreadTime.seconds {
      #expect(throws: FormatError.self, "\(claim)") { _ = try DocumentState(loading: bytes) }
    }
    #expect(seconds < 5, "\(claim)")
  }

  #if os(Linux)
    /// Half a GiB of address space beyond what the process has at the start is enough for all of
    /// them; the kernel refuses more, and the process does not survive that.
    @Test func `claims beyond the input cost little memory`() async {
      await #expect(processExitsWith: .success) {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
          .split(separator: " ")[0]
        let bound = rlim_t(pages).map { $0 * rlim_t(sysconf(Int32(_SC_PAGESIZE))) + 512 << 20 }
        var limit = rlimit(rlim_cur: try #require(bound), rlim_max: try #require(bound))
        // SAFETY: the call reads the local it is given and keeps nothing.
        let status = unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        try #require(status == 0)
        for bomb in LimitTests.bombs {
          #expect(throws: FormatError.self, "\(bomb.claim)") {
            _ = try DocumentState(loading: bomb.bytes)
          }
        }
      }
    }
  #endif

  @Test func `compressed data may not grow past the limit`() throws {
    var limits = LoadLimits.standard
    limits.inflatedByteCount = 1 << 20
    let bomb = ForgedDeflate.bomb(of: 0, count: 1 << 22)
    #expect(bomb.count < 30_000)

    var inColumn = ForgedDocument([Self.small])
    inColumn.operationColumns.deflate(21, to: bomb)
    let change = Self.small.chunk
    for bytes in [inColumn.bytes, change.compressed(as: bomb)] {
      let error = #expect(throws: FormatError.self) {
        _ = try DocumentState(loading: bytes, limits: limits)
      }
      guard case .limitExceeded(.inflatedByteCount, _) = error?.fact else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test func `all compressed parts of an input share one limit`() throws {
    var limits = LoadLimits.standard
    limits.inflatedByteCount = 3_000
    var change = Self.small
    change.extra = [UInt8](repeating: 1, count: 1_000)
    var files: [UInt8] = []
    for index in 0..<4 {
      var next = change
      next.author = [UInt8(index)]
      files += next.chunk.compressed(as: ForgedDeflate.stored(next.chunk.body))
      let state = try? DocumentState(loading: files, limits: limits)
      #expect((state != nil) == (index < 2))
    }
  }

  @Test func `all changes of an input share one limit of operations`() throws {
    var limits = LoadLimits.standard
    limits.operationCount = 2_500
    var file: [UInt8] = []
    for index in 0..<4 {
      var change = Self.small
      change.author = [UInt8(index)]
      file += change.bent {
        for number: UInt64 in [21, 66, 86, 112] {
          let item: [UInt8] = number == 21 ? [1, 0x61] : number == 66 ? [1] : [0]
          $0.columns[number] = ForgedColumn.runs([.repeated(1_000, item)])
        }
        $0.columns[52] = ForgedNumber.uleb(1_000)
        $0.columns[87] = nil
      }
      let state = try? DocumentState(loading: file, limits: limits)
      #expect((state != nil) == (index < 2))
    }
  }

  /// A change of as many sets of one key, in as few bytes as run lengths take.
  private static func sets(_ count: Int64, key: [UInt8] = [0x61], author: UInt8 = 1) -> [UInt8] {
    var change = small
    change.author = [author]
    return change.bent {
      for number: UInt64 in [21, 66, 86, 112] {
        let item: [UInt8] =
          number == 21 ? ForgedNumber.prefixed(key) : number == 66 ? [1] : [0]
        $0.columns[number] = ForgedColumn.runs([.repeated(count, item)])
      }
      $0.columns[52] = ForgedNumber.uleb(UInt64(count))
      $0.columns[87] = nil
    }
  }

  @Test func `sixty bytes may stand for a hundred thousand operations but not for two million`()
    throws
  {
    let many = Self.sets(100_000)
    #expect(many.count < 64)
    #expect(try DocumentState(loading: many).operationCount == 100_000)
    let tooMany = Self.sets(2_000_000)
    #expect(tooMany.count < 64)
    let error = #expect(throws: FormatError.self) { _ = try DocumentState(loading: tooMany) }
    guard case .limitExceeded(.operations, let bound) = error?.fact else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(bound >= 1_000_000, "a text of a million letters may be as regular")
  }

  @Test func `what all chunks of a file unfold to is one sum`() throws {
    var limits = LoadLimits.standard
    limits.memoryByteCount = 1 << 20
    let document = try DocumentState(loading: Self.sets(3_000)).encoded()
    #expect((try? DocumentState(loading: document, limits: limits)) != nil)
    var file = document
    for author: UInt8 in 2..<6 {
      file += try DocumentState(loading: Self.sets(3_000, author: author)).encoded()
    }
    #expect(try DocumentState(loading: file).operationCount == 15_000)
    #expect(throws: FormatError.self) { _ = try DocumentState(loading: file, limits: limits) }
  }

  @Test func `a long key counts as often as it is used`() throws {
    var limits = LoadLimits.standard
    limits.memoryByteCount = 1 << 20
    let key = [UInt8](repeating: 0x61, count: 1_000)
    let few = Self.sets(100, key: key)
    let many = Self.sets(1_000, key: key)
    #expect(try DocumentState(loading: few, limits: limits).operationCount == 100)
    let error = #expect(throws: FormatError.self) {
      _ = try DocumentState(loading: many, limits: limits)
    }
    guard case .limitExceeded(.nameByteCount, _) = error?.fact else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a message that many changes share counts in each`() throws {
    var limits = LoadLimits.standard
    limits.memoryByteCount = 1 << 16
    func document(_ count: Int) -> [UInt8] {
      var changes = [Self.small]
      changes[0].message = [UInt8](repeating: 0x61, count: 1_000)
      while changes.count < count {
        var next = changes[changes.count - 1].followed(by: .set("b", .null))
        next.message = changes[0].message
        changes.append(next)
      }
      return ForgedDocument(changes).bytes
    }
    #expect(try DocumentState(loading: document(10), limits: limits).changeCount == 10)
    let error = #expect(throws: FormatError.self) {
      _ = try DocumentState(loading: document(60), limits: limits)
    }
    guard case .limitExceeded(.memoryByteCount, 1 << 16) = error?.fact else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a file that unfolds without end is salvaged in bounded time`() {
    var limits = SalvagedDocument.limits
    limits.baseOperationCount = 5_000
    for bytes in [Self.sets(1 << 40), Self.sets(2_000_000), Self.sets(20_000)] {
      var damaged = bytes
      damaged[5] ^= 0xff
      for bytes in [bytes, damaged, bytes + damaged + bytes] {
        let salvage = SalvagedDocument(salvaging: bytes, labels: [], limits: limits)
        #expect(salvage.state.operationCount <= 10_000)
      }
    }
  }

  @Test func `maps nested without end are read and saved`() throws {
    let depth = 50_000
    var operations = [ForgedOperation.make(.makeMap, "m")]
    for counter in 1..<depth {
      operations.append(
        .make(
          .makeMap, "m",
          in: ForgedOperation.ID(counter: UInt64(counter), actor: ForgedChange.author)))
    }
    let change = ForgedChange(operations: operations)
    let state = try DocumentState(loading: change.bytes)
    let again = try DocumentState(loading: state.encoded())
    #expect(again.heads.map(\.bytes) == [change.hash])
  }

  @Test func `a counter may overflow without stopping the program`() throws {
    let first = ForgedChange(.set("c", .counter(.max)))
    let second = first.followed(
      by: ForgedOperation(.increment, .name("c"), .signed(.max), predecessors: [first.id(0)]),
      ForgedOperation(.increment, .name("c"), .unsigned(.max), predecessors: [first.id(0)]))
    let document = try Document(Data(first.bytes + second.bytes))
    #expect(try document.get(obj: .ROOT, key: "c") != nil)
  }

  @Test func `times at both ends of their range survive a save`() throws {
    var changes = [Self.small]
    changes[0].time = .min
    for time in [Int64.max, 0, .min, -1] {
      var next = changes[changes.count - 1].followed(by: .set("b", .null))
      next.time = time
      changes.append(next)
    }
    let state = try DocumentState(loading: changes.flatMap(\.bytes))
    #expect(try DocumentState(loading: state.encoded()).heads == state.heads)
  }

  @Test func `a thousand repeated dependencies survive a save`() throws {
    var change = Self.small.followed(by: .set("b", .null))
    change.dependencies = [[UInt8]](repeating: Self.small.hash, count: 1_000)
    let state = try DocumentState(loading: Self.small.bytes + change.bytes)
    #expect(try DocumentState(loading: state.encoded()).heads == state.heads)
  }

  /// Work that grows with the square of the input would take minutes of this thread.
  @Test func `long chains and wide conflicts take linear time`() throws {
    #expect(try ThreadTime.seconds { try loadChainsAndConflicts() } < 60)
  }

  private func loadChainsAndConflicts() throws {
    let count = 20_000
    var chain: [ForgedOperation] = []
    for index in 0..<count {
      chain.append(
        .set(
          "k", .unsigned(UInt64(index)),
          predecessors: index == 0
            ? [] : [ForgedOperation.ID(counter: UInt64(index), actor: ForgedChange.author)]))
    }
    let overwritten = ForgedChange(operations: chain)
    let state = try DocumentState(loading: overwritten.bytes)
    #expect(try DocumentState(loading: state.encoded()).heads == state.heads)

    var conflict: [UInt8] = []
    for index in 0..<2_000 {
      var change = Self.small
      change.author = [UInt8(index >> 8), UInt8(index & 255)]
      conflict += change.bytes
    }
    #expect(try DocumentState(loading: conflict).heads.count == 2_000)

    let list = ForgedChange(.make(.makeList, "l"))
    var inserts: [UInt8] = list.bytes
    for index in 0..<2_000 {
      inserts +=
        list.followed(
          by: [UInt8(255 - index >> 8), UInt8(255 - index & 255)],
          .insert(.unsigned(UInt64(index)), in: list.id(0))
        ).bytes
    }
    #expect(try DocumentState(loading: inserts).changeCount == 2_001)
  }
}
