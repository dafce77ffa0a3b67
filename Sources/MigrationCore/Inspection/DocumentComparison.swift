import Automerge
import FolderDocuments
import Folders
import Runs

/// Finds what readers of one document see and readers of another do not, by what lies where, whatever
/// the documents are about.
///
/// Below one key, or at one element, values belong together if one operation wrote them, and the rest
/// if they are equal. Of maps and lists that belong together in neither way the ones that readers see
/// are compared, so documents that were made apart show their fields, too.
struct DocumentComparison {
  /// How many differences are kept; the others are counted.
  static let mostDifferences = 100_000
  /// How deep the place of a difference may lie: documents nest as deep as they like, and what lies
  /// deeper is counted.
  static let deepest = 128
  /// How many values of one place are kept.
  private static let mostValues = 100

  private(set) var differences: [ComparisonReport.Difference] = []
  /// How many more differences there are than are kept.
  private(set) var omittedCount = 0

  private var this: Side
  private var other: Side
  private var path: [Step] = []
  /// What the root is called where it is itself a record, else nil.
  private let record: String?

  /// One of the two documents.
  private struct Side {
    let document: DocumentState
    /// The place of each actor among those of both documents, by the number that operations have for
    /// it.
    let ranks: [UInt64]
    var writers: WriterTable

    init(_ document: DocumentState, rankOf ranks: [ActorId: UInt64]) {
      self.document = document
      let actors = document.actorIDs
      self.ranks = document.actorPlaces.map { ranks[actors[Int($0)]] ?? 0 }
      writers = WriterTable(of: document)
    }

    /// The operation as a number that is the same in both documents, and greater for what wins.
    func number(of id: OpID) -> UInt64 {
      id.isRoot ? 0 : UInt64(id.counter) << 32 | ranks[id.actor]
    }

    func values(in group: ValueGroup?) -> [DocumentValue] {
      group.map { document.values(in: $0) } ?? []
    }
  }

  private enum Step {
    case key([UInt8])
    case index(Int)

    var text: String {
      switch self {
      case .key(let bytes): String(decoding: bytes, as: UTF8.self)
      case .index(let index): String(index)
      }
    }
  }

  /// A key or an element that both documents may have.
  private struct Entry {
    let step: Step
    var this: ValueGroup?
    var other: ValueGroup?
  }

  private struct Frame {
    let entries: [Entry]
    let depth: Int
    var next = 0
  }

  /// How the values of one place stand to each other.
  private struct Pairing {
    /// Maps and lists that belong together, by their ids in the two documents.
    var containers: [(this: DocumentValue, other: DocumentValue)] = []
    /// Whether each value has its equal, and readers see equal ones.
    var isEqual = true
  }

  /// Compares two documents.
  init(_ this: DocumentState, _ other: DocumentState) throws(MigrationError) {
    let actors = Set(this.actorIDs).union(other.actorIDs).sorted()
    var ranks: [ActorId: UInt64] = [:]
    for (rank, actor) in actors.enumerated() { ranks[actor] = UInt64(rank) }
    self.this = Side(this, rankOf: ranks)
    self.other = Side(other, rankOf: ranks)
    let root = DocumentRoot(this.changeCount > 0 ? this : other)
    record = root.isRecord ? root.entities.first?.identity.description : nil
    try compare()
  }

  private mutating func compare() throws(MigrationError) {
    var stack = [Frame(entries: entries(StateWalk.root, StateWalk.root), depth: 0)]
    while let top = stack.indices.last {
      guard stack[top].next < stack[top].entries.count else {
        stack.removeLast()
        continue
      }
      let (entry, depth) = (stack[top].entries[stack[top].next], stack[top].depth)
      stack[top].next += 1
      path.removeSubrange(depth...)
      path.append(entry.step)
      let (mine, theirs) = (this.values(in: entry.this), other.values(in: entry.other))
      let pairing = try pairing(mine, theirs)
      if !pairing.isEqual { try note(entry, mine, theirs, pairing) }
      for pair in pairing.containers {
        stack.append(Frame(entries: entries(pair.this, pair.other), depth: depth + 1))
      }
    }
  }

  // MARK: Maps and lists

  /// What has to be looked at in two containers of one kind; what is one and the same operation is
  /// left out.
  private func entries(_ mine: DocumentValue, _ theirs: DocumentValue) -> [Entry] {
    if mine.content == .object(.map) { return members(mine.id, theirs.id) }
    return this.number(of: mine.id) == other.number(of: theirs.id)
      ? elements(mine.id, theirs.id) : seenElements(mine.id, theirs.id)
  }

