import Automerge

/// Writes changes one after another.
struct PatternWriter {
  private(set) var bytes: [UInt8] = []
  private var draft = ChangeDraft()

  /// Appends a change and returns its hash.
  @discardableResult
  mutating func change(
    by author: Int = 0, sequence: UInt32 = 1, startCounter: UInt32 = 1,
    dependencies: [ChangeHash] = [], naming others: [Int] = [],
    _ write: (inout ChangeDraft) -> Void
  ) -> ChangeHash {
    draft.begin(
      sequence: sequence, startCounter: startCounter, dependencies: dependencies,
      otherActors: others.map(Self.actor))
    write(&draft)
    draft.finish(author: Self.actor(author))
    bytes += draft.chunk
    return draft.hash
  }

  /// Actors ascend with their numbers.
  static func actor(_ number: Int) -> ActorId {
    ActorId(bytes: (0..<3).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
  }

  mutating func append(_ other: [UInt8]) { bytes += other }
}

extension DoublingPattern {
  func writeManyChanges(_ count: Int, to writer: inout PatternWriter) {
    let key = Array("k".utf8)
    func name(_ index: Int) -> [UInt8] { Array(String(index, radix: 36).utf8) }
    func set(_ key: [UInt8]) -> (inout ChangeDraft) -> Void {
      { $0.set(.null, in: .root, key: key.span) }
    }
    switch self {
    case .authors:
      for index in 0..<count { writer.change(by: index, set(name(index))) }
    case .authorsOfOneKey:
      for index in 0..<count { writer.change(by: index, set(key)) }
    case .joinedHeads:
      let heads = (0..<count).map { writer.change(by: $0, set(name($0))) }
      writer.change(by: count, startCounter: 2, dependencies: heads, set(key))
    case .continuedHeads:
      let heads = (0..<count / 2).map { writer.change(by: $0, set(name($0))) }
      for (index, head) in heads.enumerated() {
        writer.change(
          by: index, sequence: 2, startCounter: 2, dependencies: [head], set(name(index)))
      }
    case .dependencies:
      // The sum of all dependencies is the count.
      var all: [ChangeHash] = []
      while all.count * all.count < 2 * count {
        all.append(
          writer.change(
            by: 0, sequence: UInt32(all.count + 1), startCounter: UInt32(all.count + 1),
            dependencies: all, set(name(all.count))))
      }
    case .documents:
      for index in 0..<count {
        var one = PatternWriter()
        one.change(by: index, set(name(index)))
        // A change that was just written loads.
        // What was just written loads; a pattern without it would fail its checks.
        writer.append((try? DocumentState(loading: one.bytes).encoded()) ?? [])
      }
    case .insertsBeforeOlder, .authorsAtOneStart:
      writeConcurrentInserts(count, to: &writer)
    default:
      writeChains(count, to: &writer)
    }
  }

  private func writeConcurrentInserts(_ count: Int, to writer: inout PatternWriter) {
    let letter = Array("a".utf8)
    let text = ChangeDraft.LocalID(counter: 1, actor: 1)
    let base = writer.change { $0.makeObject(.text, in: .root, key: Array("k".utf8).span) }
    if self == .authorsAtOneStart {
      // The youngest first, so that each next one passes all before it.
      for author in (1...count).reversed() {
        writer.change(by: author, startCounter: 2, dependencies: [base], naming: [0]) {
          $0.insert(.string, letter.span, in: text, after: .root)
        }
      }
    } else {
      for (author, start) in [(1, UInt32(1) << 30), (2, 2)] {
        writer.change(by: author, startCounter: start, dependencies: [base], naming: [0]) {
          for _ in 0..<count / 2 { $0.insert(.string, letter.span, in: text, after: .root) }
        }
      }
    }
  }

  private func writeChains(_ count: Int, to writer: inout PatternWriter) {
    let key = Array("k".utf8)
    func set(_ key: [UInt8] = key) -> (inout ChangeDraft) -> Void {
      { $0.set(.null, in: .root, key: key.span) }
    }
    func chain(
      _ count: Int, _ writer: inout PatternWriter, by author: Int = 0, from first: UInt32 = 1,
      on dependencies: [ChangeHash] = []
    ) -> ChangeHash? {
      var last = dependencies
      for index in 0..<UInt32(count) {
        last = [
          writer.change(
            by: author, sequence: index + 1, startCounter: first + index, dependencies: last,
            set())
        ]
      }
      return last.first
    }
    switch self {
    case .lateReturns:
      // Everybody writes, one writes for long, then everybody writes again.
      let half = count / 2
      let firsts = (1...half).map { writer.change(by: $0, set()) }
      let last = chain(half, &writer, from: 2, on: firsts)
      for author in 1...half {
        writer.change(
          by: author, sequence: 2, startCounter: UInt32(half + 2),
          dependencies: last.map { [$0] } ?? [], set())
      }
    case .relayedOperations:
      // Each second author names an operation that it knows from the one before it only.
      let base = writer.change { $0.makeObject(.map, in: .root, key: key.span) }
      for index in 0..<count / 2 {
        let first = writer.change(
          by: 2 * index + 1, startCounter: 2, dependencies: [base], set())
        writer.change(
          by: 2 * index + 2, startCounter: 3, dependencies: [first], naming: [0]
        ) { $0.set(.null, in: .init(counter: 1, actor: 1), key: key.span) }
      }
    case .reversedChanges:
      var parts: [[UInt8]] = []
      var last: [ChangeHash] = []
      for index in 0..<UInt32(count) {
        var one = PatternWriter()
        last = [
          one.change(sequence: index + 1, startCounter: index + 1, dependencies: last, set())
        ]
        parts.append(one.bytes)
      }
      for part in parts.reversed() { writer.append(part) }
    case .waitingChanges:
      // Behind a document chunk changes may wait.
      var one = PatternWriter()
      one.change(set())
      // What was just written loads; a pattern without it would fail its checks.
      writer.append((try? DocumentState(loading: one.bytes).encoded()) ?? [])
      var other = PatternWriter()
      let missing = other.change(by: 1, set())
      for author in 2..<count + 2 {
        writer.change(by: author, startCounter: 2, dependencies: [missing], set())
      }
    default:
      _ = chain(count, &writer)
    }
  }
}
