package import Automerge
package import Diagnostics
package import Folders

/// Decides for each field of a legacy entity whose file changed after its import what is to become
/// of it (convergent-import.md, Update).
package struct EntityReconciler {
  /// What a field of the file is, compared with the document.
  package enum Verdict: Hashable, Sendable {
    /// Readers of the document see the same.
    case equal
    /// The document once got this value from an import or an update, and has moved on.
    case written
    /// The file has a new value, and readers see what an import or an update left.
    case outdated
    /// The file has a new value, and so has the document from somebody else.
    case editedBoth
  }

  /// One field on both sides.
  package struct Field {
    package var name: [UInt8]
    /// The name node of the member; nil if the file does not have it.
    package var member: Int?
    /// What the schema knows of it; nil for `images` of a record and for unknown fields.
    package var known: KnownField?
    /// What was ever done to it in the document.
    package var group: ValueGroup?
    /// The same of the object that an import made, if readers see another one.
    var importedGroup: ValueGroup?
    package var verdict: Verdict
    /// Whether what readers see is another value that the entity was imported with, and nobody
    /// touched it since.
    package var showsOtherImport = false
  }

  private static let identityKey = Array("id".utf8)

  private var comparison = MinutaComparison()
  private var names: [UInt32] = []
  /// The points of history that were read at last.
  private var views: [(row: Int, view: HistoricalView)] = []
  private static let viewCapacity = 8

  package init() {}

  /// Returns all fields in the order a change writes them: unknown ones by the bytes of their names,
  /// then known ones, then a record's images. Nil if no import made the entity.
  ///
  /// Readers may see an object that an app made while the one of an import is hidden behind it. Then
  /// no field is what an import left: the file has old values or the document has others.
  ///
  /// - Parameter map: the entity's map, whether readers see it or not.
  package mutating func fields(
    of entity: LegacyEntity, in batch: EntityBatch, map: OpID, _ history: inout ImportHistory
  ) -> [Field]? {
    guard let imported = importedMap(of: entity, behind: map, &history) else { return nil }
    views.removeAll(keepingCapacity: true)
    let document = history.document
    var fields = unknownFields(of: entity, in: batch, map, document)
    for known in entity.kind.fields {
      fields.append(
        Field(
          name: known.memberBytes, member: entity.node(of: known).map { $0 - 1 }, known: known,
          group: document.group(of: map, key: known.memberBytes), verdict: .equal))
    }
    if entity.kind == .record {
      fields.append(
        Field(
          name: KnownField.imagesKey, member: entity.imagesNode.map { $0 - 1 },
          group: document.group(of: map, key: KnownField.imagesKey), verdict: .equal))
    }
    for index in fields.indices {
      fields[index].importedGroup =
        imported == map
        ? fields[index].group : document.group(of: imported, key: fields[index].name)
    }
    let imports = imports(of: fields, &history)
    for index in fields.indices {
      var verdict = verdict(fields[index], of: entity, in: batch, imports, &history)
      if verdict == .outdated, imported != map { verdict = .editedBoth }
      fields[index].verdict = verdict
      guard verdict == .written, imports.count > 1 else { continue }
      fields[index].showsOtherImport = FieldHistory(of: fields[index].group, in: &history).isOurs
    }
    return fields
  }

  /// The map that an import made of an entity: the one given, or the newest under its key.
  private func importedMap(
    of entity: LegacyEntity, behind map: OpID, _ history: inout ImportHistory
  ) -> OpID? {
    if Self.isImported(map, &history) { return map }
    let document = history.document
    guard let group = document.group(of: .root, key: entity.identity.canonicalBytes) else {
      return nil
    }
    for id in document.operationIDs(in: group).reversed()
    where document.kind(of: id) == .map && Self.isImported(id, &history) {
      return id
    }
    return nil
  }

  private static func isImported(_ map: OpID, _ history: inout ImportHistory) -> Bool {
    history.change(of: map).map { $0.label == .skeleton || $0.label == .plain } ?? false
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
    name == identityKey || kind == .record && name == KnownField.imagesKey
      || kind.fields.contains { $0.memberBytes == name }
  }

  /// The imports the entity has come from: each wrote all known fields.
  private func imports(
    of fields: [Field], _ history: inout ImportHistory
  ) -> Set<ImportHistory.Change> {
    var imports: Set<ImportHistory.Change> = []
    for field in fields where field.known != nil {
      imports.formUnion(
        FieldHistory(of: field.importedGroup, in: &history).writers.filter {
          $0.label == .content || $0.label == .plain
        })
    }
    return imports
  }

  private mutating func verdict(
    _ field: Field, of entity: LegacyEntity, in batch: EntityBatch,
    _ imports: Set<ImportHistory.Change>, _ history: inout ImportHistory
  ) -> Verdict {
    let document = history.document
    if comparison.isEqual(
      field.member, named: field.name.span, of: entity, in: batch, with: field.group, of: document)
    {
      return .equal
    }
    let fieldHistory = FieldHistory(of: field.importedGroup, in: &history)
    // Of equal standing, so any order will do; ascending keeps runs alike.
    let writers = fieldHistory.writers.filter { $0.label != .skeleton }.sorted { $0.row < $1.row }
    for writer in writers {
      if comparison.isEqual(
        field.member, named: field.name.span, of: entity, in: batch, with: field.importedGroup,
        of: document, at: view(at: writer.row, of: document))
      {
        return .written
      }
    }
    // An import that did nothing to the field wrote its absence; images have a change of their own,
    // which of several imports those with images made.
    let wroteAbsence =
      field.name == KnownField.imagesKey && entity.kind == .record
      ? writers.count { $0.label == .images || $0.label == .plain } < max(1, imports.count)
      : !imports.isSubset(of: writers)
    if wroteAbsence,
      comparison.isEqual(
        field.member, named: field.name.span, of: entity, in: batch, with: nil, of: document)
    {
      return .written
    }
    return fieldHistory.isOurs ? .outdated : .editedBoth
  }

  private mutating func view(at row: Int, of document: DocumentState) -> HistoricalView {
    if let found = views.first(where: { $0.row == row }) { return found.view }
    let view = document.view(at: [document.hash(ofChange: row)])
    if views.count == Self.viewCapacity { views.removeFirst() }
    views.append((row, view))
    return view
  }
}

