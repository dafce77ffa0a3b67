@testable import Automerge
import Testing

/// Change chunks with a valid checksum and one thing wrong inside.
@Suite struct ChangeRejectionTests {
  @Test(arguments: fields) func `a wrong field is refused`(_ rejection: Rejection) {
    rejection.check()
  }

  @Test(arguments: metadata) func `wrong column metadata is refused`(_ rejection: Rejection) {
    rejection.check()
  }

  @Test(arguments: rows) func `a wrong row is refused`(_ rejection: Rejection) {
    rejection.check()
  }

  @Test(arguments: values) func `a wrong value is refused`(_ rejection: Rejection) {
    rejection.check()
  }

  /// Returns the first sample change with its parts bent.
  static func bent(_ bend: (inout ForgedChange.Parts) -> Void) -> [UInt8] {
    var parts = SampleHistory.first.parts
    bend(&parts)
    return parts.bytes
  }

  static func column(_ number: UInt64, _ bytes: [UInt8]?) -> [UInt8] {
    bent { $0.columns[number] = bytes }
  }

  static let fields: [Rejection] = [
    Rejection(
      "overlong sequence number", .overlongInteger,
      bent { $0.sequence = ForgedNumber.uleb(1, padding: 1) }),
    Rejection(
      "overlong start counter", .overlongInteger,
      bent { $0.startCounter = ForgedNumber.uleb(1, padding: 3) }),
    Rejection(
      "overlong time", .overlongInteger, bent { $0.time = ForgedNumber.sleb(5, padding: 1) }),
    Rejection(
      "overlong negative time", .overlongInteger,
      bent { $0.time = ForgedNumber.sleb(-1, padding: 1) }),
    Rejection(
      "time over 64 bits", .integerTooLarge,
      bent { $0.time = [UInt8](repeating: 0x80, count: 9) + [0x01] }),
    Rejection(
      "sequence number over 64 bits", .integerTooLarge,
      bent { $0.sequence = [UInt8](repeating: 0xff, count: 9) + [0x7f] }),
    Rejection("sequence number 0", .sequenceZero, bent { $0.sequence = [0] }),
    Rejection("start counter 0", .startCounterZero, bent { $0.startCounter = [0] }),
    Rejection(
      "start counter 2^32", .integerTooLarge,
      bent { $0.startCounter = ForgedNumber.uleb(1 << 32) }),
    Rejection(
      "counters that run past 2^32", .counterOutOfRange,
      bent { $0.startCounter = ForgedNumber.uleb(1 << 32 - 2) }),
    Rejection(
      "message that is not UTF-8", .invalidUTF8, bent { $0.message = [0x61, 0xff] }),
    Rejection(
      "message with a surrogate", .invalidUTF8, bent { $0.message = [0xed, 0xa0, 0x80] }),
    Rejection(
      "unused other actor", .unusedActor, bent { $0.otherActors = [SampleHistory.otherAuthor] }),
    Rejection(
      "the author among the other actors", .actorsNotAscending,
      bent { $0.otherActors = [ForgedChange.author] }),
  ]

  static let metadata: [Rejection] = [
    Rejection(
      "columns out of order", .columnsOutOfOrder, bent { $0.columns.columns.swapAt(0, 1) }),
    Rejection(
      "column twice", .duplicateColumn(66),
      bent { parts in
        let index = parts.columns.columns.firstIndex { $0.specification == 66 } ?? 0
        parts.columns.columns.insert(parts.columns.columns[index], at: index)
      }),
    Rejection(
      "group twice", .duplicateColumn(112),
      bent { parts in
        let index = parts.columns.columns.firstIndex { $0.specification == 112 } ?? 0
        parts.columns.columns.insert(parts.columns.columns[index], at: index)
      }),
    Rejection(
      "value column without its metadata", .strayValueColumn(87), column(86, nil)),
    Rejection(
      "value column behind the metadata of another id", .strayValueColumn(103),
      bent { parts in
        parts.columns.columns.removeAll { $0.specification == 87 }
        parts.columns[103] = [1]
      }),
    Rejection(
      "compressed column", .deflatedColumnInChange(29),
      bent { $0.columns.deflate(21, to: ForgedDeflate.stored($0.columns[21] ?? [])) }),
    Rejection(
      "column specification over 32 bits", .integerTooLarge,
      bent { parts in
        parts.columns.columns.append(
          ForgedColumnList.Column(specification: 1 << 32, bytes: [1]))
      }),
    Rejection("unknown column", .unknownColumn(198), column(198, [0x7f, 0x00])),
    Rejection(
      "column longer than the change", .truncated(missing: 5),
      bent { parts in
        let length = parts.columns[165]?.count ?? 0
        parts.columns.claim(UInt64(length) + 5, for: 165)
      }),
    Rejection(
      "empty column that is listed", .notCanonical,
      bent { parts in
        parts.columns.columns.removeAll { $0.specification == 148 }
        parts.columns[148] = []
      }),
    Rejection("missing insert column", .missingColumn(52), column(52, nil)),
    Rejection(
      "missing value metadata", .missingColumn(86),
      bent { parts in
        parts.columns[86] = nil
        parts.columns[87] = nil
      }),
    Rejection("missing predecessor group", .missingColumn(112), column(112, nil)),
  ]

