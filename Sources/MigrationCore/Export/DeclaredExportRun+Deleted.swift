import Backups
import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles

// What a backup holds and the folder does not show any more.
extension DeclaredExportRun {
  /// Names what was deleted since a backup was made, and exports it, too, if that is asked for, with the
  /// files that it names.
  mutating func exportDeleted(since backup: VerifiedBackup) throws(MigrationError) {
    let deleted = try DeletedEntities(of: input.folder, context: context, to: &report)
    let entities = BackupEntities(of: backup, rules: EntityRules(), context: context)
    var attached: Set<RelativePath> = []
    try entities.forEachBatch { batch, month, place throws(MigrationError) in
      if context.isInterrupted() { throw .interrupted }
      for entity in batch.entities where entity.kind != .other {
        guard deleted.isMissed(entity, &shown) else { continue }
        guard !withheld.contains(entity.kind) else {
          leftOut[entity.kind, default: []].insert(entity.identity)
          continue
        }
        let title = batch.title(of: entity)
        guard deleted.note(title, at: place, isExported: exportsDeleted, in: &report) else {
          continue
        }
        let group = EntityGroup(entity.kind, month: month)
        unfinished.insert(group)
        let written = DeclaredEntity(
          identity: kinds.bytes(of: entity.identity),
          place: known.place(of: entity.identity, in: group),
          path: Self.path(of: place, as: entity.kind, kinds),
          json: json(of: entity, in: batch), types: [])
        guard add(written, title, of: group, month: month, path: place) else { continue }
        report[entity.kind] += 1
        attached.formUnion(batch.attachedPaths(of: entity, month: entity.month ?? month))
      }
    }
    var writer = writer
    try BackupCopies.copy(attached, from: backup, unlessIn: input.folder, context: context) {
      entry throws(MigrationError) in
      try writer.stage(entry)
    }
    self.writer = writer
  }

  /// The file that a place names, if it is one of the kind.
  private static func path(
    of place: String, as kind: EntityKind, _ kinds: EntityKinds
  ) -> RelativePath? {
    let text = place.utf8.split(separator: UInt8(ascii: "#"), maxSplits: 1).first.map(Array.init)
    return [Array(place.utf8), text ?? []].lazy.compactMap { RelativePath($0) }
      .first { kinds.isLegacyFile($0, of: kind) }
  }

  /// An entity as the backup has it; one of a line of a stream gets its identity back.
  private func json(of entity: LegacyEntity, in batch: EntityBatch) -> [UInt8] {
    var json = JSONWriter()
    let isLine = !(entity.node..<batch.tape.node(after: entity.node)).contains(entity.idNode)
    guard writer.form == .file, let own = kinds[entity.kind]?.identity.property, isLine else {
      if writer.form == .file {
        json.value(entity.node, of: batch.tape)
      } else {
        json.fields(of: entity, in: batch)
      }
      return json.bytes
    }
    json.beginObject()
    json.name(own.bytes.span)
    json.string(kinds.bytes(of: entity.identity).span)
    var member = entity.node + 1
    while member < batch.tape.node(after: entity.node) {
      json.name(batch.tape.text.span.extracting(batch.tape.range(of: member)))
      json.value(member + 1, of: batch.tape)
      member = batch.tape.node(after: member + 1)
    }
    json.endObject()
    return json.bytes
  }
}
