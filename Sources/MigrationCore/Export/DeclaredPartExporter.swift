import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import SafeFiles

/// Entities of one kind as JSON objects, from one document and its copies or from some legacy files.
struct DeclaredPart: Sendable {
  /// One entity.
  struct Entity: Sendable {
    var identity: Identity
    /// The month that its document says.
    var month: Month?
    /// Where a legacy file has it; nil if it comes from a document.
    var place: KnownFiles.Place?
    /// Its object.
    var json: Range<Int>
  }

  var kind: EntityKind
  /// The path of the first document, for messages.
  var path = ""
  var entities: [Entity] = []
  var bytes: [UInt8] = []
  /// Where the entities of legacy files are, those that documents know included.
  var places: [(identity: Identity, place: KnownFiles.Place)] = []
  var findings: [Finding] = []
  /// Queued changes that are not in the export.
  var omittedChanges = 0
}

/// Turns entities of declared kinds into JSON. One worker has one exporter.
struct DeclaredPartExporter {
  /// What all workers of an export share.
  struct Input: Sendable {
    var folder: Directory
    var inventory: FolderInventory
    var sources: [KnownFiles.Source]
    /// What the documents know; nil if the folder has none, or no legacy files.
    var index: FolderIndex?
  }

  private let input: Input
  private let kinds: EntityKinds
  private var loader: DocumentLoader
  private var reader: (source: Int, reader: LegacyReader)?
  private var exporter: (kind: EntityKind, exporter: DeclaredExporter)?
  private var json = JSONWriter()
  private var part = DeclaredPart(kind: .other)

  init(_ input: Input) {
    self.input = input
    kinds = input.inventory.kinds
    loader = DocumentLoader(input.folder, input.inventory, keepsChunks: false)
  }

  private mutating func finish() -> DeclaredPart {
    part.bytes = json.bytes
    json.removeAll()
    return part
  }

  // MARK: Legacy files

  /// Looks through legacy files of a kind: notes where entities are, and exports those of the folder
  /// that no document knows.
  mutating func exportFiles(
    _ files: some Sequence<KnownFiles.File>, of kind: EntityKind
  ) -> DeclaredPart {
    part = DeclaredPart(kind: kind)
    for file in files {
      let batch = read(file)
      // What is wrong with a file in quarantine is told by who looks there.
      if file.isOfFolder { part.findings += batch.findings }
      for entity in batch.entities {
        let place = KnownFiles.Place(file: file, position: entity.position)
        part.places.append((entity.identity, place))
        if file.isOfFolder { export(entity, of: batch, at: place) }
      }
    }
    return finish()
  }

  private mutating func read(_ file: KnownFiles.File) -> EntityBatch {
    if reader?.source != file.source {
      let source = input.sources[file.source]
      reader = (file.source, LegacyReader(source.directory, source.inventory))
    }
    reader?.reader.read(file.number)
    return reader?.reader.batch ?? EntityBatch(kinds: kinds)
  }

  private mutating func export(
    _ entity: LegacyEntity, of batch: EntityBatch, at place: KnownFiles.Place
  ) {
    let path = input.inventory.path(of: place.file.number).description
    if let status = input.index?.known[entity.kind, entity.identity] {
      if status == .deleted {
        part.findings.append(
          Finding(
            .deleted, .info, path: path,
            message: "\(batch.title(of: entity)) was deleted in a document and is not exported"))
      }
      return
    }
    if let document = input.index?.setAside.document(holding: entity.identity, entity.kind) {
      part.findings.append(
        document.finding(.error, about: batch.title(of: entity), at: path, "is not exported"))
      return
    }
    let start = json.bytes.count
    json.value(entity.node, of: batch.tape)
    json.restart()
    part.entities.append(
      DeclaredPart.Entity(
        identity: entity.identity, month: nil, place: place, json: start..<json.bytes.count))
  }

  // MARK: Documents

