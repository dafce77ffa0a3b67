import FolderDocuments
import Testing

@testable import Automerge

/// Document chunks with a valid checksum and one thing wrong inside.
@Suite struct DocumentRejectionTests {
  typealias Column = ForgedDocument.ChangeColumn

  @Test(arguments: frames) func `a wrong field of a document is refused`(_ rejection: Rejection) {
    rejection.check()
  }

  @Test(arguments: changeColumns) func `a wrong list of changes is refused`(
    _ rejection: Rejection
  ) {
    rejection.check()
  }

  @Test(arguments: operationColumns) func `a wrong table of operations is refused`(
    _ rejection: Rejection
  ) {
    rejection.check()
  }

  /// Returns the sample document with its parts bent.
  static func bent(_ bend: (inout ForgedDocument) -> Void) -> [UInt8] {
    var document = SampleHistory.document
    bend(&document)
    return document.bytes
  }

  /// Returns the sample document with its operation rows bent before they are encoded.
  static func rows(_ bend: (inout [ForgedDocument.Row]) -> Void) -> [UInt8] {
    ForgedDocument(SampleHistory.changes, rows: bend).bytes
  }

  static let frames: [Rejection] = [
    Rejection("leftover bytes", .leftoverBytes(count: 1), bent { $0.trailing = [0] }),
    Rejection(
      "overlong head index", .overlongInteger,
      bent {
        $0.trailing = ForgedNumber.uleb($0.headIndexes?.last ?? 0, padding: 1)
        $0.headIndexes?.removeLast()
      }),
    Rejection(
      "some head indexes missing", .truncated(missing: 1), bent { $0.headIndexes?.removeLast() }),
    Rejection(
      "actors not ascending", .actorsNotAscending, bent { $0.actors.reverse() }),
    Rejection(
      "actor twice", .actorsNotAscending, bent { $0.actors[1] = $0.actors[0] }),
    Rejection("head twice", .headsMismatch, bent { $0.heads[1] = $0.heads[0] }),
    Rejection(
      "a head that is not the derived one", .headsMismatch, bent { $0.heads[1][31] ^= 1 }),
    Rejection(
      "a head missing", .headsMismatch,
      bent {
        $0.heads.removeLast()
        $0.headIndexes?.removeLast()
      }),
    Rejection(
      "a head too many", .headsMismatch,
      bent {
        $0.heads.append([UInt8](repeating: 0xff, count: 32))
        $0.headIndexes?.append(0)
      }),
    Rejection(
      "an actor without changes", .unusedActor,
      bent { $0.actors.append([UInt8](repeating: 0xff, count: 16)) }),
  ]

  static let changeColumns: [Rejection] = [
    Rejection(
      "sequence with a gap", .changesOutOfOrder,
      bent { $0.changeColumns[Column.sequence] = ForgedColumn.delta([1, 3, 1]) }),
    Rejection(
      "sequence that starts at 2", .changesOutOfOrder,
      bent { $0.changeColumns[Column.sequence] = ForgedColumn.delta([2, 3, 1]) }),
    Rejection(
      "sequence twice", .changesOutOfOrder,
      bent { $0.changeColumns[Column.sequence] = ForgedColumn.delta([1, 1, 1]) }),
    Rejection(
      "greatest counter decreases", .maxCounterDecreases,
      bent { $0.changeColumns[Column.maxCounter] = ForgedColumn.delta([11, 10, 13]) }),
    Rejection(
      "greatest counter too high", .missingOperations,
      bent { $0.changeColumns[Column.maxCounter] = ForgedColumn.delta([11, 15, 13]) }),
    Rejection(
      "greatest counter too low", .operationWithoutChange,
      bent { $0.changeColumns[Column.maxCounter] = ForgedColumn.delta([11, 13, 13]) }),
    Rejection(
      "greatest counter below 0", .counterOutOfRange,
      bent { $0.changeColumns[Column.maxCounter] = ForgedColumn.delta([-1, 14, 13]) }),
    Rejection(
      "change actor out of range", .unknownActor(2),
      bent { $0.changeColumns[Column.actor] = ForgedColumn.unsigned([0, 0, 2]) }),
    Rejection(
      "null change actor", .unexpectedNull(1),
      bent { $0.changeColumns[Column.actor] = ForgedColumn.unsigned([0, 0, nil]) }),
    Rejection(
      "dependency on a later change", .dependencyOutOfRange,
      bent { $0.changeColumns[Column.dependencies] = ForgedColumn.delta([2, 0]) }),
    Rejection(
      "dependency on itself", .dependencyOutOfRange,
      bent { $0.changeColumns[Column.dependencies] = ForgedColumn.delta([1, 0]) }),
    Rejection(
      "dependency out of range", .dependencyOutOfRange,
      bent { $0.changeColumns[Column.dependencies] = ForgedColumn.delta([0, 1 << 31]) }),
    Rejection(
      "negative dependency", .counterOutOfRange,
      bent { $0.changeColumns[Column.dependencies] = ForgedColumn.delta([-1, 0]) }),
    Rejection(
      "fewer dependencies than the group counts", .columnTooShort(67),
      bent { $0.changeColumns[Column.dependencies] = ForgedColumn.delta([0]) }),
    Rejection(
      "more dependencies than the group counts", .columnTooLong(67),
      bent { $0.changeColumns[Column.dependencies] = ForgedColumn.delta([0, 0, 0]) }),
    Rejection(
      "message that is not UTF-8", .invalidUTF8,
      bent {
        $0.changeColumns[Column.message] = ForgedColumn.strings([[0xff], nil, nil])
      }),
    Rejection(
      "extra bytes left over", .leftoverBytes(count: 1),
      bent { $0.changeColumns[Column.extra] = [1] }),
    Rejection(
      "missing sequence column", .missingColumn(3),
      bent { $0.changeColumns[Column.sequence] = nil }),
    Rejection(
      "fewer sequence numbers than changes", .columnTooShort(3),
      bent { $0.changeColumns[Column.sequence] = ForgedColumn.delta([1, 2]) }),
  ]

