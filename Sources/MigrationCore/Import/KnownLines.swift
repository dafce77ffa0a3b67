import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// What stores say of entities that documents show already: read again, once it is known which these are.
///
/// The lines of those that changed since their import are kept, and of those that several rows are.
struct KnownLines: Sendable {
  /// The entities that documents show, and those of them that changed.
  private(set) var outcome = GroupImporter.Outcome()

  private let kinds: EntityKinds
  private let rules: EntityRules
  /// Lines by the numbers of their entities.
  private var lines: [UInt32: [UInt8]] = [:]
  /// What messages call the entities of these lines.
  private var places: [UInt32: String] = [:]
  private let path: String

  init(
    of spool: StreamSpool, _ stores: StoreSource, _ rules: EntityRules,
    withholding withheld: Set<EntityKind>, _ index: FolderIndex, updates: Bool,
    context: RunContext
  ) throws(MigrationError) {
    (kinds, path, self.rules) = (stores.kinds, stores.path, rules)
    let isKnown = spool.entities.contains { index.known[$0.group.kind, $0.identity] == .visible }
    guard isKnown else { return }
    var positions = [UInt32](repeating: 0, count: spool.entities.count)
    for entity in spool.entities { positions[Int(entity.arrival)] = entity.position.item }
    let repeated = Set(
      kinds.all.flatMap { kind in
        spool.entities.filter { $0.group.kind == kind }.map(\.identity).repeated()
      })
    var changes = EntityChanges(kinds)
    var refusal: EntityRefusal?
    do throws(FolderError) {
      var reader = try stores.lines(withholding: withheld).reader(rules: rules)
      var arrival = 0
      while refusal == nil, try reader.next() {
        for entity in reader.batch.entities where entity.kind != .other {
          defer { arrival += 1 }
          guard arrival < positions.count,
            index.known[entity.kind, entity.identity] == .visible
          else { continue }
          do throws(EntityRefusal) { try changes.build(entity, of: reader.batch) } catch {
            refusal = error
            break
          }
          let candidate = UpdateCandidate(
            identity: entity.identity, kind: entity.kind,
            position: SourcePosition(item: positions[arrival], element: 0),
            content: changes.contentWord)
          outcome.known.append(candidate)
          // What was never imported did not change since: apps make documents, too.
          let isChanged =
            !index.changes.hold(changes)
            && (updates || changes.skeleton.map(index.changes.hold) ?? false)
          if isChanged { outcome.changed.append(candidate) }
          guard isChanged || repeated.contains(entity.identity) else { continue }
          lines[positions[arrival]] = Array(reader.lastLine)
          places[positions[arrival]] = reader.place.description
        }
        guard reader.entityCount.isMultiple(of: 256) else { continue }
        if context.isInterrupted() { break }
      }
    } catch {
      throw MigrationError(error)
    }
    if context.isInterrupted() { throw .interrupted }
    if let refusal { throw .brokenInvariant("a valid entity was refused: \(refusal)") }
  }

  /// Returns what messages call an entity.
  func place(of item: UInt32) -> String { "\(path): \(places[item] ?? "")" }

  /// Returns an entity that was kept, in a batch of its own; nil for any other.
  func batch(of item: UInt32) -> EntityBatch? {
    guard let line = lines[item] else { return nil }
    let text = InterchangeWriter(kinds).json.bytes + line + [UInt8(ascii: "\n")]
    do throws(FolderError) {
      var reader = try InterchangeReader(text, name: path, of: kinds, rules: rules)
      return try reader.next() ? reader.batch : nil
    } catch {
      // It was read before.
      return nil
    }
  }
}

/// Where an update finds the entities that changed.
enum UpdateSource: Sendable {
  case files(Directory, FolderInventory, EntityRules)
  case lines(KnownLines)

  /// Returns what messages call a file or an entity of a store.
  func path(of item: UInt32) -> String {
    switch self {
    case .files(_, let inventory, _): inventory.path(of: Int(item)).description
    case .lines(let lines): lines.place(of: item)
    }
  }
}

/// Reads the entities of an update, one file or line after the other. One worker has one.
struct UpdateReader {
  /// What was read last.
  private(set) var batch: EntityBatch
  /// What was found of a file that is not as it was.
  private(set) var failure = Finding.changedSince

  private var files: LegacyReader?
  private var lines: KnownLines?
  private var item: UInt32?

  init(_ source: UpdateSource, _ kinds: EntityKinds) {
    batch = EntityBatch(kinds: kinds)
    switch source {
    case .files(let directory, let inventory, let rules):
      files = LegacyReader(directory, inventory, rules: rules)
    case .lines(let lines): self.lines = lines
    }
  }

  /// Reads a file or line, unless it is the one that was read last: all tags are in one file.
  mutating func read(_ item: UInt32) {
    guard self.item != item else { return }
    self.item = item
    if let lines {
      batch = lines.batch(of: item) ?? EntityBatch(kinds: batch.kinds)
      return
    }
    files?.read(Int(item))
    guard let files else { return }
    batch = files.batch
    failure = files.state == nil ? files.batch.findings.first ?? .gone : .changedSince
  }
}