  static let rows: [Rejection] = {
    let count = UInt64(SampleHistory.first.operations.count)
    let actions: [UInt64?] = SampleHistory.first.operations.map(\.action)
    let metadata: [UInt64?] = SampleHistory.first.operations.map(\.value.metadata)
    func replacing(_ index: Int, _ action: UInt64?) -> [UInt8] {
      var changed = actions
      changed[index] = action
      return column(66, ForgedColumn.unsigned(changed))
    }
    return [
      Rejection("action 8", .unknownAction(8), replacing(0, 8)),
      Rejection("action 2^63", .unknownAction(1 << 63), replacing(0, 1 << 63)),
      Rejection("null action", .unexpectedNull(66), replacing(1, nil)),
      Rejection(
        "null value metadata", .unexpectedNull(86),
        column(86, ForgedColumn.unsigned([nil] + metadata.dropFirst()))),
      Rejection(
        "null predecessor count", .unexpectedNull(112),
        column(112, ForgedColumn.unsigned([nil] + [UInt64?](repeating: 0, count: Int(count) - 1)))),
      Rejection(
        "insert column too short", .columnTooShort(52), column(52, ForgedNumber.uleb(count - 1))),
      Rejection(
        "insert column too long", .columnTooLong(52),
        column(52, (SampleHistory.first.parts.columns[52] ?? []) + [1])),
      Rejection(
        "key column too short", .columnTooShort(21),
        column(21, ForgedColumn.strings([Array("a".utf8)]))),
      Rejection(
        "value metadata too short", .columnTooShort(86),
        column(86, ForgedColumn.unsigned(metadata.dropLast()))),
      Rejection(
        "value metadata too long", .columnTooLong(86),
        column(86, ForgedColumn.unsigned(metadata + [0]))),
      Rejection(
        "predecessor group too long", .columnTooLong(112),
        column(112, ForgedColumn.unsigned([UInt64](repeating: 0, count: Int(count) + 1)))),
      Rejection(
        "fewer predecessors than the group counts", .columnTooShort(113),
        column(112, ForgedColumn.unsigned([1] + [UInt64?](repeating: 0, count: Int(count) - 1)))),
      Rejection(
        "object counter without actor", .invalidObject, column(1, nil)),
      Rejection(
        "object actor without counter", .invalidObject, column(2, nil)),
      Rejection(
        "operation without any key", .invalidKey,
        column(21, nil)),
      Rejection(
        "actor index out of range", .unknownActor(1),
        column(
          1, ForgedColumn.unsigned(SampleHistory.first.operations.map { $0.object.map { _ in 1 } }))
      ),
      Rejection(
        "actor index 2^63", .unknownActor(1 << 63),
        column(
          1,
          ForgedColumn.unsigned(
            SampleHistory.first.operations.map { $0.object.map { _ in 1 << 63 } }))),
      Rejection(
        "key counter below 0", .invalidKey,
        column(
          19,
          ForgedColumn.delta(
            SampleHistory.first.operations.map {
              if case .name = $0.key { nil } else { -1 }
            }))),
      Rejection(
        "object counter 2^32", .counterOutOfRange,
        column(
          2,
          ForgedColumn.unsigned(
            SampleHistory.first.operations.map { $0.object.map { _ in 1 << 32 } }))),
      Rejection(
        "key that is not UTF-8", .invalidUTF8,
        column(
          21,
          ForgedColumn.strings(
            SampleHistory.first.operations.map {
              if case .name = $0.key { [0xc3, 0x28] } else { nil }
            }))),
      Rejection(
        "mark name that is not UTF-8", .invalidUTF8,
        column(
          165,
          ForgedColumn.strings(
            SampleHistory.first.operations.map { $0.markName.map { _ in [0x80] } })
        )),
      Rejection(
        "key that claims a billion bytes", .truncated(missing: 1_000_000_001),
        column(21, ForgedColumn.runs([.raw([0x7f] + ForgedNumber.uleb(1_000_000_001))]))),
    ]
  }()