  private func members(_ mine: OpID, _ theirs: OpID) -> [Entry] {
    var keys: [(name: Range<Int>, group: ValueGroup)] = []
    other.document.forEachKey(of: theirs) { keys.append(($0, $1)) }
    var entries: [Entry] = []
    var next = 0
    let (pool, otherPool) = (this.document.pool, other.document.pool)
    func addOthers(before name: ArraySlice<UInt8>?) {
      while next < keys.count {
        let key = otherPool[keys[next].name]
        if let name, !key.lexicographicallyPrecedes(name) { return }
        add(Entry(step: .key(Array(key)), other: keys[next].group), to: &entries)
        next += 1
      }
    }
    this.document.forEachKey(of: mine) { name, group in
      let name = pool[name]
      addOthers(before: name)
      var entry = Entry(step: .key(Array(name)), this: group)
      if next < keys.count, otherPool[keys[next].name].elementsEqual(name) {
        entry.other = keys[next].group
        next += 1
      }
      add(entry, to: &entries)
    }
    addOthers(before: nil)
    return entries
  }

  /// The elements of one list in two states of it, those that somebody deleted included.
  private func elements(_ mine: OpID, _ theirs: OpID) -> [Entry] {
    var elements: [(number: UInt64, group: ValueGroup)] = []
    var places: [UInt64: Int] = [:]
    other.document.forEachGroup(in: theirs) { element, group in
      places[other.number(of: element)] = elements.count
      elements.append((other.number(of: element), group))
    }
    var known: Set<UInt64> = []
    this.document.forEachGroup(in: mine) { element, _ in known.insert(this.number(of: element)) }
    var entries: [Entry] = []
    var (index, otherIndex, next) = (0, 0, 0)
    func addOthers(before end: Int) {
      while next < end {
        let (number, group) = elements[next]
        if !known.contains(number) {
          add(Entry(step: .index(otherIndex), other: group), to: &entries)
        }
        if other.document.isVisible(group) { otherIndex += 1 }
        next += 1
      }
    }
    this.document.forEachGroup(in: mine) { element, group in
      var entry = Entry(step: .index(index), this: group)
      if let place = places[this.number(of: element)] {
        // Of hostile documents the order may differ; each element has its turn all the same.
        addOthers(before: place)
        entry.other = elements[place].group
      }
      if this.document.isVisible(group) { index += 1 }
      add(entry, to: &entries)
    }
    addOthers(before: elements.count)
    return entries
  }

  /// The elements of two lists that have nothing but their places in common.
  private func seenElements(_ mine: OpID, _ theirs: OpID) -> [Entry] {
    var entries: [Entry] = []
    this.document.forEachElement(of: mine) { _, group in
      entries.append(Entry(step: .index(entries.count), this: group))
    }
    var index = 0
    other.document.forEachElement(of: theirs) { _, group in
      if index < entries.count {
        entries[index].other = group
      } else {
        entries.append(Entry(step: .index(index), other: group))
      }
      index += 1
    }
    return entries
  }

  private func add(_ entry: Entry, to entries: inout [Entry]) {
    let mine = entry.this.flatMap { this.document.winnerAndCount(in: $0) }
    let theirs = entry.other.flatMap { other.document.winnerAndCount(in: $0) }
    if mine == nil, theirs == nil { return }
    if let mine, let theirs, mine.count == 1, theirs.count == 1,
      case .scalar(let one) = mine.winner.content, case .scalar(let two) = theirs.winner.content,
      hasEqualBytes(one, two)
    {
      return
    }
    entries.append(entry)
  }

  // MARK: Values

  private func pairing(
    _ mine: [DocumentValue], _ theirs: [DocumentValue]
  ) throws(MigrationError) -> Pairing {
    var pairing = Pairing()
    var (rest, otherRest): ([DocumentValue], [DocumentValue]) = ([], [])
    var next = 0
    for value in mine {
      let number = this.number(of: value.id)
      while next < theirs.count, other.number(of: theirs[next].id) < number {
        otherRest.append(theirs[next])
        next += 1
      }
      guard next < theirs.count, other.number(of: theirs[next].id) == number else {
        rest.append(value)
        continue
      }
      let match = theirs[next]
      next += 1
      if value.isContainer, value.content == match.content {
        pairing.containers.append((value, match))
      } else if try !isEqual(value, match) {
        rest.append(value)
        otherRest.append(match)
      }
    }
    otherRest += theirs[next...]
    if rest.isEmpty, otherRest.isEmpty { return pairing }
    // What the two have in common by now wins in both or in neither.
    let areSeen =
      (rest.last.map { $0.id == mine.last?.id } ?? false)
      == (otherRest.last.map { $0.id == theirs.last?.id } ?? false)
    pairing.isEqual = try pair(rest, otherRest, in: &pairing) && areSeen
    return pairing
  }

