import Automerge
import FolderDocuments

/// A shape of a history that grows with a count: a column, a list or a graph of which there may be
/// any number. Twice as much of each has to cost about twice as much.
package enum DoublingPattern: String, CaseIterable, Sendable {
  // One change, one key or element.
  case conflictingSets = "conflicting-sets"
  case replacedSets = "replaced-sets"
  case setsReplacingAll = "sets-replacing-all"
  case deletionsFromTheEnd = "deletions-from-the-end"
  case deletionsFromTheStart = "deletions-from-the-start"
  case increments
  case incrementOfManyCounters = "increment-of-many-counters"
  case incrementsOfManyCounters = "increments-of-many-counters"
  case conflictingElements = "conflicting-elements"

  // One change, many places.
  case keys
  case unorderedKeys = "unordered-keys"
  case nestedMaps = "nested-maps"
  case nestedLists = "nested-lists"
  case maps
  case unorderedMaps = "unordered-maps"
  case appends
  case insertsAtTheStart = "inserts-at-the-start"
  case insertsAfterOne = "inserts-after-one"
  case insertsAnywhere = "inserts-anywhere"
  case deletedElements = "deleted-elements"
  case marksOfOneName = "marks-of-one-name"
  case marksOfManyNames = "marks-of-many-names"
  case longString = "long-string"

  // Many changes.
  case insertsBeforeOlder = "inserts-before-older"
  case authors
  case authorsOfOneKey = "authors-of-one-key"
  case authorsAtOneStart = "authors-at-one-start"
  case joinedHeads = "joined-heads"
  case continuedHeads = "continued-heads"
  case dependencies
  case chain
  case lateReturns = "late-returns"
  case relayedOperations = "relayed-operations"
  case reversedChanges = "reversed-changes"
  case waitingChanges = "waiting-changes"
  case documents

  /// Returns a file of change chunks in which there are `count` of what the pattern repeats.
  package func changes(_ count: Int) -> [UInt8] {
    var writer = PatternWriter()
    switch self {
    case .conflictingSets, .replacedSets, .setsReplacingAll, .deletionsFromTheEnd,
      .deletionsFromTheStart, .increments, .incrementOfManyCounters, .incrementsOfManyCounters,
      .conflictingElements:
      writer.change { writeOnePlace(count, to: &$0) }
    case .keys, .unorderedKeys, .nestedMaps, .nestedLists, .maps, .unorderedMaps, .appends,
      .insertsAtTheStart, .insertsAfterOne, .insertsAnywhere, .deletedElements, .marksOfOneName,
      .marksOfManyNames, .longString:
      writer.change { writeManyPlaces(count, to: &$0) }
    case .insertsBeforeOlder, .authors, .authorsOfOneKey, .authorsAtOneStart, .joinedHeads,
      .continuedHeads, .dependencies, .chain, .lateReturns, .relayedOperations, .reversedChanges,
      .waitingChanges, .documents:
      writeManyChanges(count, to: &writer)
    }
    return writer.bytes
  }
}

