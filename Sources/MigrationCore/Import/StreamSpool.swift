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
    /// The name of its place; empty for a tag.
    var stem: [UInt8]
    /// The number of the entity, ascending by group and place.
    var position: SourcePosition
    var content: ChangeHash
    var images: ChangeHash?
    /// How many images it names.
    var imageCount: Int
    fileprivate var chunks: Range<Int>
  }

  /// The entities, ascending by group, then by place, then as they came.
  private(set) var entities: [Entity] = []
  /// What was found in the lines.
  private(set) var findings: [Finding] = []
  /// Entities that were refused, by kind.
  private(set) var rejectedTags = 0
  private(set) var rejectedRecords = 0
  /// What its entities hold that the schema does not name.
  private(set) var unknownFields = UnknownFields()
  /// The groups that occur, ascending, with their entities.
  private(set) var groups: [(group: EntityGroup, entities: Range<Int>)] = []

  private var bytes: [UInt8] = []

  /// A stream without entities.
  static let empty = StreamSpool()

  private init() {}

  /// Reads a stream to its end.
  init(_ source: ByteSource, rules: EntityRules, context: RunContext) throws(MigrationError) {
    let file = FileReader(borrowing: source.descriptor, path: source.name)
    try self.init(context) { () throws(FolderError) in try InterchangeReader(file, rules: rules) }
  }

  /// Reads a stream that is in memory.
  init(
    _ bytes: [UInt8], name: String, rules: EntityRules, context: RunContext
  ) throws(MigrationError) {
    try self.init(context) { () throws(FolderError) in
      try InterchangeReader(bytes, name: name, rules: rules)
    }
  }

  private init(
    _ context: RunContext, _ open: () throws(FolderError) -> InterchangeReader
  ) throws(MigrationError) {
    var changes = ConvergentChanges()
    var isInterrupted = false
    do throws(FolderError) {
      var reader = try open()
      while !isInterrupted, try reader.next() {
        take(reader.batch, at: reader.place, &changes)
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

  /// Returns the change chunks of an entity, one after another.
  func chunks(of entity: Entity) -> ArraySlice<UInt8> { bytes[entity.chunks] }

  /// Adds findings about where the stream came from.
  mutating func add(_ others: [Finding]) { findings.append(contentsOf: others) }

  private mutating func take(
    _ batch: EntityBatch, at place: EntityPlace, _ changes: inout ConvergentChanges
  ) {
    findings.append(contentsOf: batch.findings)
    if batch.entities.isEmpty {
      if place == .tags { rejectedTags += 1 } else { rejectedRecords += 1 }
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
      changes.build(entity, of: batch)
      unknownFields.note(entity, of: batch)
      let start = bytes.count
      bytes.append(contentsOf: changes.skeleton.chunk)
      bytes.append(contentsOf: changes.content.chunk)
      if changes.hasImages { bytes.append(contentsOf: changes.images.chunk) }
      var stem: [UInt8] = []
      if case .record(_, let name) = place { stem = name }
      entities.append(
        Entity(
          group: EntityGroup(month: place.month), identity: entity.identity, stem: stem,
          position: SourcePosition(item: UInt32(entities.count), element: 0),
          content: changes.content.hash, images: changes.hasImages ? changes.images.hash : nil,
          imageCount: entity.imagesNode.map { batch.tape.childCount(of: $0) } ?? 0,
          chunks: start..<bytes.count))
    }
  }

  private mutating func sort() {
    entities.sort { left, right in
      if left.group != right.group { return left.group < right.group }
      if left.stem != right.stem { return left.stem.lexicographicallyPrecedes(right.stem) }
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