  /// Pairs values that different operations wrote; returns whether each has its equal, or is a
  /// container that is compared.
  private func pair(
    _ mine: [DocumentValue], _ theirs: [DocumentValue], in pairing: inout Pairing
  ) throws(MigrationError) -> Bool {
    var isEqual = mine.count == theirs.count
    for kind in [ObjectKind.map, .list] {
      let pairs = zip(
        mine.filter { $0.content == .object(kind) }.reversed(),
        theirs.filter { $0.content == .object(kind) }.reversed())
      for (one, two) in pairs { pairing.containers.append((one, two)) }
      let counts = [mine, theirs].map { $0.count { $0.content == .object(kind) } }
      if counts[0] != counts[1] { isEqual = false }
    }
    if let seen = mine.last, let other = theirs.last {
      if seen.isContainer || other.isContainer {
        if seen.content != other.content { isEqual = false }
      } else if try !self.isEqual(seen, other) {
        isEqual = false
      }
    }
    guard isEqual else { return false }
    var counts: [[UInt8]: Int] = [:]
    for value in mine where !value.isContainer {
      counts[try this.document.comparableJSON(of: value), default: 0] += 1
    }
    for value in theirs where !value.isContainer {
      counts[try other.document.comparableJSON(of: value), default: 0] -= 1
    }
    return counts.values.allSatisfy { $0 == 0 }
  }

  /// Whether two values that are neither maps nor lists are equal.
  private func isEqual(
    _ mine: DocumentValue, _ theirs: DocumentValue
  ) throws(MigrationError) -> Bool {
    if case .scalar(let one) = mine.content, case .scalar(let two) = theirs.content,
      hasEqualBytes(one, two)
    {
      return true
    }
    if mine.isContainer || theirs.isContainer { return false }
    return try this.document.comparableJSON(of: mine) == other.document.comparableJSON(of: theirs)
  }

  private func hasEqualBytes(_ one: ScalarPlace, _ two: ScalarPlace) -> Bool {
    guard one.type == two.type, one.counter == two.counter else { return false }
    return one.type == .counter
      || this.document.pool[one.range].elementsEqual(other.document.pool[two.range])
  }

  // MARK: Differences

  private mutating func note(
    _ entry: Entry, _ mine: [DocumentValue], _ theirs: [DocumentValue], _ pairing: Pairing
  ) throws(MigrationError) {
    guard differences.count < Self.mostDifferences, path.count <= Self.deepest else {
      omittedCount += 1
      return
    }
    let names = path.map(\.text)
    differences.append(
      ComparisonReport.Difference(
        entity: record ?? names[0],
        field: names.dropFirst(record == nil ? 1 : 0).joined(separator: "."), path: names,
        this: try Self.shown(mine, entry.this, in: &this, Set(pairing.containers.map(\.this.id))),
        other: try Self.shown(
          theirs, entry.other, in: &other, Set(pairing.containers.map(\.other.id)))))
  }

  /// - Parameter compared: the maps and lists that are compared inside, and not told as a whole.
  private static func shown(
    _ values: [DocumentValue], _ group: ValueGroup?, in side: inout Side, _ compared: Set<OpID>
  ) throws(MigrationError) -> ComparisonReport.Side {
    var shown = ComparisonReport.Side(valueCount: values.count)
    if values.isEmpty { shown.deleted = group.flatMap { side.writers.deleter(of: $0) } }
    // The one that wins is the last.
    let few = values.count <= mostValues ? values : values.prefix(mostValues - 1) + values.suffix(1)
    for value in few {
      let told: ReportValue =
        if compared.contains(value.id) {
          .string(value.content == .object(.map) ? "{...}" : "[...]")
        } else {
          try side.document.reportValue(of: value)
        }
      shown.values.append(
        ComparisonReport.Value(
          value: told, isShown: value.id == values.last?.id,
          writer: side.writers.writer(of: value, in: group)))
    }
    return shown
  }
}

extension DocumentValue {
  /// Whether it is a map or a list.
  fileprivate var isContainer: Bool { content == .object(.map) || content == .object(.list) }
}
