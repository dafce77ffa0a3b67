import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SwiftDataStores

/// The entities of an interchange stream, as its lines.
///
/// A stream may come in any order and may end before it is whole, so nothing of it is published
/// before its last line was read. Then the worker that makes a document reads its lines again.
struct StreamSpool: Sendable {
  /// The entities, ascending by kind, then by place, then as they came.
  var entities: [SpooledEntity] { taken.entities }
  /// What was found in lines that hold no entity, or one that nobody can tell from others.
  var findings: [Finding] { taken.findings }
  /// How many entities were refused because nobody can tell them from others, by kind.
  var rejected: [EntityKind: Int] { taken.rejected }
  /// How many entities of private kinds were left out, by kind.
  private(set) var leftOut: [EntityKind: Int] = [:]
  /// The groups that occur, ascending.
  private(set) var groups: [EntityGroup] = []
  /// The numbers of their entities, ascending.
  private var members: [EntityGroup: [UInt32]] = [:]

  /// Whether several entities of a kind have the same identity.
  private(set) var hasVariants = false
  /// Values of rows that are in files of their own.
  private(set) var blobs: [StoreBlob] = []

  private var taken = TakenLines()
  private var lines: ByteSpool
  private let name: String
  /// Whether messages name an entity by its place, because nobody sees the lines.
  private var namesPlaces = false
  private let kinds: EntityKinds
  private let rules: EntityRules
  /// The kinds that nobody asked for.
  private let withheld: Set<EntityKind>

  /// A stream without entities.
  init(emptyIn context: RunContext) {
    self.init("", EntityRules(), [], context)
  }

  private init(
    _ name: String, _ rules: EntityRules, _ withheld: Set<EntityKind>, _ context: RunContext
  ) {
    (self.name, self.rules, self.withheld) = (name, rules, withheld)
    kinds = context.kinds
    lines = ByteSpool(in: context.temporaryDirectory, operations: context.operations)
  }

  /// Reads a stream to its end.
  ///
  /// - Parameter withheld: the kinds of which only the number of entities is taken.
  init(
    _ source: ByteSource, rules: EntityRules, withholding withheld: Set<EntityKind> = [],
    context: RunContext
  ) throws(MigrationError) {
    self.init(source.name, rules, withheld, context)
    let file = FileReader(borrowing: source.descriptor, path: source.name)
    try take(context) { () throws(FolderError) in
      try InterchangeReader(file, of: context.kinds, rules: rules)
    }
  }

  /// Reads a stream that is in memory.
  init(
    _ bytes: [UInt8], name: String, rules: EntityRules,
    withholding withheld: Set<EntityKind> = [], context: RunContext
  ) throws(MigrationError) {
    self.init(name, rules, withheld, context)
    try take(context) { () throws(FolderError) in
      try InterchangeReader(bytes, name: name, of: context.kinds, rules: rules)
    }
  }

  /// Reads the rows of stores, which are proven to be sound meanwhile where they were not before.
  init(
    _ stores: StoreSource, rules: EntityRules, withholding withheld: Set<EntityKind>,
    context: RunContext
  ) throws(MigrationError) {
    self.init(stores.path, rules, withheld, context)
    namesPlaces = true
    try SoundnessProofs.making(stores.pendingChecks, context: context) {
      _ throws(MigrationError) in
      let rows = try TakenRows(
        of: stores, rules: rules, withholding: withheld, into: lines, context)
      (taken, lines, blobs, leftOut) = (rows.taken, rows.lines, rows.blobs, rows.leftOut)
      if rows.isSorted { gather() } else { sort() }
    }
    taken.findings += stores.findings + (try stores.countRemainder())
  }

  /// Adds findings about where the stream came from.
  mutating func add(_ others: [Finding]) { taken.findings += others }

  /// Returns the numbers of the entities of a group, ascending.
  func items(of group: EntityGroup) -> [UInt32] { members[group] ?? [] }

  /// Returns a reader of the entities, by their numbers.
  func reader() -> SpooledLineReader {
    SpooledLineReader(
      entities, ByteSpool.Reader(lines),
      InterchangeLineReader(name, of: kinds, rules: rules, namesPlaces: namesPlaces))
  }

  // MARK: Taking lines

