import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SchemaMigrations

/// Entities that are there several times, in files or lines: folds take each in once, as an import of all its
/// copies shows it.
///
/// Which these are is known once all entities were met, and only their copies are kept, each once.
struct EntityCopies {
  private var met: [EntityKind: Set<Identity>] = [:]
  /// By entity, the lines of its copies, one behind the other, as far as they differ.
  private var copies: [EntityKind: [Identity: [UInt8]]] = [:]
  private var byteCount = 0
  private var entities: StepEntities
  private let kinds: EntityKinds

  /// The most bytes that copies take together.
  private static let largestByteCount = 32 << 20

  init(_ kinds: EntityKinds) {
    self.kinds = kinds
    entities = StepEntities(kinds)
  }

  /// Whether there are such entities among those that were met.
  var isEmpty: Bool { copies.isEmpty }

  /// Such entities, in order.
  var all: [(kind: EntityKind, identity: Identity)] {
    copies.keys.sorted().flatMap { kind in
      (copies[kind] ?? [:]).keys.sorted().map { (kind, $0) }
    }
  }

  /// Notes that an entity is there.
  mutating func meet(_ entity: ChangingEntity) {
    if met[entity.kind, default: []].insert(entity.identity).inserted { return }
    copies[entity.kind, default: [:]][entity.identity] = []
  }

  /// Whether an entity is one of them.
  func contain(_ entity: ChangingEntity) -> Bool {
    copies[entity.kind]?[entity.identity] != nil
  }

  /// Keeps a copy of one of them.
  ///
  /// - Parameter types: where its types are on its tape, if it has any.
  mutating func keep(_ entity: ChangingEntity, types: Int? = nil) {
    // All were met.
    met = [:]
    let line = entities.line(of: entity, types: types)
    guard let held = copies[entity.kind]?[entity.identity],
      !Self.lines(held).contains(where: { $0.elementsEqual(line) })
    else { return }
    byteCount += line.count + 32
    // With no room for more.
    if byteCount <= Self.largestByteCount {
      copies[entity.kind]?[entity.identity] = held + line
    }
  }

  /// The lines of copies, each with its end.
  private static func lines(_ held: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = held[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(rest[...end])
      rest = rest[(end + 1)...]
    }
    return lines
  }

  /// Returns one of them, as an import of its copies shows it; as it is where all are equal, or none can be
  /// imported. Throws if the copies were too many to be kept.
  mutating func united(
    _ kind: EntityKind, _ identity: Identity
  ) throws(MigrationError) -> ChangingEntity {
    guard byteCount <= Self.largestByteCount else {
      throw .underlying(
        Diagnostic(
          .conflictsWithData, subject: kinds.title(kind, identity),
          problem: "it and others are there several times, with more different values than can be "
            + "looked at together (\(Self.largestByteCount.counted("byte")))",
          remedy: "import them, and run the step over the documents"))
    }
    let lines = Self.lines(copies[kind]?[identity] ?? []).map { Array($0) }
    if lines.count > 1 {
      var content = GroupContent(kinds, keepsChunks: true)
      for (number, line) in lines.enumerated() {
        guard let copy = try entities.make(LocatedLine(kind, identity), of: line) else { continue }
        do {
          try content.add(
            copy, of: entities.batch, at: SourcePosition(item: UInt32(clamping: number), element: 0)
          )
        } catch {
          // An import refuses it, too, and the other copies count.
          continue
        }
      }
      let document: DocumentState
      do throws(FormatError) {
        document = try content.document(of: kind, onto: DocumentState())
      } catch {
        throw .brokenInvariant("copies of an entity do not fit together: \(error.problem)")
      }
      if let map = DocumentRoot(document, of: kind, kinds).entities.first?.map {
        _ = try entities.read(map, kind, identity, in: document)
        return entities.entity
      }
    }
    guard let line = lines.first else { throw .brokenInvariant("an entity without copies") }
    try entities.read(line, kind, identity)
    return entities.entity
  }
}