extension DoublingPattern {
  /// A number below `count` that follows from `index`, in no order.
  static func scattered(_ index: Int, below count: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(index) &* 0x9E37_79B9_7F4A_7C15) >> 33) % count
  }

  private func writeOnePlace(_ count: Int, to draft: inout ChangeDraft) {
    typealias ID = ChangeDraft.LocalID
    let key = Array("k".utf8)
    func id(_ counter: Int) -> ID { ID(counter: UInt32(counter), actor: 0) }
    func ids(_ range: Range<Int>) -> [ID] { range.map(id) }
    func set(_ predecessors: [ID] = []) {
      draft.set(.null, in: .root, key: key.span, predecessors: predecessors)
    }
    switch self {
    case .replacedSets:
      set()
      for index in 1..<max(count, 2) { set([id(index)]) }
    case .setsReplacingAll:
      // The sum of all predecessors is the count.
      var index = 1
      while index * index < 2 * count {
        set(ids(1..<index))
        index += 1
      }
    case .deletionsFromTheEnd, .deletionsFromTheStart:
      let half = count / 2
      for _ in 0..<half { set() }
      for index in 1...half {
        let target = self == .deletionsFromTheEnd ? half + 1 - index : index
        draft.delete(in: .root, key: key.span, predecessors: [id(target)])
      }
    case .increments:
      draft.set(.counter(0), in: .root, key: key.span)
      for _ in 1..<max(count, 2) {
        draft.increment(by: 1, in: .root, key: key.span, predecessors: [id(1)])
      }
    case .incrementOfManyCounters:
      let half = count / 2
      for _ in 0..<half { draft.set(.counter(0), in: .root, key: key.span) }
      draft.increment(by: 1, in: .root, key: key.span, predecessors: ids(1..<half + 1))
    case .incrementsOfManyCounters:
      let half = count / 2
      for _ in 0..<half { draft.set(.counter(0), in: .root, key: key.span) }
      for index in 1...half {
        draft.increment(by: 1, in: .root, key: key.span, predecessors: [id(index)])
      }
    case .conflictingElements:
      let list = draft.makeObject(.list, in: .root, key: key.span)
      let element = draft.insert(.null, in: list, after: .root)
      for _ in 0..<count { draft.set(.null, in: list, element: element, predecessors: []) }
    default:
      for _ in 0..<count { set() }
    }
  }

  private func writeManyPlaces(_ count: Int, to draft: inout ChangeDraft) {
    let key = Array("k".utf8)
    func name(_ index: Int) -> [UInt8] { Array(String(index, radix: 36).utf8) }
    switch self {
    case .keys:
      for name in (0..<count).map(name).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        draft.set(.null, in: .root, key: name.span)
      }
    case .unorderedKeys:
      for index in 0..<count {
        draft.set(.null, in: .root, key: name(Self.scattered(index, below: count * 8)).span)
      }
    case .nestedMaps, .nestedLists:
      var object = ChangeDraft.LocalID.root
      if self == .nestedLists { object = draft.makeObject(.list, in: object, key: key.span) }
      for _ in 0..<count {
        object =
          self == .nestedMaps
          ? draft.makeObject(.map, in: object, key: key.span)
          : draft.insertObject(.list, in: object, after: .root)
      }
    case .maps, .unorderedMaps:
      let half = count / 2
      var maps: [ChangeDraft.LocalID] = []
      for index in 0..<half {
        maps.append(draft.makeObject(.map, in: .root, key: name(index).span))
      }
      for index in 0..<half {
        let place = self == .maps ? index : Self.scattered(index, below: half)
        draft.set(.null, in: maps[place], key: key.span)
      }
    case .longString:
      draft.set(
        .string, [UInt8](repeating: 0x61, count: count).span, in: .root, key: key.span)
    default:
      writeSequence(count, to: &draft)
    }
  }

  private func writeSequence(_ count: Int, to draft: inout ChangeDraft) {
    let text = draft.makeObject(.text, in: .root, key: Array("k".utf8).span)
    let letter = Array("a".utf8)
    var elements: [ChangeDraft.LocalID] = []
    func insert(after element: ChangeDraft.LocalID, _ draft: inout ChangeDraft) {
      elements.append(draft.insert(.string, letter.span, in: text, after: element))
    }
    switch self {
    case .appends:
      for _ in 0..<count { insert(after: elements.last ?? .root, &draft) }
    case .insertsAtTheStart:
      for _ in 0..<count { insert(after: .root, &draft) }
    case .insertsAfterOne:
      for _ in 0..<count { insert(after: elements.first ?? .root, &draft) }
    case .insertsAnywhere:
      for index in 0..<count {
        insert(
          after: index == 0 ? .root : elements[Self.scattered(index, below: index)], &draft)
      }
    case .deletedElements:
      for _ in 0..<count / 2 { insert(after: elements.last ?? .root, &draft) }
      for element in elements {
        draft.delete(in: text, element: element, predecessors: [element])
      }
    default:
      // Every mark begins and ends around the same letters.
      insert(after: .root, &draft)
      for index in 0..<count / 2 {
        let name = self == .marksOfOneName ? letter : Array(String(index, radix: 36).utf8)
        _ = draft.beginMark(name.span, .boolean(true), expands: false, in: text, after: .root)
        draft.endMark(expands: false, in: text, after: elements[0])
        if index % 8 == 0 {
          insert(after: elements[elements.count / 2], &draft)
        }
      }
    }
  }
}
