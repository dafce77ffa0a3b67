import Automerge
import Diagnostics
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
    static func missing(_ entity: LegacyEntity, path: String) -> Result {
      Result(
        findings: [
          Finding(
            .missingEntity, .error, path: path,
            message: "\(entity.kind.rawValue) \(entity.identity) is in no document",
            next: "import it with import-crdt")
        ])
    }
  }

  private var comparison = EntityComparison()
  private var proof = EntityProof()
  private let inventory: FolderInventory

  private let copies: Set<Int>

  /// Creates a verifier of documents of an inventory, some of which look like conflict copies.
  init(_ inventory: FolderInventory, copies: Set<Int>) {
    self.inventory = inventory
    self.copies = copies
  }

  /// How many fields were compared so far.
  var fieldCount: Int { comparison.fieldCount }

  /// Compares an entity of a batch with the documents; nil if none of them ever held it.
  ///
  /// - Parameter path: what findings call the place the entity is from.
  mutating func verify(
    _ entity: LegacyEntity, of batch: EntityBatch, in documents: GroupDocuments,
    path: @autoclosure () -> String
  ) -> Result? {
    let places = documents.places(of: entity.identity)
    if places.isEmpty { return nil }
    proof.prepare(entity, of: batch)
    var result = Result()
    var hasDiverged = false
    var visibleCount = 0
    var equalCount = 0
    var differing: [String] = []
    var copy: Int?
    var isShownInBase = false
    for place in places {
      let loaded = documents.documents[place.document]
      let found = documents.entity(at: place)
      let isCopy = copies.contains(loaded.file)
      if isCopy { copy = loaded.file } else if found.valueCount > 0 { isShownInBase = true }
      switch proof.verdict(in: loaded.document, map: found.map) {
      case .proven:
        result.isProven = true
        if !isCopy { result.isProvenInBase = true }
      case .diverged: hasDiverged = true
      case .unknown: break
      }
      guard found.valueCount > 0 else { continue }
      visibleCount += 1
      guard let map = found.map else {
        differing.append("the whole \(entity.kind.rawValue)")
        continue
      }
      let isEqual = comparison.compare(
        entity, of: batch, with: map, of: loaded.document, ignoresID: found.key == nil)
      if isEqual { equalCount += 1 }
      differing.append(contentsOf: comparison.differences.filter { !differing.contains($0) })
      noteConflicts(of: entity, found, in: loaded, to: &result)
    }
    result.isVisible = visibleCount > 0
    result.isEqual = visibleCount > 0 && equalCount == visibleCount
    let isImported = result.isProven
    if result.isEqual {
      result.isProven = true
      if isShownInBase { result.isProvenInBase = true }
    }
    if result.isProven, !result.isProvenInBase, let copy {
      result.findings.append(
        Finding(
          .conflictCopy, .warning, path: path(),
          message: "\(entity.kind.rawValue) \(entity.identity) is proven only in a conflict copy, "
            + inventory.path(of: copy).description,
          next: "merge it with merge-conflicts, then run again"))
    }
    guard !result.isEqual else { return result }
    result.findings.append(
      Self.finding(
        entity, path: path(), fields: Self.list(differing), isVisible: visibleCount > 0,
        isImported: isImported, hasDiverged: hasDiverged))
    return result
  }

  private static func finding(
    _ entity: LegacyEntity, path: String, fields: String, isVisible: Bool, isImported: Bool,
    hasDiverged: Bool
  ) -> Finding {
    let name = "\(entity.kind.rawValue) \(entity.identity)"
    switch (isImported, isVisible, hasDiverged) {
    case (true, true, _):
      return Finding(
        .editedSince, .info, path: path,
        message: "\(name) was imported, and the document now shows another value of \(fields)")
    case (true, false, _):
      return Finding(
        .deletedSince, .info, path: path,
        message: "\(name) was imported, and was deleted in the document since")
    case (false, true, true):
      return Finding(
        .diverged, .error, path: path,
        message: "\(name) changed after it was imported; the document differs in \(fields)",
        next: "decide which is right; the file stays until they agree")
    case (false, false, true):
      return Finding(
        .diverged, .error, path: path,
        message: "\(name) changed after it was imported, and was deleted in the document",
        next: "decide which is right; the file stays until they agree")
    case (false, true, false):
      return Finding(
        .fieldDiffers, .error, path: path,
        message: "\(name) is in a document that differs in \(fields)",
        next: "decide which is right; the file stays until they agree")
    case (false, false, false):
      return Finding(
        .unproven, .error, path: path,
        message: "\(name) was deleted in a document that never held its present content",
        next: "remove the file by hand if the deletion is right")
    }
  }

  /// Several values of one field, or several maps under one identity, are worth knowing; readers
  /// see the last one.
  private func noteConflicts(
    of entity: LegacyEntity, _ found: DocumentRoot.Entity, in loaded: GroupDocuments.Loaded,
    to result: inout Result
  ) {
    guard !comparison.conflicts.isEmpty || found.valueCount > 1 else { return }
    let what =
      found.valueCount > 1
      ? "\(found.valueCount) separate objects"
      : "several values of \(Self.list(comparison.conflicts))"
    result.findings.append(
      Finding(
        .conflict, .info, path: inventory.path(of: loaded.file).description,
        message: "\(entity.kind.rawValue) \(entity.identity) has \(what); readers see the last",
        next: "look at them with inspect-crdt --conflicts"))
  }

  private static func list(_ fields: [String]) -> String {
    let shown = fields.prefix(8).joined(separator: ", ")
    return fields.count > 8 ? "\(shown) and \(fields.count - 8) more" : shown
  }
}
