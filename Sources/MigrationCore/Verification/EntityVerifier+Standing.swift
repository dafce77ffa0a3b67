import Automerge
import Diagnostics
import FolderDocuments
import Folders

/// Tells whether a document's verified history holds exactly what a legacy entity says today.
///
/// This is the one place where the verifier computes what the importer would write: a hash is that of
/// all bytes of a change, and loading has computed each again, so finding it in the history proves that
/// the entity was imported as it is.
struct EntityProof {
  /// What the history of a document says about an entity.
  enum Verdict: Hashable, Sendable {
    /// All of its changes are in the history, and none that says something else of what they are silent
    /// about.
    case proven
    /// It was imported, but from other content than today's.
    case diverged
    /// No convergent import of it is in the history.
    case unknown
  }

  private var changes: EntityChanges
  /// Whether the changes of the entity were computed, and could be; nil before anybody asked.
  private var isBuilt: Bool?
  /// Of the document that was looked at last, by its file, which changes build on which.
  private var followers: (file: Int, of: ChangeFollowers)?

  init(_ kinds: EntityKinds) { changes = EntityChanges(kinds) }

  /// Forgets the last entity: verdicts are asked for about another one.
  mutating func forget() { isBuilt = nil }

  /// Computes what an import of the entity would write, once for all documents.
  private mutating func build(_ entity: LegacyEntity, of batch: EntityBatch) -> Bool {
    if let isBuilt { return isBuilt }
    do throws(EntityRefusal) {
      try changes.build(entity, of: batch)
      isBuilt = true
      return true
    } catch {
      // What is valid is never refused; of anything else nothing is proven.
      isBuilt = false
      return false
    }
  }

  /// Looks up an entity in a document that was loaded strictly.
  ///
  /// - Parameters:
  ///   - entity: the one of the last verdict, unless that was forgotten.
  ///   - file: the number of the document.
  ///   - map: the entity's map, if readers see it.
  mutating func verdict(
    on entity: LegacyEntity, of batch: EntityBatch, in document: DocumentState, of file: Int,
    map: OpID?
  ) -> Verdict {
    guard build(entity, of: batch) else { return .unknown }
    guard case .frozen = changes.mapping else { return declaredVerdict(in: document, of: file) }
    let changes = changes.minuta
    guard document.contains(changes.skeleton.hash) else { return .unknown }
    guard document.contains(changes.content.hash) else { return .diverged }
    if changes.hasImages {
      return document.contains(changes.images.hash) ? .proven : .diverged
    }
    // Without images nothing of them is written; but then none were imported, either.
    return map.map { showsImportedImages(of: $0, in: document) } ?? false ? .diverged : .proven
  }

  /// The content of a declared kind is silent about containers: that there was none is known by no change
  /// of the history having made one, nor set a link, but those of today.
  private mutating func declaredVerdict(in document: DocumentState, of file: Int) -> Verdict {
    let today = changes.declaredChanges
    guard let skeleton = changes.skeleton.flatMap(document.row(ofChange:)) else { return .unknown }
    var rows: [Int] = []
    for change in today {
      guard let row = document.row(ofChange: change.hash) else { return .diverged }
      rows.append(row)
    }
    if followers?.file != file { followers = (file, ChangeFollowers(in: document)) }
    guard let followers = followers?.of else { return .unknown }
    for (change, row) in zip(today, rows) where row == skeleton || change.label == .property {
      let label: ImportLabel = row == skeleton ? .property : .links
      for follower in followers.rows(after: row)
      where !rows.contains(follower) && document.label(ofChange: follower) == label {
        return .diverged
      }
    }
    return .proven
  }

  /// Whether readers see an image that an import wrote into the list of the skeleton.
  private func showsImportedImages(of map: OpID, in document: DocumentState) -> Bool {
    let skeleton = changes.minuta.skeleton.hash
    guard let list = document.value(of: map, key: KnownField.imagesKey),
      list.content == .object(.list)
    else { return false }
    var isImported = false
    document.forEachElement(of: list.id) { element, _ in
      guard !isImported,
        let row = document.row(ofChangeBy: document.author(of: element), sequence: 1)
      else { return }
      isImported = document.change(at: row).dependencies == [skeleton]
    }
    return isImported
  }
}

