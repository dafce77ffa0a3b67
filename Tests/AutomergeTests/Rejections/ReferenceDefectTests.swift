import FolderDocuments
import Testing

@testable import Automerge

/// Inputs that the reference implementation takes and then loses: a saved document that does not
/// load again, or a crash. Here each one is refused (format.md 8.2).
@Suite struct ReferenceDefectTests {
  static let first = SampleHistory.first

  @Test(arguments: notCanonical) func `a change in other than canonical form is refused`(
    _ rejection: Rejection
  ) {
    rejection.check()
  }

  @Test(arguments: impossible) func `an operation on what is not there is refused`(
    _ rejection: Rejection
  ) {
    rejection.check()
  }

  @Test(arguments: histories) func `a change that does not fit its history is refused`(
    _ rejection: Rejection
  ) {
    rejection.check()
  }

  private static func raw(_ number: UInt64, _ runs: ForgedColumn.Run...) -> [UInt8] {
    ChangeRejectionTests.column(number, ForgedColumn.runs(runs))
  }

  static let notCanonical: [Rejection] = {
    let count = Int64(first.operations.count)
    let actions = first.operations.map { ForgedNumber.uleb($0.action) }
    let plain = ForgedChange(.set("a", .signed(1)), .set("b", .signed(2)), .set("c", .signed(3)))
    return [
      Rejection(
        "run of one", .notCanonical,
        plain.bent {
          $0.columns[21] = ForgedColumn.runs(
            [.repeated(1, [1, 0x61]), .literal([[1, 0x62], [1, 0x63]])])
        }),
      Rejection(
        "literal run of equal items", .notCanonical,
        raw(112, .literal([[UInt8]](repeating: [0], count: Int(count))))),
      Rejection(
        "two literal runs in a row", .notCanonical,
        plain.bent {
          $0.columns[21] = ForgedColumn.runs(
            [.literal([[1, 0x61]]), .literal([[1, 0x62], [1, 0x63]])])
        }),
      Rejection(
        "equal items across a boundary", .notCanonical,
        plain.bent { $0.columns[66] = ForgedColumn.runs([.literal([[1]]), .repeated(2, [1])]) }),
      Rejection(
        "two runs of the same item", .notCanonical,
        raw(112, .repeated(2, [0]), .repeated(count - 2, [0]))),
      Rejection(
        "two runs of nulls", .notCanonical,
        plain.bent { parts in
          parts.columns[1] = ForgedColumn.runs([.nulls(1), .nulls(2)])
        }),
      Rejection(
        "a column of nulls", .notCanonical,
        plain.bent { $0.columns[1] = ForgedColumn.runs([.nulls(3)]) }),
      Rejection(
        "overlong item", .overlongInteger,
        raw(66, .literal([ForgedNumber.uleb(1, padding: 1)] + actions.dropFirst()))),
      Rejection(
        "overlong run length", .overlongInteger,
        plain.bent { $0.columns[66] = ForgedNumber.sleb(3, padding: 1) + [1] }),
      Rejection(
        "empty run of nulls", .columnTooLong(66),
        plain.bent { $0.columns[66] = ForgedColumn.runs([.nulls(0), .repeated(3, [1])]) }),
      Rejection(
        "empty run at the end of booleans", .columnTooLong(52),
        plain.bent { $0.columns[52] = [3, 0] }),
      Rejection(
        "explicit column of false", .notCanonical, plain.bent { $0.columns[148] = [3] }),
      Rejection(
        "too many rows in a column", .columnTooLong(21),
        plain.bent { $0.columns[21] = ForgedColumn.strings([[0x61], [0x62], [0x63], [0x64]]) }),
      Rejection(
        "unread value bytes", .columnTooLong(87), plain.bent { $0.columns[87]?.append(0) }),
      Rejection(
        "other actors out of order", .actorsNotAscending,
        threeAuthors.bent { $0.otherActors.reverse() }),
      Rejection(
        "other actor twice", .actorsNotAscending,
        threeAuthors.bent { $0.otherActors[1] = $0.otherActors[0] }),
      Rejection(
        "the author as another actor", .actorsNotAscending,
        threeAuthors.bent { $0.otherActors[0] = $0.author }),
      Rejection(
        "predecessors out of order", .predecessorsNotAscending,
        history(conflict, resolution { $0.reverse() })),
      Rejection(
        "predecessor twice", .predecessorsNotAscending,
        history(conflict, resolution { $0[1] = $0[0] })),
    ]
  }()

