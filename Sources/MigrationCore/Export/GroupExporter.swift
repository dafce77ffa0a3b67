import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import SafeFiles

/// Writes the entities of one group after the other as JSON. One worker has one exporter.
struct GroupExporter {
  /// What an export writes.
  enum Form: Sendable {
    /// Lines of an interchange stream.
    case stream
    /// Objects of legacy files.
    case legacy
  }

  /// What all workers of an export share.
  struct Input: Sendable {
    var folder: Directory
    var inventory: FolderInventory
    var rules: EntityRules
    var form: Form
    /// The names of records in quarantine.
    var names = NameTable()
    /// What the documents know, for telling which legacy files still speak for themselves; nil if
    /// the folder has none or no documents.
    var index: FolderIndex?
    var documents: [EntityGroup: [Int]] = [:]
    /// The dates that were numbers in the JSON the documents were made from; nil if none was.
    var dates: NumericDateTable?
  }

  /// What a document is called, in messages and as the source of names.
  private struct Label {
    var path: String
    var stem: [UInt8]
    /// Whether its name is that of the one record it holds.
    var namesItsRecord: Bool
  }

  let input: Input
  private var loader: DocumentLoader
  var reader: LegacyReader
  private var exporter: MemberExporter
  var lines = InterchangeWriter()

  // The group being exported.
  var exported = ExportedGroup(.first)
  var names = NameTable()
  private var taken: Set<[UInt8]> = []
  /// Losing values of conflicts in the document being exported.
  private var omittedValues = 0

  init(_ input: Input) {
    self.input = input
    loader = DocumentLoader(input.folder, input.inventory, keepsChunks: false)
    reader = LegacyReader(input.folder, input.inventory, rules: input.rules)
    exporter = MemberExporter(dates: input.dates)
    lines.json.removeAll()
  }

  /// Exports a group: its documents, and its legacy files that no document knows.
  mutating func exportGroup(_ group: EntityGroup) -> ExportedGroup {
    exported = ExportedGroup(group)
    names = NameTable()
    taken.removeAll(keepingCapacity: true)
    for file in input.inventory.legacyFilesBasesFirst(of: group) { exportFile(file) }
    names.index()
    let documents = GroupDocuments(input.documents[group] ?? [], with: &loader)
    exported.findings.append(contentsOf: documents.defects.map(\.finding))
    var repeated = RepeatedEntities(in: documents)
    var seen: [Identity: GroupDocuments.Place] = [:]
    for (number, loaded) in documents.documents.enumerated() {
      let label = label(of: loaded.file)
      exported.omittedChanges += loaded.document.queuedCount
      for (index, entity) in loaded.root.entities.enumerated() where entity.valueCount > 0 {
        guard let map = entity.map else { continue }
        let place = GroupDocuments.Place(document: number, entity: index)
        if let first = seen[entity.identity] {
          if repeated.differ(first, place) {
            exported.findings.append(
              input.inventory.notExported(
                input.inventory.kinds.title(group.kind, entity.identity), in: loaded.file,
                besides: documents.documents[first.document].file))
          }
          continue
        }
        seen[entity.identity] = place
        omittedValues += entity.valueCount - 1
        export(entity, map, of: loaded.document, label)
      }
      for other in loaded.root.others { export(other, of: loaded.document, label) }
      noteOmittedValues(of: label)
    }
    return finish()
  }

  /// Exports a document that lies in no folder; its records belong to the months they start in.
  mutating func export(
    _ document: DocumentState, named name: [UInt8], path: String
  ) -> [ExportedGroup] {
    let root = DocumentRoot(document)
    let label = Label(path: path, stem: name, namesItsRecord: root.isRecord)
    var groups: [EntityGroup: [DocumentRoot.Entity]] = [:]
    for entity in root.entities where entity.valueCount > 0 {
      guard let map = entity.map else { continue }
      groups[Self.group(of: map, in: document), default: []].append(entity)
    }
    if groups.isEmpty, !root.others.isEmpty { groups[EntityGroup(month: nil)] = [] }
    var results: [ExportedGroup] = []
    for (group, entities) in groups.sorted(by: { $0.key < $1.key }) {
      exported = ExportedGroup(group)
      taken.removeAll(keepingCapacity: true)
      for entity in entities {
        guard let map = entity.map else { continue }
        omittedValues += entity.valueCount - 1
        export(entity, map, of: document, label)
      }
      if results.isEmpty {
        exported.omittedChanges = document.queuedCount
        for other in root.others { export(other, of: document, label) }
      }
      noteOmittedValues(of: label)
      results.append(finish())
    }
    return results
  }