extension [EntityReconciler.Field] {
  /// Whether nothing the file says would be lost with it: the verified history of the document has
  /// every value.
  package var areProven: Bool { allSatisfy { $0.verdict == .equal || $0.verdict == .written } }

  /// The names of the fields that show what another import brought.
  package var namesOfOtherImports: [String] {
    filter(\.showsOtherImport).map { DisplayText.escaping($0.name) }
  }

  /// The names of the fields of a verdict, for a message.
  package func names(_ verdict: EntityReconciler.Verdict) -> [String] {
    filter { $0.verdict == verdict }.map { DisplayText.escaping($0.name) }
  }
}

extension Finding {
  /// Tells that a document shows other values than a legacy file that it was not made from.
  package static func differs(_ entity: String, _ fields: String, path: String) -> Finding {
    Finding(
      .fieldDiffers, .error, path: path,
      message: "\(entity) is in a document that differs in \(fields)",
      next: "decide which is right; the file stays until they agree")
  }

  /// Tells that a legacy file and a document have different new values.
  package static func editedBoth(_ entity: String, _ fields: String, path: String) -> Finding {
    Finding(
      .editedBoth, .error, path: path,
      message: "\(entity) changed after it was imported, here and in the document: \(fields)",
      next: "see both values with inspect-crdt; import-crdt --update --prefer legacy takes the "
        + "file's, moving the file out of the folder keeps the document's")
  }

  /// Tells that a document holds what a legacy file says beside what another one said.
  package static func besideOther(_ entity: String, _ fields: String, path: String) -> Finding {
    Finding(
      .duplicateID, .warning, path: path,
      message: "\(entity) was imported with other values, too; the document holds both of "
        + "\(fields) and shows the other one",
      next: "look at both with inspect-crdt --conflicts, and enter with the app what is right")
  }
}

extension [String] {
  /// The names of fields for a message, the first eight of them.
  package var listed: String {
    let shown = prefix(8).joined(separator: ", ")
    return count > 8 ? "\(shown) and \((count - 8).grouped) more" : shown
  }
}
