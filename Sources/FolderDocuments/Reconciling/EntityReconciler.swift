package import Automerge
package import Diagnostics
package import Folders
import SafeFiles

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
    /// The file says only that its store lacks the value, and the document has one.
    case lacking
  }

  /// What a field is to the schema of its kind.
  package enum Role: Hashable, Sendable {
    /// A member that the schema of the frozen mapping does not name.
    case unnamed
    /// A known field of a kind of Minuta.
    case known(KnownField)
    /// The image names of a record.
    case images
    /// A property of a declared kind.
    case property(Property)
    /// A member that a declared kind does not declare.
    case undeclared
    /// One identity of a property of links, by its key in the map of the document; whether the file
    /// names it.
    case link(key: [UInt8], in: OpID, isWanted: Bool)
  }

  /// One field on both sides.
  package struct Field {
    package var name: [UInt8]
    /// The name node of the member; nil if the file does not have it, and for a link.
    package var member: Int?
    package var role = Role.unnamed
    /// What was ever done to it in the document.
    package var group: ValueGroup?
    /// The same of the object that an import made, if readers see another one.
    var importedGroup: ValueGroup?
    package var verdict: Verdict
    /// Whether what readers see is another value that the entity was imported with, and nobody
    /// touched it since.
    package var showsOtherImport = false
    /// Which side has what only stands for a value.
    var loss = Loss.none
    /// What of its store the file lacks, if that is all that it says.
    package var lacked: LostValue? {
      if verdict == .lacking, case .ofEntity(let lost) = loss { lost } else { nil }
    }
    /// Whether readers see that a store lacked the value that the file has.
    package var showsLoss: Bool {
      if verdict == .outdated, case .ofDocument = loss { true } else { false }
    }
  }

  let kinds: EntityKinds
  private var comparison: EntityComparison
  private var minuta = MinutaFields()
  /// The fields of each declared kind that was met, by the kind.
  private var declared: [EntityKind: DeclaredFields] = [:]
  /// The points of history that were read at last.
  private var views: [(row: Int, view: HistoricalView)] = []
  private static let viewCapacity = 8

  /// Creates a reconciler for entities of a folder.
  package init(_ kinds: EntityKinds) {
    self.kinds = kinds
    comparison = EntityComparison(kinds)
  }

  /// Returns all fields in the order in which an update writes them, see `MinutaFields` and
  /// `DeclaredFields`. Nil if no import made the entity.
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
    var fields = fields(of: entity, in: batch, map, document)
    for index in fields.indices {
      fields[index].importedGroup =
        imported == map
        ? fields[index].group : document.group(of: imported, key: fields[index].name)
    }
    let imports = imports(of: fields, &history)
    if imported == map { divideLinks(in: &fields, of: entity, in: batch, document) }
    for index in fields.indices {
      fields[index].loss = loss(of: fields[index], in: batch, document)
      var verdict = verdict(fields[index], of: entity, in: batch, imports, &history)
      if verdict == .outdated, imported != map { verdict = .editedBoth }
      fields[index].verdict = verdict
      guard verdict == .written, imports.count > 1 else { continue }
      fields[index].showsOtherImport = FieldHistory(of: fields[index].group, in: &history).isOurs
    }
    return fields
  }

  /// Returns those of some fields in which an entity and what readers of a document see are different, in
  /// the order in which a change writes them, whoever made the entity.
  ///
  /// - Parameter names: the names of the fields, each once.
  package mutating func differences(
    among names: [[UInt8]], of entity: LegacyEntity, in batch: EntityBatch, map: OpID,
    _ document: DocumentState
  ) -> [Field] {
    var fields: [Field]
    if case .declared = kinds.mapping {
      meet(entity.kind)
      fields =
        declared[entity.kind]?.fields(
          named: names, of: entity, on: batch.tape, map, document) ?? []
      divideLinks(in: &fields, of: entity, in: batch, document)
    } else {
      fields = minuta.fields(of: entity, in: batch, map, document)
      fields.removeAll { !names.contains($0.name) }
    }
    fields.removeAll {
      isEqual($0, of: entity, in: batch, with: $0.group, document)
        && hasForm($0, in: batch, document)
    }
    return fields
  }

  /// Whether a string that readers take alike as a text object is in a document what the entity says.
  private func hasForm(_ field: Field, in batch: EntityBatch, _ document: DocumentState) -> Bool {
    guard case .known = field.role, let member = field.member,
      batch.tape.kind(of: member + 1) == .string,
      let value = field.group.flatMap({ document.winner(in: $0) })
    else { return true }
    return (value.content == .object(.text)) == (batch.streamType(of: member + 1) == .text)
  }

  private mutating func fields(
    of entity: LegacyEntity, in batch: EntityBatch, _ map: OpID, _ document: DocumentState
  ) -> [Field] {
    guard case .declared = kinds.mapping else {
      return minuta.fields(of: entity, in: batch, map, document)
    }
    meet(entity.kind)
    return declared[entity.kind]?.fields(of: entity, on: batch.tape, map, document) ?? []
  }

  private mutating func meet(_ kind: EntityKind) {
    guard declared[kind] == nil, let profile = kinds[kind] else { return }
    declared[kind] = DeclaredFields(profile)
  }

  /// Puts the links on which file and document differ in the place of the properties they are of.
  private mutating func divideLinks(
    in fields: inout [Field], of entity: LegacyEntity, in batch: EntityBatch,
    _ document: DocumentState
  ) {
    for index in fields.indices.reversed() {
      let field = fields[index]
      guard case .property(let property) = field.role, case .links = property.type,
        let difference = comparison.linkDifference(
          field.member, named: field.name.span, of: entity, in: batch, with: field.group,
          of: document)
      else { continue }
      let losses = losses(of: (difference.missing, difference.additional), property.type)
      let missing = zip(difference.missing, losses.missing).map { ($0, true, $1) }
      let additional = zip(difference.additional, losses.additional).map { ($0, false, $1) }
      let links = (missing + additional)
        .sorted { ByteOrder.precedes($0.0, $1.0) }
        .map { key, isWanted, loss in
          let group = document.group(of: difference.map, key: key)
          return Field(
            name: field.name, role: .link(key: key, in: difference.map, isWanted: isWanted),
            group: group, importedGroup: group, verdict: .equal, loss: loss)
        }
      fields.replaceSubrange(index...index, with: links)
    }
  }

  /// The map that an import made of an entity: the one given, or the newest under its key.
  private func importedMap(
    of entity: LegacyEntity, behind map: OpID, _ history: inout ImportHistory
  ) -> OpID? {
    if Self.isImported(map, &history) { return map }
    let document = history.document
    guard let group = document.group(of: .root, key: kinds.bytes(of: entity.identity)) else {
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

  /// The imports the entity has come from: the content of each wrote at least one field.
  private func imports(
    of fields: [Field], _ history: inout ImportHistory
  ) -> Set<ImportHistory.Change> {
    var imports: Set<ImportHistory.Change> = []
    for field in fields {
      switch field.role {
      // Every content writes all known fields, so these tell.
      case .unnamed, .images: continue
      case .known, .property, .undeclared, .link: break
      }
      imports.formUnion(
        FieldHistory(of: field.importedGroup, in: &history).writers.filter {
          $0.label == .content || $0.label == .declaredContent || $0.label == .plain
        })
    }
    return imports
  }

  private mutating func verdict(
    _ field: Field, of entity: LegacyEntity, in batch: EntityBatch,
    _ imports: Set<ImportHistory.Change>, _ history: inout ImportHistory
  ) -> Verdict {
    let document = history.document
    if isEqual(field, of: entity, in: batch, with: field.group, document) { return .equal }
    if case .ofEntity = field.loss { return .lacking }
    let fieldHistory = FieldHistory(of: field.importedGroup, in: &history)
    // What stands for a value is none that an import moved on to.
    if case .ofDocument = field.loss, fieldHistory.isOurs { return .outdated }
    // Of equal standing, so any order will do; ascending keeps runs alike.
    let writers = fieldHistory.writers.filter { $0.label != .skeleton }.sorted { $0.row < $1.row }
    for writer in writers {
      let view = view(at: writer.row, of: document)
      if isEqual(field, of: entity, in: batch, with: field.importedGroup, document, at: view) {
        return .written
      }
    }
    if wroteAbsence(field.role, imports, writers),
      isEqual(field, of: entity, in: batch, with: nil, document)
    {
      return .written
    }
    return fieldHistory.isOurs ? .outdated : .editedBoth
  }

  private mutating func isEqual(
    _ field: Field, of entity: LegacyEntity, in batch: EntityBatch, with group: ValueGroup?,
    _ document: DocumentState, at view: HistoricalView? = nil
  ) -> Bool {
    if case .link(_, _, let isWanted) = field.role {
      return isWanted == (group.map { document.isVisible($0, at: view) } ?? false)
    }
    return comparison.isEqual(
      field.member, named: field.name.span, of: entity, in: batch, with: group, of: document,
      at: view)
  }

  /// Whether one of the imports wrote the absence of a field by doing nothing to it.
  ///
  /// What has a change of its own was written by as many imports as have one there; equal ones of
  /// several imports are one, and then an absence is assumed that nobody wrote: the document stays.
  private func wroteAbsence(
    _ role: Role, _ imports: Set<ImportHistory.Change>, _ writers: [ImportHistory.Change]
  ) -> Bool {
    let labels: [ImportLabel]
    switch role {
    case .images: labels = [.images, .plain]
    case .link: labels = [.links, .plain]
    case .property, .undeclared: labels = [.declaredContent, .property, .plain]
    case .known, .unnamed: return !imports.isSubset(of: writers)
    }
    return writers.count { labels.contains($0.label) } < max(1, imports.count)
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
  package var areProven: Bool {
    allSatisfy { [.equal, .written, .lacking].contains($0.verdict) }
  }

  /// The names of the fields that show what another import brought.
  package var namesOfOtherImports: [String] { names { $0.showsOtherImport } }

  /// The names of the fields of a verdict, for a message.
  package func names(_ verdict: EntityReconciler.Verdict) -> [String] {
    names { $0.verdict == verdict }
  }

  /// The links of a property have one name.
  func names(where isMeant: (EntityReconciler.Field) -> Bool) -> [String] {
    var names: [String] = []
    for field in self where isMeant(field) {
      let name = DisplayText.escaping(field.name)
      if names.last != name { names.append(name) }
    }
    return names
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
      next: "look at both with inspect-crdt --conflicts, and decide with merge-conflicts FOLDER "
        + "--resolve ID FIELD VALUE")
  }
}

extension [String] {
  /// The names of fields for a message, the first eight of them.
  package var listed: String {
    let shown = prefix(8).joined(separator: ", ")
    return count > 8 ? "\(shown) and \((count - 8).grouped) more" : shown
  }
}