  /// A map with a start time is a record; anything else is taken for a tag.
  private static func group(of map: OpID, in document: DocumentState) -> EntityGroup {
    guard
      case .scalar(let place)? = document.value(of: map, key: KnownField.startTime.memberBytes)?
        .content, place.type == .timestamp,
      let name = RFC3339(milliseconds: document.signed(place)).utcName
    else { return EntityGroup(month: nil) }
    return EntityGroup(month: Month(prefixOf: name.span))
  }

  private mutating func finish() -> ExportedGroup {
    exported.sort()
    exported.bytes = lines.json.bytes
    lines.json.removeAll()
    return exported
  }

  /// Says that readers see one value of several, which is all that JSON can hold.
  private mutating func noteOmittedValues(of label: Label) {
    let count = omittedValues + exporter.conflictCount
    omittedValues = 0
    exported.convertedDates.add(exporter.convertedDates)
    exporter = MemberExporter(dates: input.dates)
    if let finding = Finding.losingValues(count, path: label.path) {
      exported.findings.append(finding)
    }
  }

  private func label(of file: Int) -> Label {
    Label(
      path: input.inventory.path(of: file).description, stem: input.inventory.stem(of: file),
      namesItsRecord: input.inventory.nominalClass(of: file) == .entityDocument)
  }

  /// Exports an entity that a legacy file elsewhere holds, as a part of a group.
  mutating func export(
    _ entity: LegacyEntity, of batch: EntityBatch, in group: EntityGroup, named stem: [UInt8],
    besides taken: Set<[UInt8]>
  ) -> ExportedGroup {
    exported = ExportedGroup(group)
    self.taken = taken
    export(entity, of: batch, named: stem)
    return finish()
  }

  // MARK: Documents

  private mutating func export(
    _ entity: DocumentRoot.Entity, _ map: OpID, of document: DocumentState, _ label: Label
  ) {
    let kind = exported.group.kind
    var place = EntityPlace.common
    if exported.group.month != nil {
      var stem = name(of: entity, map, of: document, label)
      makeWritable(&stem) { _ in label.path }
      place = self.place(of: entity.identity, named: stem)
    }
    let start = lines.json.bytes.count
    let id = entity.identity.canonicalBytes
    switch input.form {
    case .stream:
      lines.beginEntity(kind, id: id.span, place: place)
      lines.json.beginObject()
    case .legacy:
      lines.json.beginObject()
      lines.json.name("id")
      lines.json.string(entity.identity)
    }
    exporter.writeMembers(
      of: map, kind, entity.identity, in: document, level: level, to: &lines.json)
    lines.json.endObject()
    let kinds = input.inventory.kinds
    endEntity(path: label.path, name: kinds.title(kind, entity.identity))
    add(kind, entity.identity, id: id, place, from: start)
  }

  /// How deep the object of an entity lies: what has no month is in an array in its file. The line of a
  /// stream does not count for its readers.
  private var level: Int { input.form == .legacy && exported.group.month == nil ? 3 : 1 }