  static let operationColumns: [Rejection] = [
    Rejection(
      "columns out of order", .columnsOutOfOrder,
      bent { $0.operationColumns.columns.swapAt(0, 1) }),
    Rejection(
      "the same column plain and deflated", .duplicateColumn(66),
      bent { document in
        let index = document.operationColumns.columns.firstIndex { $0.specification == 66 } ?? 0
        let plain = document.operationColumns.columns[index].bytes
        document.operationColumns.columns.insert(
          ForgedColumnList.Column(specification: 74, bytes: ForgedDeflate.stored(plain)),
          at: index + 1)
      }),
    Rejection(
      "deflated column that is cut short", .corruptDeflate,
      bent { document in
        let plain = document.operationColumns[21] ?? []
        document.operationColumns.deflate(21, to: Array(ForgedDeflate.stored(plain).dropLast()))
      }),
    Rejection(
      "bytes after the end of a deflated column", .leftoverBytes(count: 1),
      bent { document in
        let plain = document.operationColumns[21] ?? []
        document.operationColumns.deflate(21, to: ForgedDeflate.stored(plain) + [0])
      }),
    Rejection(
      "objects out of order", .operationsOutOfOrder, rows { $0.insert($0.remove(at: 11), at: 8) }),
    Rejection("names out of order", .operationsOutOfOrder, rows { $0.swapAt(3, 4) }),
    Rejection("operations of a name out of order", .operationsOutOfOrder, rows { $0.swapAt(0, 1) }),
    Rejection(
      "elements out of sequence", .operationsOutOfOrder,
      rows { rows in
        let list = rows.indices.filter { rows[$0].operation.object == SampleHistory.first.id(2) }
        rows.swapAt(list[1], list[2])
      }),
    Rejection(
      "operation id twice", .duplicateOperation, rows { $0[1].id = $0[0].id }),
    Rejection(
      "a delete as a row", .deleteInDocument,
      rows { $0[0].operation.action = ForgedOperation.Action.delete.rawValue }),
    Rejection("a row missing", .missingOperations, rows { $0.remove(at: 3) }),
    Rejection("an increment missing", .headsMismatch, rows { $0.remove(at: 4) }),
    Rejection(
      "successors out of order", .predecessorsNotAscending, rows { $0[0].successors.reverse() }),
    Rejection(
      "successor twice", .predecessorsNotAscending,
      rows { $0[0].successors[1] = $0[0].successors[0] }),
    Rejection(
      "null operation actor", .unexpectedNull(33),
      bent {
        $0.operationColumns[33] = ForgedColumn.unsigned(
          [nil] + [UInt64?](repeating: 0, count: 13))
      }),
    Rejection(
      "operation actor out of range", .unknownActor(2),
      bent {
        $0.operationColumns[33] = ForgedColumn.unsigned([UInt64?](repeating: 2, count: 14))
      }),
    Rejection(
      "operation counter 0", .counterOutOfRange,
      bent { $0.operationColumns[35] = ForgedColumn.delta([0] + (1...13).map { $0 }) }),
    Rejection(
      "operation counter 2^32", .counterOutOfRange,
      bent {
        $0.operationColumns[35] = ForgedColumn.delta([Int64](repeating: 1 << 32, count: 14))
      }),
    Rejection(
      "missing operation counters", .missingColumn(35), bent { $0.operationColumns[35] = nil }),
    Rejection(
      "missing successor group", .missingColumn(128), bent { $0.operationColumns[128] = nil }),
    Rejection(
      "value bytes left over", .columnTooLong(87),
      bent { $0.operationColumns[87]?.append(0) }),
    Rejection(
      "operation on an object nobody made", .unknownObject,
      rows { rows in
        for index in rows.indices where rows[index].operation.object == SampleHistory.first.id(5) {
          rows[index].operation.object?.counter = 99
        }
      }),
    Rejection(
      "list operation on a map", .wrongObjectKind,
      rows { rows in
        for index in rows.indices where rows[index].operation.object == SampleHistory.first.id(5) {
          rows[index].operation.key = .head
          rows[index].operation.isInsert = true
        }
      }),
    Rejection(
      "rows that name one delete on different keys", .unknownPredecessor,
      rows { rows in
        let list = rows.indices.filter { rows[$0].operation.object == SampleHistory.first.id(2) }
        rows[list[1]].successors = rows[list[0]].successors
      }),
    Rejection(
      "unknown column", .unknownColumn(198), bent { $0.operationColumns[198] = [0x0e, 0x00] }),
  ]

