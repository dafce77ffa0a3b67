import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// The entities of an interchange stream, as the changes they become.
///
/// A stream may come in any order and may end before it is whole, so nothing of it is published
/// before its last line was read. Holding changes instead of lines costs about 400 bytes a record.
struct StreamSpool: Sendable {
  /// One entity of the stream.
  struct Entity: Sendable {
    var group: EntityGroup
    var identity: Identity
    /// The month of a date that decides about its document.
    var month: Month?
    /// Where it belongs.
    var place: EntityPlace
    /// The number of the entity, ascending by group and place.
    var position: SourcePosition
    /// How many files it names that lie beside the data.
    var imageCount: Int
    /// How many entities came before it.
    var arrival: UInt32
    fileprivate var chunks: Range<Int>
  }

  /// The entities, ascending by group, then by place, then as they came.
  private(set) var entities: [Entity] = []
  /// What was found in the lines.
  private(set) var findings: [Finding] = []
  /// How many entities were refused, by kind.
  private(set) var rejected: [EntityKind: Int] = [:]
  /// How many entities of private kinds were left out, by kind.
  private(set) var leftOut: [EntityKind: Int] = [:]
  /// What its entities hold that the schema does not name.
  private(set) var unknownFields = UnknownFields()
  /// The groups that occur, ascending, with their entities.
  private(set) var groups: [(group: EntityGroup, entities: Range<Int>)] = []

  /// Values of rows that are in files of their own.
  private(set) var blobs: [StoreBlob] = []

  private var chunks = ChangeChunks()
  /// The kinds that nobody asked for.
  private var withheld: Set<EntityKind> = []

  /// A stream without entities.
  static let empty = StreamSpool()

  private init() {}

  /// Reads a stream to its end.
  ///
  /// - Parameter withheld: the kinds of which only the number of entities is taken.
  init(
    _ source: ByteSource, rules: EntityRules, withholding withheld: Set<EntityKind> = [],
    context: RunContext
  ) throws(MigrationError) {
    let file = FileReader(borrowing: source.descriptor, path: source.name)
    try self.init(context, withheld) { () throws(FolderError) in
      try InterchangeReader(file, of: context.kinds, rules: rules)
    }
  }

  /// Reads a stream that is in memory.
  init(
    _ bytes: [UInt8], name: String, rules: EntityRules,
    withholding withheld: Set<EntityKind> = [], context: RunContext
  ) throws(MigrationError) {
    try self.init(context, withheld) { () throws(FolderError) in
      try InterchangeReader(bytes, name: name, of: context.kinds, rules: rules)
    }
  }

  /// Reads the rows of stores.
  init(
    _ stores: StoreSource, rules: EntityRules, withholding withheld: Set<EntityKind>,
    context: RunContext
  ) throws(MigrationError) {
    let lines = stores.lines(withholding: withheld)
    try self.init(context, withheld) { () throws(FolderError) in try lines.reader(rules: rules) }
    findings += stores.findings + lines.findings
    leftOut = lines.leftOut.filter { $0.value > 0 }
    blobs = lines.blobs
  }

  private init(
    _ context: RunContext, _ withheld: Set<EntityKind>,
    _ open: () throws(FolderError) -> InterchangeReader
  ) throws(MigrationError) {
    self.withheld = withheld
    var changes = EntityChanges(context.kinds)
    var isInterrupted = false
    var refusal: EntityRefusal?
    do throws(FolderError) {
      var reader = try open()
      while !isInterrupted, refusal == nil, try reader.next() {
        do throws(EntityRefusal) {
          try take(reader, &changes)
        } catch {
          refusal = error
        }
        guard reader.entityCount.isMultiple(of: 256) else { continue }
        isInterrupted = context.isInterrupted()
        context.reportProgress?(
          RunProgress(.converting, completed: reader.entityCount, total: 0))
      }
      if let finding = reader.countFinding { findings.append(finding) }
    } catch {
      throw MigrationError(error)
    }
    if let refusal { throw .brokenInvariant("a valid entity was refused: \(refusal)") }
    if isInterrupted { throw .interrupted }
    sort()
  }

  /// Returns the change chunks of an entity, one after another.
  func chunks(of entity: Entity) -> ArraySlice<UInt8> { chunks.bytes[entity.chunks] }

  /// Adds findings about where the stream came from.
  mutating func add(_ others: [Finding]) { findings.append(contentsOf: others) }

  private mutating func take(
    _ reader: InterchangeReader, _ changes: inout EntityChanges
  ) throws(EntityRefusal) {
    guard !withheld.contains(reader.kind) else {
      leftOut[reader.kind, default: 0] += 1
      return
    }
    let batch = reader.batch
    findings.append(contentsOf: batch.findings)
    if batch.entities.isEmpty {
      switch reader.place {
      case .tags: rejected[.tag, default: 0] += 1
      case .record: rejected[.record, default: 0] += 1
      case .file: if reader.kind != .other { rejected[reader.kind, default: 0] += 1 }
      }
    }
    for entity in batch.entities {
      guard entity.kind != .other else {
        findings.append(
          Finding(
            .otherKey, .warning,
            message:
              "\"\(batch.tape.displayedString(at: entity.idNode))\" is no entity and is not imported",
            next: "copy the document it came from if it matters"))
        continue
      }
      let start = chunks.bytes.count
      try changes.build(entity, of: batch, into: &chunks)
      unknownFields.note(entity, of: batch)
      entities.append(
        Entity(
          group: EntityGroup(entity.kind, month: reader.place.month), identity: entity.identity,
          month: entity.month, place: reader.place,
          position: SourcePosition(item: UInt32(entities.count), element: 0),
          imageCount: batch.attachedNameCount(of: entity), arrival: UInt32(entities.count),
          chunks: start..<chunks.bytes.count))
    }
  }

  private mutating func sort() {
    entities.sort { left, right in
      if left.group != right.group { return left.group < right.group }
      if left.place != right.place { return left.place < right.place }
      return left.position < right.position
    }
    for index in entities.indices {
      entities[index].position = SourcePosition(item: UInt32(index), element: 0)
      if let last = groups.last, last.group == entities[index].group {
        groups[groups.count - 1].entities = last.entities.lowerBound..<index + 1
      } else {
        groups.append((entities[index].group, index..<index + 1))
      }
    }
  }
}