  private mutating func export(
    _ other: DocumentRoot.Other, of document: DocumentState, _ label: Label
  ) {
    let key = Array(document.pool[other.key])
    let name = "the key \"\(DisplayText.escaping(key))\""
    guard input.form == .stream, let value = document.winner(in: other.group) else {
      exported.findings.append(
        Finding(
          .notExported, .warning, path: label.path,
          message: "\(name) has no place in legacy files"))
      return
    }
    var stem = label.stem
    makeWritable(&stem) { _ in label.path }
    let place = exported.group.month.map { EntityPlace.dated($0, name: stem) } ?? .common
    let (start, mark) = (lines.json.bytes.count, lines.json.mark)
    lines.beginEntity(.other, id: key.span, place: place)
    guard exporter.writeValue(value, of: document, level: 0, to: &lines.json) else {
      lines.json.rewind(to: mark)
      return noteFindings(path: label.path) { name }
    }
    endEntity(path: label.path, name: name)
    add(.other, id: key, place, from: start)
  }

  private mutating func noteFindings(path: String, name: () -> String) {
    for var finding in exporter.findings {
      finding.path = path
      finding.message = "\(name()): \(finding.message)"
      exported.findings.append(finding)
    }
  }

  /// - Parameter name: what messages call the entity; of most there is nothing to tell.
  private mutating func endEntity(path: String, name: @autoclosure () -> String) {
    noteFindings(path: path, name: name)
    switch input.form {
    case .stream:
      lines.endEntity(types: exporter.types)
    case .legacy:
      lines.json.restart()
      for (pointer, type) in exporter.types where !Self.isPlainText(pointer, type) {
        exported.findings.append(
          Finding(
            .notExported, .warning, path: path,
            message:
              "\(name()): \(String(decoding: pointer, as: UTF8.self)) is of type \(type.name), "
              + "which a legacy file cannot say",
            next: "export a stream to keep the type"))
      }
    }
  }

  /// A comment is text to the app, however a document stores it.
  private static func isPlainText(_ pointer: [UInt8], _ type: StreamType) -> Bool {
    type == .text && pointer == Array("/comment".utf8)
  }

  mutating func add(
    _ kind: EntityKind, _ documentIdentity: Identity? = nil, id: [UInt8], _ place: EntityPlace,
    from start: Int
  ) {
    exported.entities.append(
      ExportedGroup.Entity(
        kind: kind, documentIdentity: documentIdentity, id: id, place: place,
        json: start..<lines.json.bytes.count))
  }

  // MARK: Names

  /// Returns the name of a record's file: what it was called before, else its start time.
  private mutating func name(
    of entity: DocumentRoot.Entity, _ map: OpID, of document: DocumentState, _ label: Label
  ) -> [UInt8] {
    if label.namesItsRecord { return label.stem }
    if let name = names.name(of: entity.identity) ?? input.names.name(of: entity.identity) {
      return name
    }
    var name = entity.identity.canonicalBytes
    if case .scalar(let place)? = document.value(of: map, key: KnownField.startTime.memberBytes)?
      .content, place.type == .timestamp,
      let derived = RFC3339(milliseconds: document.signed(place)).utcName
    {
      name = derived
    }
    exported.findings.append(
      Finding(
        .nameDerived, .info, path: label.path,
        message: "record \(entity.identity) gets the name \(DisplayText.escaping(name))"))
    return name
  }

  /// Makes a name one that the form can hold: a file has any bytes for a name, a stream is UTF-8.
  mutating func makeWritable(
    _ stem: inout [UInt8], path: (FolderInventory) -> String
  ) {
    guard input.form == .stream, stem.contains(where: { $0 >= 0x80 }),
      String(validating: stem, as: UTF8.self) == nil
    else { return }
    stem = Array(String(decoding: stem, as: UTF8.self).utf8)
    exported.findings.append(
      Finding(
        .nameDerived, .info, path: path(input.inventory),
        message: "its name is not UTF-8 and becomes \(DisplayText.escaping(stem)) in the stream"))
  }

  /// Returns the place of an entity; a name that another record has gets the start of the identity.
  mutating func place(of identity: Identity, named stem: [UInt8]) -> EntityPlace {
    guard let month = exported.group.month else { return .common }
    if taken.insert(stem).inserted { return .dated(month, name: stem) }
    let longer = stem + [UInt8(ascii: "_")] + identity.canonicalBytes.prefix(8)
    taken.insert(longer)
    return .dated(month, name: longer)
  }
}