  private mutating func take(
    _ context: RunContext, from open: () throws(FolderError) -> InterchangeReader
  ) throws(MigrationError) {
    var isInterrupted = false
    do throws(FolderError) {
      var reader = try open()
      while !isInterrupted, try reader.locateNext() {
        try take(reader)
        guard reader.entityCount.isMultiple(of: 256) else { continue }
        isInterrupted = context.isInterrupted()
        context.reportProgress?(
          RunProgress(.converting, completed: reader.entityCount, total: 0))
      }
      if let finding = reader.countFinding { taken.findings.append(finding) }
    } catch {
      throw MigrationError(error)
    }
    if isInterrupted { throw .interrupted }
    sort()
  }

  private mutating func take(_ reader: InterchangeReader) throws(FolderError) {
    guard !withheld.contains(reader.kind) else {
      leftOut[reader.kind, default: 0] += 1
      return
    }
    guard let located = reader.located else {
      return taken.leave(reader.batch, kind: reader.kind, at: reader.place)
    }
    let line: Range<Int>
    do throws(FileError) { line = try lines.append(reader.line) } catch { throw .file(error) }
    taken.add(located, at: line)
  }

  private mutating func sort() {
    if !isSorted { taken.entities.sort { $0.precedes($1) } }
    gather()
  }

  private var isSorted: Bool {
    // Without copying any of them.
    let entities = entities.span
    for index in entities.indices.dropFirst()
    where entities[index].precedes(entities[index - 1]) {
      return false
    }
    return true
  }

  /// Finds out who belongs together, of sorted entities.
  private mutating func gather() {
    var start = 0
    while start < entities.count {
      let kind = entities[start].located.kind
      let own = start..<end(of: kind, from: start)
      gatherVariants(of: kind, at: own)
      gatherMonths(of: kind, at: own)
      start = own.upperBound
    }
    groups = members.keys.sorted()
  }

  /// Returns where the entities of a kind end that begin at a number.
  private func end(of kind: EntityKind, from start: Int) -> Int {
    let entities = entities.span
    var end = start
    while end < entities.count, entities[end].located.kind == kind { end += 1 }
    return end
  }

  /// Takes the numbers of the entities of a kind, by the months whose documents they belong to.
  private mutating func gatherMonths(of kind: EntityKind, at own: Range<Int>) {
    let entities = entities.span
    var months: [Month?: Int] = [:]
    var numbers: [[UInt32]] = []
    for index in own {
      let month = entities[index].located.month
      let position = months[month] ?? numbers.count
      if position == numbers.count {
        months[month] = position
        numbers.append([])
      }
      numbers[position].append(UInt32(truncatingIfNeeded: index))
    }
    for (month, position) in months { members[EntityGroup(kind, month: month)] = numbers[position] }
  }

  /// All entities of one identity belong to the month of the first of them.
  private mutating func gatherVariants(of kind: EntityKind, at own: Range<Int>) {
    let repeated = entities[own].map(\.identity).repeated()
    if repeated.isEmpty { return }
    hasVariants = true
    guard kinds.isDated(kind) else { return }
    var months: [Identity: Month?] = [:]
    for index in own where repeated.contains(entities[index].identity) {
      let month = months[entities[index].identity] ?? entities[index].located.month
      months[entities[index].identity] = .some(month)
      taken.entities[index].located.month = month
    }
  }
}

/// Reads entities of a spool again. One worker has one, which is not copied where it is asked something.
final class SpooledLineReader {
  private let entities: [SpooledEntity]
  private var lines: ByteSpool.Reader
  private var line: InterchangeLineReader

  fileprivate init(
    _ entities: [SpooledEntity], _ lines: ByteSpool.Reader, _ line: InterchangeLineReader
  ) {
    (self.entities, self.lines, self.line) = (entities, lines, line)
  }

  /// The entity that was read last.
  var batch: EntityBatch { line.batch }

  /// Reads an entity of the spool by its number.
  func read(_ item: UInt32) throws(MigrationError) {
    let place = entities[Int(item)].line
    do throws(FolderError) {
      try line.read(entities[Int(item)].located) { bytes throws(FolderError) in
        do throws(FileError) { try lines.read(place, into: &bytes) } catch { throw .file(error) }
      }
    } catch {
      throw MigrationError(error)
    }
  }
}