  /// One set operation with the given value.
  static func value(_ value: ForgedOperation.Value) -> [UInt8] {
    ForgedChange(.set("a", value)).bytes
  }

  static let values: [Rejection] = [
    Rejection("null with bytes", .invalidValue(typeCode: 0), value(.raw(0, [0]))),
    Rejection("false with bytes", .invalidValue(typeCode: 1), value(.raw(1, [0]))),
    Rejection("true with bytes", .invalidValue(typeCode: 2), value(.raw(2, [1, 2]))),
    Rejection("unsigned without bytes", .truncated(missing: 1), value(.raw(3, []))),
    Rejection("unsigned with bytes left", .invalidValue(typeCode: 3), value(.raw(3, [1, 1]))),
    Rejection("overlong unsigned", .overlongInteger, value(.raw(3, [0x81, 0x00]))),
    Rejection("unsigned cut short", .truncated(missing: 1), value(.raw(3, [0x81]))),
    Rejection(
      "unsigned over 64 bits", .integerTooLarge,
      value(.raw(3, [UInt8](repeating: 0xff, count: 9) + [0x02]))),
    Rejection("signed without bytes", .truncated(missing: 1), value(.raw(4, []))),
    Rejection("overlong signed", .overlongInteger, value(.raw(4, [0xff, 0x7f]))),
    Rejection("signed with bytes left", .invalidValue(typeCode: 4), value(.raw(4, [0x01, 0x01]))),
    Rejection("counter without bytes", .truncated(missing: 1), value(.raw(8, []))),
    Rejection("overlong timestamp", .overlongInteger, value(.raw(9, [0x80, 0x00]))),
    Rejection(
      "float of 4 bytes", .truncated(missing: 4), value(.raw(5, [0, 0, 0, 0]))),
    Rejection(
      "float of 9 bytes", .invalidValue(typeCode: 5),
      value(.raw(5, [UInt8](repeating: 0, count: 9)))),
    Rejection("string that is not UTF-8", .invalidUTF8, value(.raw(6, [0xf8, 0x88]))),
    Rejection(
      "increment by a string", .invalidValue(typeCode: 6),
      SampleHistory.first.bytes
        + SampleHistory.first.followed(
          by: ForgedOperation(
            .increment, .name("c"), .string("5"), predecessors: [SampleHistory.first.id(1)])
        ).bytes),
    Rejection(
      "value bytes missing", .truncated(missing: 1),
      ForgedChange(.set("a", .signed(1))).bent { $0.columns[87] = nil }),
    Rejection(
      "value bytes left over", .columnTooLong(87),
      ForgedChange(.set("a", .signed(1))).bent { $0.columns[87] = [1, 1] }),
    Rejection(
      "value that claims 2^60 bytes", .truncated(missing: 1 << 60 - 2),
      ForgedChange(.set("a", .signed(1))).bent {
        $0.columns[86] = ForgedColumn.unsigned([UInt64.max & ~15 | 6])
      }),
  ]

  @Test func `the widest numbers are accepted`() throws {
    let change = ForgedChange(
      .set("a", .unsigned(.max)), .set("b", .signed(.min)), .set("c", .signed(.max)),
      .set("d", .counter(.min)), .set("e", .timestamp(.max)))
    let state = try DocumentState(loading: change.bytes)
    #expect(state.heads.map(\.bytes) == [change.hash])
  }
}

extension ForgedChange {
  /// Returns the chunk with its parts bent and a checksum that fits.
  func bent(_ bend: (inout Parts) -> Void) -> [UInt8] {
    var parts = parts
    bend(&parts)
    return parts.bytes
  }
}
