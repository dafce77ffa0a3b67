import Automerge
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// Entities that devices have made apart by a step with folds, each of what it had: none of them holds all, and
/// undoing the step has left them. Done again, the step gives them what it makes of all that is there.
struct ReunitedTotals {
  private let known: [Identity: ChangingEntity]
  private let kind: EntityKind
  private let step: RunningStep
  private let kinds: EntityKinds
  /// Those that got something, with the properties.
  private(set) var reunited:
    [(entity: ChangingEntity, properties: [SchemaReport.Change.Property])] =
      []

  /// - Parameter known: what the step makes of all that is there, and is there already; runs of it, or an import
  ///   right behind one, have made that.
  init(_ known: [ChangingEntity], of kind: EntityKind, by step: RunningStep, _ kinds: EntityKinds) {
    self.known = Dictionary(
      known.lazy.filter { $0.kind == kind }.map { ($0.identity, $0) },
      uniquingKeysWith: { first, _ in first })
    (self.kind, self.step, self.kinds) = (kind, step, kinds)
  }

  /// Writes them by a change of the step; returns it as a chunk, nil if there are none in a document that was
  /// loaded with its chunks.
  mutating func write(
    to document: inout DocumentState, at path: RelativePath
  ) throws(MigrationError) -> [UInt8]? {
    let id = step.stage.step.id.rawValue
    let names = step.stage.step.foldedProperties(ofMade: kinds.name(of: kind)).map {
      Array($0.utf8)
    }
    if names.isEmpty { return nil }
    let history = StepHistory(of: document)
    let made = history.skeletonsMade(by: [id], in: document)
    if made.isEmpty { return nil }
    let rows = Set(history.entries.lazy.filter { $0.note.id == id }.map(\.row))
    let note = step.note
    var change = try document.accepting(at: path) { document throws(FormatError) in
      try UpdateChange(onto: document, message: note.message)
    }
    var (entities, shown) = (StepEntities(kinds), StepEntities(kinds))
    var reconciler = EntityReconciler(kinds)
    var writer = FieldUpdater()
    for entity in DocumentRoot(document, of: kind, kinds).entities {
      guard let map = entity.map, let whole = known[entity.identity],
        let row = document.row(ofChangeThatMade: map), made.contains(row)
      else { continue }
      let own = names.filter { name in
        document.group(of: map, key: name).map { document.wasWritten($0, onlyBy: rows) } ?? true
      }
      guard !own.isEmpty, let legacy = try entities.make(whole) else { continue }
      let fields = reconciler.differences(
        among: own, of: legacy, in: entities.batch, map: map, document)
      if fields.isEmpty { continue }
      _ = try shown.read(map, kind, entity.identity, in: document)
      for field in fields {
        writer.write(field, of: legacy, in: entities.batch, map: map, of: document, to: &change)
      }
      let properties = fields.map { field in
        SchemaReport.Change.Property(
          name: String(decoding: field.name, as: UTF8.self), before: shown.member(field.name)?.json,
          after: whole.fields.value(named: field.name, of: whole.tape)?.json)
      }
      reunited.append((whole, properties))
    }
    if reunited.isEmpty { return nil }
    return try document.accepting(at: path) { document throws(FormatError) in
      try change.apply(to: &document, as: .step)
    }
  }
}

extension DocumentState {
  /// Whether nobody but imports, steps that made it as these do, and some changes ever wrote into a group or
  /// deleted from it.
  fileprivate func wasWritten(_ group: ValueGroup, onlyBy rows: Set<Int>) -> Bool {
    var writers: Set<Int?> = []
    addWriters(of: group, to: &writers)
    return writers.allSatisfy { row in row.map { rows.contains($0) || isImport($0) } ?? false }
  }

  /// Adds the rows of all changes that ever wrote into a group or deleted from it; nil is one that is not there.
  private func addWriters(of group: ValueGroup, to writers: inout Set<Int?>) {
    forEachOperation(in: group) { id, _, successors in
      writers.insert(row(ofChangeThatMade: id))
      for successor in successors { writers.insert(row(ofChangeThatMade: successor)) }
    }
    for value in values(in: group) {
      guard case .object = value.content else { continue }
      forEachGroup(in: value.id) { _, group in addWriters(of: group, to: &writers) }
    }
  }
}
