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
    /// The types that a stream has to name.
    var types: [(pointer: [UInt8], type: StreamType)] = []
  }

  /// A visible key that is no entity, for a stream.
  struct Other: Sendable {
    var key: [UInt8]
    var document: RelativePath
    var json: Range<Int>
    var types: [(pointer: [UInt8], type: StreamType)]
  }

  var kind: EntityKind
  /// The path of the first document, for messages.
  var path = ""
  var entities: [Entity] = []
  var others: [Other] = []
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
    /// What is to be written.
    var form: DeclaredForm
    /// The kinds of which entities are only counted.
    var withheld: Set<EntityKind> = []
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

  /// Whether nobody asked for what is being exported.
  private var isWithheld: Bool { input.withheld.contains(part.kind) }

  /// Takes note of what readers see in a document of a kind that nobody asked for.
  private mutating func count(_ root: DocumentRoot) {
    for entity in root.entities where entity.valueCount > 0 { count(entity.identity) }
  }

  private mutating func count(_ identity: Identity) {
    part.entities.append(DeclaredPart.Entity(identity: identity, place: nil, json: 0..<0))
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
      if file.isOfFolder {
        part.findings += isWithheld ? batch.findings.map(\.asInformation) : batch.findings
      }
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
    if let failure = reader?.reader.failure(in: input.sources[file.source]) {
      part.findings.append(failure)
    }
    return reader?.reader.batch ?? EntityBatch(kinds: kinds)
  }

  private mutating func export(
    _ entity: LegacyEntity, of batch: EntityBatch, at place: KnownFiles.Place
  ) {
    let path = input.inventory.path(of: place.file.number).description
    if let status = input.index?.known[entity.kind, entity.identity] {
      if status == .deleted, !isWithheld {
        part.findings.append(.staysDeleted(batch.title(of: entity), path: path))
      }
      return
    }
    guard !isWithheld else { return count(entity.identity) }
    if let document = input.index?.setAside.document(holding: entity.identity, entity.kind) {
      part.findings.append(
        document.finding(.error, about: batch.title(of: entity), at: path, "is not exported"))
      return
    }
    let start = json.bytes.count
    switch input.form {
    case .file: json.value(entity.node, of: batch.tape)
    case .stream: json.fields(of: entity, in: batch)
    }
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
    guard var exporter = exporter(of: kind) else { return part }
    let documents = GroupDocuments(files, with: &loader)
    part.findings += documents.defects.map(\.finding)
    guard !isWithheld else {
      for loaded in documents.documents { count(loaded.root) }
      return finish()
    }
    var repeated = RepeatedEntities(in: documents)
    var seen: [Identity: GroupDocuments.Place] = [:]
    for (number, loaded) in documents.documents.enumerated() {
      let source = Source(
        document: loaded.document, path: input.inventory.path(of: loaded.file),
        month: input.inventory.month(of: loaded.file))
      part.omittedChanges += loaded.document.queuedCount
      var omittedValues = -exporter.conflictCount
      for (index, entity) in loaded.root.entities.enumerated() where entity.valueCount > 0 {
        guard let map = entity.map else { continue }
        let place = GroupDocuments.Place(document: number, entity: index)
        if let first = seen[entity.identity] {
          if repeated.differ(first, place) {
            part.findings.append(
              input.inventory.notExported(
                kinds.title(kind, entity.identity), in: loaded.file,
                besides: documents.documents[first.document].file))
          }
          continue
        }
        seen[entity.identity] = place
        omittedValues += entity.valueCount - 1
        export(entity, map, of: source, with: &exporter)
      }
      for other in loaded.root.others { export(other, of: source, with: &exporter) }
      omittedValues += exporter.conflictCount
      noteOmitted(omittedValues, in: source)
    }
    self.exporter = (kind, exporter)
    return finish()
  }

  /// Exports what a document shows that is read by itself.
  mutating func exportDocument(
    _ document: DocumentState, of group: EntityGroup, path: RelativePath
  ) -> DeclaredPart {
    part = DeclaredPart(kind: group.kind)
    part.path = path.description
    part.omittedChanges = document.queuedCount
    guard var exporter = exporter(of: group.kind) else { return part }
    let source = Source(document: document, path: path, month: group.month)
    let root = DocumentRoot(document, of: group.kind, kinds)
    guard !isWithheld else {
      count(root)
      return finish()
    }
    var omittedValues = -exporter.conflictCount
    for entity in root.entities where entity.valueCount > 0 {
      guard let map = entity.map else { continue }
      omittedValues += entity.valueCount - 1
      export(entity, map, of: source, with: &exporter)
    }
    for other in root.others { export(other, of: source, with: &exporter) }
    noteOmitted(omittedValues + exporter.conflictCount, in: source)
    self.exporter = (group.kind, exporter)
    return finish()
  }

  /// A document that is being exported.
  private struct Source {
    var document: DocumentState
    var path: RelativePath
    /// The month that its path says.
    var month: Month?
  }

  private func exporter(of kind: EntityKind) -> DeclaredExporter? {
    if let exporter, exporter.kind == kind { return exporter.exporter }
    return kinds[kind].map { DeclaredExporter($0, of: kinds.profile) }
  }

  private mutating func export(
    _ entity: DocumentRoot.Entity, _ map: OpID, of source: Source,
    with exporter: inout DeclaredExporter
  ) {
    let start = json.bytes.count
    json.beginObject()
    exporter.writeMembers(
      of: map, identity: kinds.bytes(of: entity.identity).span, in: source.document,
      hasIdentity: input.form == .file, level: level, to: &json)
    json.endObject()
    json.restart()
    var exported = DeclaredPart.Entity(
      identity: entity.identity, month: source.month, place: nil, json: start..<json.bytes.count)
    // Of most there is nothing to tell.
    var title: String { kinds.title(part.kind, entity.identity) }
    if !exporter.findings.isEmpty { note(exporter.findings, title, in: source) }
    switch input.form {
    case .stream: exported.types = exporter.types
    case .file:
      for (pointer, type) in exporter.types {
        part.findings.append(
          Finding(
            .notExported, .warning, path: source.path.description,
            message:
              "\(title): \(DisplayText.escaping(pointer)) is of type \(type.name), which JSON "
              + "does not say",
            next: "export a stream to keep the type"))
      }
    }
    part.entities.append(exported)
  }

  private mutating func note(_ findings: [Finding], _ title: String, in source: Source) {
    for var finding in findings {
      finding.path = source.path.description
      finding.message = "\(title): \(finding.message)"
      part.findings.append(finding)
    }
  }

  /// How deep the object of an entity lies in its file. The line of a stream does not count for its
  /// readers.
  private var level: Int {
    if input.form == .stream { return 1 }
    switch kinds[part.kind]?.home?.content {
    case .entity, nil: return 1
    case .value(let pointer): return pointer.tokens.count + 1
    case .elements(let pointer), .members(let pointer): return pointer.tokens.count + 2
    }
  }

  private mutating func export(
    _ other: DocumentRoot.Other, of source: Source, with exporter: inout DeclaredExporter
  ) {
    let key = Array(source.document.pool[other.key])
    let title = "the key \"\(DisplayText.escaping(key))\""
    guard input.form == .stream, let value = source.document.winner(in: other.group) else {
      part.findings.append(
        Finding(
          .notExported, .warning, path: source.path.description,
          message:
            "\(title) is no \(kinds.name(of: part.kind)) and has no place in the app's files",
          next: "look at it with inspect-crdt"))
      return
    }
    let (start, mark) = (json.bytes.count, json.mark)
    let isWritten = exporter.writeValue(value, of: source.document, level: 0, to: &json)
    note(exporter.findings, title, in: source)
    guard isWritten else { return json.rewind(to: mark) }
    json.restart()
    part.others.append(
      DeclaredPart.Other(
        key: key, document: source.path, json: start..<json.bytes.count, types: exporter.types))
  }

  private mutating func noteOmitted(_ count: Int, in source: Source) {
    if let finding = Finding.losingValues(count, path: source.path.description) {
      part.findings.append(finding)
    }
  }
}
