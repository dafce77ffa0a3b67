import Automerge
import Folders

/// The fields that an entity of Minuta and a document have together.
struct MinutaFields {
  private typealias Field = EntityReconciler.Field

  private static let identityKey = Array("id".utf8)

  private var names: [UInt32] = []

  /// Returns them in the order a change writes them: unknown ones by the bytes of their names, then
  /// known ones, then a record's images.
  mutating func fields(
    of entity: LegacyEntity, in batch: EntityBatch, _ map: OpID, _ document: DocumentState
  ) -> [EntityReconciler.Field] {
    var fields = unknownFields(of: entity, in: batch, map, document)
    for known in entity.kind.fields {
      fields.append(
        Field(
          name: known.memberBytes, member: entity.node(of: known).map { $0 - 1 },
          role: .known(known),
          group: document.group(of: map, key: known.memberBytes), verdict: .equal))
    }
    if entity.kind.hasImages {
      fields.append(
        Field(
          name: KnownField.imagesKey, member: entity.imagesNode.map { $0 - 1 }, role: .images,
          group: document.group(of: map, key: KnownField.imagesKey), verdict: .equal))
    }
    return fields
  }

  /// The members that the schema does not name and the keys of the document that it does not,
  /// merged.
  private mutating func unknownFields(
    of entity: LegacyEntity, in batch: EntityBatch, _ map: OpID, _ document: DocumentState
  ) -> [Field] {
    names.removeAll(keepingCapacity: true)
    batch.appendUnknownMembers(of: entity, to: &names)
    let tape = batch.tape
    var fields = names.map { name in
      Field(name: tape.bytes(of: Int(name)), member: Int(name), verdict: .equal)
    }
    var next = 0
    document.forEachKey(of: map) { range, group in
      let name = Array(document.pool[range])
      guard !Self.isNamed(name, in: entity.kind) else { return }
      while next < fields.count, fields[next].name.lexicographicallyPrecedes(name) { next += 1 }
      if next < fields.count, fields[next].name == name {
        fields[next].group = group
      } else {
        fields.insert(Field(name: name, group: group, verdict: .equal), at: next)
      }
    }
    return fields
  }

  /// Whether the schema names a field, or it is no field at all.
  private static func isNamed(_ name: [UInt8], in kind: EntityKind) -> Bool {
    name == identityKey || kind.hasImages && name == KnownField.imagesKey
      || kind.fields.contains { $0.memberBytes == name }
  }
}
