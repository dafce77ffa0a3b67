import Automerge
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// Entities that a step makes once more, after undoing it has taken them away: an import would find them
/// known, and leave them deleted.
struct ReturningEntities {
  private let made: [ChangingEntity]
  private let kinds: EntityKinds
  private let note: StepNote

  init(_ made: [ChangingEntity], _ kinds: EntityKinds, note: StepNote) {
    self.made = made.sorted { $0.identity < $1.identity }
    (self.kinds, self.note) = (kinds, note)
  }

  /// Makes their maps by one change of the step, and fills them by another; returns both as chunks.
  mutating func write(
    to document: inout DocumentState, at path: RelativePath
  ) throws(MigrationError) -> [UInt8] {
    let (made, kinds, note) = (made, kinds, note)
    let making = try document.accepting(at: path) { document throws(FormatError) -> [UInt8] in
      var change = try UpdateChange(onto: document, message: note.message)
      for entity in made {
        let key = kinds.bytes(of: entity.identity, entity.kind)
        let seen = change.predecessors(
          in: document.group(of: .root, key: key), of: document)
        _ = change.draft.makeObject(.map, in: .root, key: key.span, predecessors: seen)
      }
      return try change.apply(to: &document, as: .step)
    }
    var change = try document.accepting(at: path) { document throws(FormatError) in
      try UpdateChange(onto: document, message: note.message)
    }
    var entities = StepEntities(kinds)
    var reconciler = EntityReconciler(kinds)
    var writer = FieldUpdater()
    for entity in made {
      let key = kinds.bytes(of: entity.identity, entity.kind)
      guard let map = document.value(of: .root, key: key)?.id,
        let legacy = try entities.make(entity)
      else { throw .brokenInvariant("an entity that was made cannot be made again") }
      let fields = reconciler.differences(
        among: entity.fields.touched(of: entity.tape), of: legacy, in: entities.batch, map: map,
        document)
      for field in fields {
        writer.write(field, of: legacy, in: entities.batch, map: map, of: document, to: &change)
      }
    }
    let filling = try document.accepting(at: path) { document throws(FormatError) in
      try change.apply(to: &document, as: .step)
    }
    return making + filling
  }
}