  /// Bytes that another writer might choose are read, and saved as the format prescribes.
  @Test func `columns in other than canonical form are refused or saved canonically`() throws {
    let plain = ForgedDocument([ForgedChange(.set("a", .null), .set("b", .null))])
    for (number, runs) in [
      (66, [.repeated(1, [1]), .repeated(1, [1])]), (33, [.literal([[0], [0]])]),
    ] as [(UInt64, [ForgedColumn.Run])] {
      var other = plain
      other.operationColumns[number] = ForgedColumn.runs(runs)
      guard let state = try? DocumentState(loading: other.bytes) else { continue }
      #expect(state.encoded() == plain.bytes)
    }
  }

  @Test func `a change row without time or extra bytes is refused or read as none`() throws {
    let plain = ForgedDocument([ForgedChange(.set("a", .null))])
    for column in [Column.time, Column.extraMetadata] {
      var other = plain
      other.changeColumns[column] = nil
      guard let state = try? DocumentState(loading: other.bytes) else { continue }
      #expect(state.encoded() == plain.bytes)
    }
  }

  @Test func `a mark that ends before it begins stops nothing`() throws {
    let base = ForgedChange()
    func mark(_ name: String?, after element: ForgedOperation.ID?) -> ForgedOperation {
      var operation = ForgedOperation(
        .mark, in: base.id(0), element.map(ForgedOperation.Key.element) ?? .head,
        name == nil ? .null : .boolean(true))
      operation.isInsert = true
      operation.markName = name
      return operation
    }
    let change = ForgedChange(
      .make(.makeText, "t"), .insert(.string("x"), in: base.id(0)),
      mark("bold", after: base.id(1)), mark(nil, after: nil))
    let state = try DocumentState(loading: change.bytes)
    #expect(try DocumentState(loading: state.encoded()).heads.map(\.bytes) == [change.hash])
  }

  @Test func `head indexes are not trusted`() throws {
    let wrong = Self.bent { $0.headIndexes = [0, 0] }
    let state = try DocumentState(loading: wrong)
    #expect(state.encoded() == SampleHistory.document.bytes)
  }

  @Test func `heads in another order are read and saved in order`() throws {
    let state = try DocumentState(
      loading: Self.bent {
        $0.heads.reverse()
        $0.headIndexes?.reverse()
      })
    #expect(state.encoded() == SampleHistory.document.bytes)
  }

  @Test func `a very old document without head indexes is read`() throws {
    let state = try DocumentState(loading: Self.bent { $0.headIndexes = nil })
    #expect(state.encoded() == SampleHistory.document.bytes)
  }
}