  /// Two values of one key by different authors, and a third change that names both.
  static let conflict = [SampleHistory.first, SampleHistory.second, SampleHistory.concurrent]

  static func resolution(
    _ bend: (inout [ForgedOperation.ID]) -> Void
  ) -> ForgedChange {
    var predecessors = [SampleHistory.second.id(0), SampleHistory.concurrent.id(0)].sorted()
    bend(&predecessors)
    var change = SampleHistory.second.followed(
      by: .set("a", .null, predecessors: predecessors))
    change.dependencies = [SampleHistory.second.hash, SampleHistory.concurrent.hash].sorted {
      $0.lexicographicallyPrecedes($1)
    }
    change.startCounter = 15
    return change
  }

  /// A change that refers to operations of two other authors.
  static let threeAuthors: ForgedChange = {
    var change = ForgedChange(
      .set("x", .null, in: ForgedOperation.ID(counter: 1, actor: [1])),
      .set("y", .null, in: ForgedOperation.ID(counter: 1, actor: [2])))
    change.startCounter = 5
    return change
  }()

  static func history(_ changes: [ForgedChange], _ last: ForgedChange...) -> [UInt8] {
    (changes + last).flatMap(\.bytes)
  }

  static let impossible: [Rejection] = {
    func after(_ operations: ForgedOperation...) -> [UInt8] {
      var change = first.followed(by: .set("zz", .null))
      change.operations = operations
      // Leaves a gap, so that there are ids before this change that nobody used.
      change.startCounter = 100
      return first.bytes + change.bytes
    }
    func deleting(_ bend: (inout ForgedOperation) -> Void) -> ForgedOperation {
      var operation = ForgedOperation(.delete, .name("a"), predecessors: [first.id(0)])
      bend(&operation)
      return operation
    }
    let unknown = ForgedOperation.ID(counter: 77, actor: ForgedChange.author)
    var insertWithName = ForgedOperation.set("k", .signed(1))
    insertWithName.isInsert = true
    var insertWithPredecessor = ForgedOperation.insert(.null, in: first.id(2))
    insertWithPredecessor.predecessors = [first.id(3)]
    return [
      Rejection(
        "predecessor that does not exist", .unknownPredecessor,
        after(
          .set("a", .null, predecessors: [ForgedOperation.ID(counter: 11, actor: first.author)]))
      ),
      Rejection(
        "predecessor on another key", .unknownPredecessor,
        after(.set("a", .null, predecessors: [first.id(1)]))),
      Rejection(
        "predecessor in another object", .unknownPredecessor,
        after(.set("a", .null, predecessors: [first.id(6)]))),
      Rejection(
        "delete without predecessor", .deleteWithoutPredecessor,
        after(ForgedOperation(.delete, .name("a")))),
      Rejection(
        "delete with a value", .deleteWithContent,
        after(deleting { $0.value = .boolean(false) })),
      Rejection(
        "delete that expands", .strayMarkContent, after(deleting { $0.isExpanding = true })),
      Rejection(
        "delete with a mark name", .strayMarkContent, after(deleting { $0.markName = "" })),
      Rejection(
        "operation on an object nobody made", .unknownObject, after(.set("a", .null, in: unknown))),
      Rejection(
        "operation on a scalar", .unknownObject, after(.set("a", .null, in: first.id(0)))),
      Rejection(
        "list operation on a map", .wrongObjectKind, after(.insert(.null, in: first.id(5)))),
      Rejection(
        "name in a list", .wrongObjectKind, after(.set("a", .null, in: first.id(2)))),
      Rejection(
        "insert after an element that does not exist", .unknownElement,
        after(.insert(.null, in: first.id(2), after: unknown))),
      Rejection(
        "insert after an element of another list", .unknownElement,
        after(.insert(.null, in: first.id(2), after: first.id(9)))),
      Rejection(
        "set of an element that does not exist", .unknownElement,
        after(ForgedOperation(.set, in: first.id(2), .element(unknown), .null))),
      Rejection(
        "set of the head of a list", .wrongObjectKind,
        after(ForgedOperation(.set, in: first.id(2), .head, .null))),
      Rejection("insert with a name", .wrongObjectKind, after(insertWithName)),
      Rejection("insert with a predecessor", .insertWithPredecessors, after(insertWithPredecessor)),
      Rejection(
        "operation on an object made later in the same change", .objectFromTheFuture,
        after(
          .set("a", .null, in: ForgedOperation.ID(counter: 101, actor: first.author)),
          .make(.makeMap, "b"))),
    ]
  }()

