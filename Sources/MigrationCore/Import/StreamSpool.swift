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
  /// One entity of the stream.
  struct Entity: Sendable {
    fileprivate var located: LocatedLine
    fileprivate let start: Int
    fileprivate let byteCount: UInt32

    /// What it is, and the month whose document it belongs to.
    var group: EntityGroup { EntityGroup(located.kind, month: located.month) }
    var identity: Identity { located.identity }
    /// Where it belongs.
    var place: EntityPlace { located.place }
    fileprivate var line: Range<Int> { start..<start + Int(byteCount) }

    /// Whether it is by kind, place and line before another.
    fileprivate func precedes(_ other: Entity) -> Bool {
      if located.kind != other.located.kind { return located.kind < other.located.kind }
      if place != other.place { return place < other.place }
      return start < other.start
    }
  }

  /// The entities, ascending by kind, then by place, then as they came.
  private(set) var entities: [Entity] = []
  /// What was found in lines that hold no entity, or one that nobody can tell from others.
  private(set) var findings: [Finding] = []
  /// How many entities were refused because nobody can tell them from others, by kind.
  private(set) var rejected: [EntityKind: Int] = [:]
  /// How many entities of private kinds were left out, by kind.
  private(set) var leftOut: [EntityKind: Int] = [:]
  /// The groups that occur, ascending.
  private(set) var groups: [EntityGroup] = []
  /// The numbers of their entities, ascending.
  private var members: [EntityGroup: [UInt32]] = [:]

  /// Values of rows that are in files of their own.
  private(set) var blobs: [StoreBlob] = []

  private var lines: ByteSpool
  private let name: String
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
    let lines = stores.lines(withholding: withheld)
    var checks = stores.pendingChecks[...]
    let proofs = PiecesAhead<Bool, StoreError> { () throws(StoreError) in
      guard let check = checks.popFirst() else { return nil }
      try check.perform()
      return true
    }
    try proofs.whileMaking(threads: context.workerCount) { () throws(MigrationError) in
      let outcome = Result { () throws(MigrationError) in try take(lines, context) }
      // What is wrong with a store tells more than what reading it ran into.
      do throws(StoreError) { while try proofs.next() != nil {} } catch {
        throw MigrationError(error)
      }
      try outcome.get()
    }
    findings += stores.findings + lines.findings + (try stores.countRemainder())
    leftOut = lines.leftOut.filter { $0.value > 0 }
    blobs = lines.blobs
  }

  /// Adds findings about where the stream came from.
  mutating func add(_ others: [Finding]) { findings.append(contentsOf: others) }

  /// Returns the numbers of the entities of a group, ascending.
  func items(of group: EntityGroup) -> [UInt32] { members[group] ?? [] }

  /// Returns a reader of the entities, by their numbers.
  func reader() -> SpooledLineReader {
    SpooledLineReader(
      entities, ByteSpool.Reader(lines), InterchangeLineReader(name, of: kinds, rules: rules))
  }

  // MARK: Taking lines

  private mutating func take(
    _ lines: StoreLines, _ context: RunContext
  ) throws(MigrationError) {
    let (pieces, rules) = (lines.pieces, rules)
    try pieces.whileMaking(threads: context.workerCount) { () throws(MigrationError) in
      try take(context) { () throws(FolderError) in try lines.reader(of: pieces, rules: rules) }
    }
  }

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
      if let finding = reader.countFinding { findings.append(finding) }
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
    guard let located = reader.located else { return leave(reader.batch, of: reader) }
    let line: Range<Int>
    do throws(FileError) { line = try lines.append(reader.line) } catch { throw .file(error) }
    entities.append(
      Entity(
        located: located, start: line.lowerBound, byteCount: UInt32(truncatingIfNeeded: line.count))
    )
  }

  /// Tells of a line that holds no entity which could be imported.
  private mutating func leave(_ batch: EntityBatch, of reader: InterchangeReader) {
    findings.append(contentsOf: batch.findings)
    // What is no entity counts where its place says whose document it was in.
    let kind = reader.kind == .other ? batch.kinds.kind(at: reader.place) : reader.kind
    if batch.entities.isEmpty, let kind { rejected[kind, default: 0] += 1 }
    for entity in batch.entities {
      findings.append(
        Finding(
          .otherKey, .warning,
          message:
            "\"\(batch.tape.displayedString(at: entity.idNode))\" is no entity and is not imported",
          next: "copy the document it came from if it matters"))
    }
  }

  private mutating func sort() {
    // Rows of a store come as they are wanted.
    let isSorted = entities.indices.dropFirst().allSatisfy {
      !entities[$0].precedes(entities[$0 - 1])
    }
    if !isSorted { entities.sort { $0.precedes($1) } }
    gatherVariants()
    for index in entities.indices {
      members[entities[index].group, default: []].append(UInt32(truncatingIfNeeded: index))
    }
    groups = members.keys.sorted()
  }

  /// All entities of one identity belong to the month of the first of them.
  private mutating func gatherVariants() {
    for kind in kinds.all where kinds.isDated(kind) {
      let own = entities.indices.filter { entities[$0].located.kind == kind }
      let repeated = own.map { entities[$0].identity }.repeated()
      if repeated.isEmpty { continue }
      var months: [Identity: Month?] = [:]
      for index in own where repeated.contains(entities[index].identity) {
        let month = months[entities[index].identity] ?? entities[index].located.month
        months[entities[index].identity] = .some(month)
        entities[index].located.month = month
      }
    }
  }
}

/// Reads entities of a spool again. One worker has one, which is not copied where it is asked something.
final class SpooledLineReader {
  private let entities: [StreamSpool.Entity]
  private var lines: ByteSpool.Reader
  private var line: InterchangeLineReader

  fileprivate init(
    _ entities: [StreamSpool.Entity], _ lines: ByteSpool.Reader, _ line: InterchangeLineReader
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
