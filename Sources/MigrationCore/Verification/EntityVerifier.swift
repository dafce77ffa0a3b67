import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import SafeFiles

/// Decides about one entity after the other whether documents hold it.
struct EntityVerifier {
  /// What was decided about an entity.
  struct Result {
    /// Whether nothing of the entity would be lost with its file.
    var isProven = false
    /// Whether that is so without documents that look like conflict copies.
    var isProvenInBase = false
    /// Whether every document shows exactly its fields.
    var isEqual = false
    /// Whether readers of a document see the entity at all.
    var isVisible = false
    var findings: [Finding] = []

    /// The result for an entity that no document ever held.
    ///
    /// - Parameter command: what brings it back from where it is.
    static func missing(
      _ title: String, path: String, in place: VerificationInput.Place = .elsewhere,
      command: NextCommand? = nil
    ) -> Result {
      Result(
        findings: [
          Finding(
            .missingEntity, .error, path: path,
            message: "\(title) is in no document",
            next: place == .quarantine
              ? "unless it was deleted, bring its document back from a backup: recover-folder FOLDER "
                + "looks for one"
              : "import it with \(command?.shellText ?? "import-crdt")",
            command: command)
        ])
    }

    /// The result for an entity of the folder that only a document in quarantine holds.
    static func setAside(
      _ title: String, in document: SetAsideMonths.Document, path: String
    ) -> Result {
      Result(
        findings: [
          document.finding(
            .error, about: title, at: path,
            "is not compared")
        ])
    }
  }

  private var comparison: EntityComparison
  private var proof: EntityProof
  private var reconciler: EntityReconciler
  private let inventory: FolderInventory

  private let copies: Set<Int>

  /// Creates a verifier of documents of an inventory, some of which look like conflict copies.
  init(_ inventory: FolderInventory, copies: Set<Int>) {
    self.inventory = inventory
    self.copies = copies
    comparison = EntityComparison(inventory.kinds)
    proof = EntityProof(inventory.kinds)
    reconciler = EntityReconciler(inventory.kinds)
  }

  /// How many fields were compared so far.
  var fieldCount: Int { comparison.fieldCount }

  /// Compares an entity of a batch with the documents; nil if none of them ever held it.
  ///
  /// - Parameters:
  ///   - path: what findings call the place the entity is from.
  ///   - update: the command that brings the documents up to date with that place.
  mutating func verify(
    _ entity: LegacyEntity, of batch: EntityBatch, in documents: GroupDocuments,
    path: @autoclosure () -> String, update: @autoclosure () -> NextCommand? = nil
  ) -> Result? {
    let places = documents.places(of: entity.identity)
    if places.isEmpty { return nil }
    proof.forget()
    var result = Result()
    var standing = Standing()
    var equalCount = 0
    var copy: Int?
    var isShownInBase = false
    /// Where exactly the entity is shown.
    var shown: [(place: GroupDocuments.Place, isCopy: Bool)] = []
    let read = readFile(of: places, in: documents)
    for place in places {
      let loaded = documents.documents[place.document]
      let found = documents.entity(at: place)
      // A document of one record that nothing else holds is a record that shares a second with
      // another, whatever its name looks like.
      let isCopy =
        copies.contains(loaded.file)
        && !(places.count == 1 && inventory.nominalClass(of: loaded.file) == .entityDocument)
      if isCopy { copy = loaded.file } else if found.valueCount > 0 { isShownInBase = true }
      var isEqual = false
      var isEdited = false
      if found.valueCount > 0 {
        standing.visibleCount += 1
        if let map = found.map {
          isEqual = comparison.compare(
            entity, of: batch, with: map, in: loaded, ignoresID: found.key == nil)
          standing.addDifferences(comparison.differences)
          isEdited = comparison.besideCount < comparison.differences.count
          noteConflicts(of: batch.title(of: entity), found, in: loaded, to: &result)
        } else {
          standing.addDifferences(["the whole \(batch.kinds.name(of: entity.kind))"])
          isEdited = true
        }
        // What the history says matters only where something differs.
        if isEqual {
          equalCount += 1
          shown.append((place, isCopy))
          continue
        }
      }
      var isImported = isProven(entity, of: batch, found, in: loaded, &standing)
      // What is left is rare: a file that changed, a plain history, a document of somebody else.
      // Of stores that lack something, a history that holds all proves nothing about what readers see.
      if !isImported || found.valueCount > 0 && reconciler.mayLack(entity.kind),
        let fields = reconcile(entity, of: batch, found, in: loaded.document)
      {
        let wasProven = isImported
        standing.addLacks(of: fields)
        if !wasProven || !fields.namesOfShownLosses.isEmpty {
          isImported = fields.areProven
          standing.add(fields, isRead: loaded.file == read)
        }
        if isImported, !wasProven, found.valueCount > 0 {
          isEdited = fields.contains { $0.verdict == .written && !$0.showsOtherImport }
        }
      }
      if isEdited { standing.isEdited = true }
      guard isImported else { continue }
      standing.isImported = true
      if !isCopy { result.isProvenInBase = true }
    }
    result.isVisible = standing.visibleCount > 0
    result.isEqual = result.isVisible && equalCount == standing.visibleCount
    if !result.isEqual || !isShownInBase {
      for (place, isCopy) in shown
      where isProven(
        entity, of: batch, documents.entity(at: place), in: documents.documents[place.document],
        &standing)
      {
        standing.isImported = true
        if !isCopy { result.isProvenInBase = true }
      }
    }
    result.isProven = standing.isImported || result.isEqual
    if result.isEqual, isShownInBase { result.isProvenInBase = true }
    if result.isProven, !result.isProvenInBase, let copy {
      result.findings.append(
        Finding(
          inventory.copies[copy] == nil ? .misnamedDocument : .conflictCopy, .warning, path: path(),
          message: "\(batch.title(of: entity)) is proven only in a copy, "
            + inventory.path(of: copy).description,
          next: "\(inventory.remedy(for: copy)); then run again",
          command: inventory.command(for: copy)))
    }
    if !result.isEqual {
      result.findings += standing.findings(
        about: batch.title(of: entity), path: path(), update: update())
    }
    return result
  }