  /// Exports what a document and its copies show.
  mutating func exportDocuments(_ files: [Int], of kind: EntityKind) -> DeclaredPart {
    part = DeclaredPart(kind: kind)
    part.path = files.first.map { input.inventory.path(of: $0).description } ?? ""
    var exporter: DeclaredExporter
    if let current = self.exporter, current.kind == kind {
      exporter = current.exporter
    } else {
      guard let profile = kinds[kind] else { return part }
      exporter = DeclaredExporter(profile, of: kinds.profile)
    }
    let documents = GroupDocuments(files, with: &loader)
    part.findings += documents.defects.map(\.finding)
    var repeated = RepeatedEntities(in: documents)
    var seen: [Identity: GroupDocuments.Place] = [:]
    for (number, loaded) in documents.documents.enumerated() {
      part.omittedChanges += loaded.document.queuedCount
      var omittedValues = -exporter.conflictCount
      for (index, entity) in loaded.root.entities.enumerated() where entity.valueCount > 0 {
        guard let map = entity.map else { continue }
        let place = GroupDocuments.Place(document: number, entity: index)
        if let first = seen[entity.identity] {
          if repeated.differ(first, place) {
            noteRepeated(entity.identity, in: loaded.file, documents.documents[first.document].file)
          }
          continue
        }
        seen[entity.identity] = place
        omittedValues += entity.valueCount - 1
        export(entity, map, of: loaded, with: &exporter)
      }
      for other in loaded.root.others { note(other, in: loaded) }
      omittedValues += exporter.conflictCount
      noteOmitted(omittedValues, in: loaded.file)
    }
    self.exporter = (kind, exporter)
    return finish()
  }

  private mutating func export(
    _ entity: DocumentRoot.Entity, _ map: OpID, of loaded: GroupDocuments.Loaded,
    with exporter: inout DeclaredExporter
  ) {
    let start = json.bytes.count
    json.beginObject()
    exporter.writeMembers(
      of: map, identity: kinds.bytes(of: entity.identity).span, in: loaded.document,
      hasIdentity: true, level: level, to: &json)
    json.endObject()
    json.restart()
    part.entities.append(
      DeclaredPart.Entity(
        identity: entity.identity, month: input.inventory.month(of: loaded.file), place: nil,
        json: start..<json.bytes.count))
    let path = input.inventory.path(of: loaded.file).description
    let title = kinds.title(part.kind, entity.identity)
    for var finding in exporter.findings {
      finding.path = path
      finding.message = "\(title): \(finding.message)"
      part.findings.append(finding)
    }
    for (pointer, type) in exporter.types {
      part.findings.append(
        Finding(
          .notExported, .warning, path: path,
          message: "\(title): \(DisplayText.escaping(pointer)) is of type \(type.name), which JSON "
            + "does not say"))
    }
  }

  /// How deep the object of an entity lies in its file.
  private var level: Int {
    switch kinds[part.kind]?.home?.content {
    case .entity, nil: 1
    case .value(let pointer): pointer.tokens.count + 1
    case .elements(let pointer), .members(let pointer): pointer.tokens.count + 2
    }
  }

  private mutating func noteRepeated(_ identity: Identity, in file: Int, _ other: Int) {
    let inventory = input.inventory
    part.findings.append(
      Finding(
        .notExported, .warning, path: inventory.path(of: file).description,
        message: "\(kinds.title(part.kind, identity)) is exported from "
          + "\(inventory.path(of: other)), and this one is not",
        next: inventory.remedy(for: file, besides: other)))
  }

  private mutating func note(_ other: DocumentRoot.Other, in loaded: GroupDocuments.Loaded) {
    let key = Array(loaded.document.pool[other.key])
    part.findings.append(
      Finding(
        .notExported, .warning, path: input.inventory.path(of: loaded.file).description,
        message: "the key \"\(DisplayText.escaping(key))\" is no \(kinds.name(of: part.kind)) and "
          + "has no place in the app's files",
        next: "look at it with inspect-crdt"))
  }

  /// Says that readers see one value of several, which is all that JSON can hold.
  private mutating func noteOmitted(_ count: Int, in file: Int) {
    guard count > 0 else { return }
    part.findings.append(
      Finding(
        .notExported, .warning, path: input.inventory.path(of: file).description,
        message: count.counted(
          "losing value of conflicts is not exported",
          "losing values of conflicts are not exported"),
        next: "look at them with inspect-crdt --conflicts"))
  }
}