  static let histories: [Rejection] = {
    var gap = first.followed(by: .set("b", .null))
    gap.sequence = 3
    var late = ForgedChange(.set("b", .null))
    late.sequence = 2
    var overlapping = first.followed(by: .set("b", .null))
    overlapping.startCounter = 11
    var stranger = first.followed(by: SampleHistory.otherAuthor, .set("b", .null))
    stranger.startCounter = 11
    var twin = first
    twin.time += 1
    var detached = first.followed(by: .set("b", .null))
    detached.dependencies = []
    var foreign = ForgedChange(.set("f", .null))
    foreign.author = SampleHistory.otherAuthor
    var aside = first.followed(by: .set("b", .null))
    aside.dependencies = [foreign.hash]
    return [
      Rejection("gap in the sequence numbers", .sequenceGap, history([first], gap)),
      Rejection("first sequence number is 2", .sequenceGap, late.bytes),
      Rejection(
        "counters that overlap the author's own", .startCounterNotAfterDependencies,
        history([first], overlapping)),
      Rejection(
        "counters not after those of a dependency", .startCounterNotAfterDependencies,
        history([first], stranger)),
      Rejection(
        "two changes with one sequence number", .duplicateSequence, history([first], twin)),
      Rejection(
        "own change without dependencies", .ownHistoryNotInDependencies,
        history([first], detached)),
      Rejection(
        "own change without dependencies in a document", .ownHistoryNotInDependencies,
        ForgedDocument([first, detached]).bytes),
      Rejection(
        "own change that builds on somebody else's only", .ownHistoryNotInDependencies,
        history([first], foreign, aside)),
      Rejection(
        "change whose dependency is missing",
        .missingDependencies(count: 1, first: hexadecimal(first.hash)),
        SampleHistory.second.bytes),
    ]
  }()

  @Test func `dependencies keep the order they were written in`() throws {
    var join = Self.resolution { _ in }
    join.dependencies.reverse()
    let state = try DocumentState(loading: Self.history(Self.conflict, join))
    #expect(state.heads.map(\.bytes) == [join.hash])
    let again = try DocumentState(loading: state.encoded())
    #expect(again.heads == state.heads)
  }

  @Test func `redundant and repeated dependencies are kept`() throws {
    var change = SampleHistory.second.followed(by: .set("b", .null))
    change.dependencies = [SampleHistory.second.hash, Self.first.hash, Self.first.hash]
    let state = try DocumentState(
      loading: Self.history([Self.first, SampleHistory.second], change))
    #expect(try DocumentState(loading: state.encoded()).heads.map(\.bytes) == [change.hash])
  }

  @Test func `an own ancestor behind another author's change is enough`() throws {
    let between = Self.first.followed(by: SampleHistory.otherAuthor, .set("b", .null))
    var change = Self.first.followed(by: .set("c2", .null))
    change.dependencies = [between.hash]
    change.startCounter = 13
    let state = try DocumentState(loading: Self.history([Self.first, between], change))
    #expect(state.heads.map(\.bytes) == [change.hash])
    #expect(try DocumentState(loading: state.encoded()).heads == state.heads)
  }

  @Test func `counters may skip ahead`() throws {
    var change = Self.first.followed(by: .set("b", .null))
    change.startCounter = 4_000_000_000
    let state = try DocumentState(loading: Self.history([Self.first], change))
    #expect(state.maxCounter == 4_000_000_000)
    #expect(try DocumentState(loading: state.encoded()).heads.map(\.bytes) == [change.hash])
  }

  @Test func `the value of a make operation is kept`() throws {
    var make = ForgedOperation.make(.makeMap, "m")
    make.value = .string("kept")
    let change = ForgedChange(make)
    let state = try DocumentState(loading: change.bytes)
    #expect(try DocumentState(loading: state.encoded()).heads.map(\.bytes) == [change.hash])
  }
}