  /// Whether the history of a document holds exactly what the entity says.
  private mutating func isProven(
    _ entity: LegacyEntity, of batch: EntityBatch, _ found: DocumentRoot.Entity,
    in loaded: GroupDocuments.Loaded, _ standing: inout Standing
  ) -> Bool {
    let verdict = proof.verdict(
      on: entity, of: batch, in: loaded.document, of: loaded.file, map: found.map)
    if verdict == .diverged { standing.hasDiverged = true }
    return verdict == .proven
  }

  /// The document that exports read an entity from, and that an update writes to; nil if none shows
  /// it.
  private func readFile(of places: [GroupDocuments.Place], in documents: GroupDocuments) -> Int? {
    if places.count == 1 { return documents.documents[places[0].document].file }
    return places.filter { documents.entity(at: $0).valueCount > 0 }
      .map { documents.documents[$0.document].file }
      .min {
        inventory.baseFirstKey(of: $0).lexicographicallyPrecedes(inventory.baseFirstKey(of: $1))
      }
  }

  /// Tells field by field what became of an entity that some import made; nil if none did.
  private mutating func reconcile(
    _ entity: LegacyEntity, of batch: EntityBatch, _ found: DocumentRoot.Entity,
    in document: DocumentState
  ) -> [EntityReconciler.Field]? {
    guard let map = found.map ?? hiddenMap(of: entity, in: document) else { return nil }
    var history = ImportHistory(of: document)
    return reconciler.fields(of: entity, in: batch, map: map, &history)
  }

  /// The newest map that was ever at a key nobody sees any more.
  private func hiddenMap(of entity: LegacyEntity, in document: DocumentState) -> OpID? {
    let key = inventory.kinds.bytes(of: entity.identity)
    guard let group = document.group(of: .root, key: key) else { return nil }
    return document.operationIDs(in: group).last { document.kind(of: $0) == .map }
  }

  /// Several values of one field, or several maps under one identity, are worth knowing; readers
  /// see the last one.
  private func noteConflicts(
    of title: @autoclosure () -> String, _ found: DocumentRoot.Entity,
    in loaded: GroupDocuments.Loaded,
    to result: inout Result
  ) {
    guard !comparison.conflicts.isEmpty || found.valueCount > 1 else { return }
    let what =
      found.valueCount > 1
      ? found.valueCount.counted("separate object")
      : "several values of \(comparison.conflicts.listed)"
    result.findings.append(
      Finding(
        .conflict, .info, path: inventory.path(of: loaded.file).description,
        message: "\(title()) has \(what); readers see the last",
        next: "look at them with inspect-crdt --conflicts, and decide with merge-conflicts FOLDER "
          + "--resolve ID FIELD VALUE"))
  }
}
