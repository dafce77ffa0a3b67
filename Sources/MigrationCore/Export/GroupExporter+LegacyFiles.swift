import Diagnostics
import FolderDocuments
import FolderState
import Folders
import SafeFiles

extension GroupExporter {
  /// Notes the names of a legacy file's records, and exports those that no document knows.
  mutating func exportFile(_ file: Int) {
    reader.read(file)
    let batch = reader.batch
    exported.findings.append(contentsOf: batch.findings)
    for entity in batch.entities {
      var stem = input.inventory.stem(of: file)
      if let status = input.index?.known[entity.kind, entity.identity] {
        if exported.group.month != nil { names.add(entity.identity, stem) }
        if status == .deleted {
          exported.findings.append(
            .staysDeleted(
              batch.title(of: entity), path: input.inventory.path(of: file).description))
        }
        continue
      }
      if let document = input.index?.setAside.document(holding: entity.identity, entity.kind) {
        exported.findings.append(
          document.finding(
            .error, about: batch.title(of: entity),
            at: input.inventory.path(of: file).description, "is not exported"))
        continue
      }
      makeWritable(&stem) { $0.path(of: file).description }
      export(entity, of: batch, named: stem)
    }
  }

  /// Exports an entity of a legacy file.
  mutating func export(_ entity: LegacyEntity, of batch: EntityBatch, named stem: [UInt8]) {
    let place = place(of: entity.identity, named: stem)
    let start = lines.json.bytes.count
    switch input.form {
    case .stream: lines.entity(entity, of: batch, place: place)
    case .legacy: writeObject(entity, of: batch)
    }
    add(entity.kind, id: entity.identity.canonicalBytes, place, from: start)
  }

  /// Copies an entity as its file has it, with its identity in canonical form.
  private mutating func writeObject(_ entity: LegacyEntity, of batch: EntityBatch) {
    let tape = batch.tape
    lines.json.beginObject()
    lines.json.name("id")
    lines.json.string(entity.identity)
    var member = entity.node + 1
    while member < tape.node(after: entity.node) {
      if member + 1 != entity.idNode {
        lines.json.name(tape.text.span.extracting(tape.range(of: member)))
        lines.json.value(member + 1, of: tape)
      }
      member = tape.node(after: member + 1)
    }
    lines.json.endObject()
    lines.json.restart()
  }
}