extension EntityVerifier {
  /// Where an entity whose fields differ stands, over all documents that ever held it.
  struct Standing {
    /// Whether some document's history has everything the file says.
    var isImported = false
    /// Whether some document's history has another import of the entity.
    var hasDiverged = false
    /// Whether some document shows other values and not the file's beside them.
    var isEdited = false
    /// How many documents show it.
    var visibleCount = 0
    private var differences: [String] = []
    private var changed = ChangedFields()
    /// What of its store the entity lacks, where a document has a value.
    private var lacks: [LostValue: [String]] = [:]
    private var editedBoth: [String] = []

    mutating func addDifferences(_ fields: [String]) { Self.add(fields, to: &differences) }

    /// Takes note of what an update would do with each field of an entity that an import made.
    ///
    /// - Parameter isRead: whether the document is the one that an update writes to; others stay as
    ///   they are.
    mutating func add(_ fields: [EntityReconciler.Field], isRead: Bool) {
      if fields.areProven { return }
      hasDiverged = true
      if isRead { changed.add(fields.changedSince) }
      Self.add(fields.names(.editedBoth), to: &editedBoth)
    }

    /// Takes note of values that a document keeps and that the entity's store lacks.
    mutating func addLacks(of fields: [EntityReconciler.Field]) {
      for (lost, names) in fields.lacks { Self.add(names, to: &lacks[lost, default: []]) }
    }

    private static func add(_ names: [String], to list: inout [String]) {
      list.append(contentsOf: names.filter { !list.contains($0) })
    }

    /// What to tell about the entity.
    ///
    /// - Parameter update: the command that brings documents up to date with its place.
    func findings(
      about name: String, path: String, update: NextCommand?
    ) -> [Finding] {
      if lacks.isEmpty { return differing(name, path: path, update: update) }
      var others = self
      others.lacks = [:]
      others.differences.removeAll { name in lacks.values.contains { $0.contains(name) } }
      return Finding.keptValues(name, lacks, path: path)
        + (others.differences.isEmpty ? [] : others.differing(name, path: path, update: update))
    }

    /// What to tell of the fields that differ.
    private func differing(_ name: String, path: String, update: NextCommand?) -> [Finding] {
      switch (isImported, visibleCount > 0, hasDiverged) {
      case (true, true, _) where !isEdited:
        return [.besideOther(name, differences.listed, path: path)]
      case (true, true, _):
        return [
          Finding(
            .editedSince, .info, path: path,
            message: "\(name) was imported, and the document now shows another value of "
              + differences.listed)
        ]
      case (true, false, _):
        return [
          Finding(
            .deletedSince, .info, path: path,
            message: "\(name) was imported, and was deleted in the document since")
        ]
      case (false, true, true): return divergence(name, path: path, update: update)
      case (false, false, true):
        return [
          Finding(
            .diverged, .error, path: path,
            message: "\(name) changed after it was imported, and was deleted in the document",
            next: "it stays deleted; move the file out of the folder if that is right")
        ]
      case (false, true, false):
        return [.differs(name, differences.listed, path: path)]
      case (false, false, false):
        return [
          Finding(
            .unproven, .error, path: path,
            message: "\(name) was deleted in a document that never held its present content",
            next: "it stays deleted; move the file out of the folder if that is right")
        ]
      }
    }

    private func divergence(_ name: String, path: String, update: NextCommand?) -> [Finding] {
      var findings: [Finding] = []
      if !editedBoth.isEmpty {
        findings.append(.editedBoth(name, editedBoth.listed, path: path))
      }
      findings += Finding.diverged(
        name, changed, saying: "the document differs in", path: path,
        next: "\(update?.shellText ?? "import-crdt --update") brings the document up to date",
        command: update)
      if findings.isEmpty { findings.append(.differs(name, differences.listed, path: path)) }
      return findings
    }
  }
}
