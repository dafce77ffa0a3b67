import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// What a document needs beyond its own changes: objects that were made separately under one key
/// become one, and no record lists an image twice (convergent-import.md).
///
/// All of it is one update change, which every device that holds the same history writes alike.
struct MergeEdits {
  /// How often a document is looked at again after an edit: maps lie in each other, and each time one
  /// more is brought in. What is left then the next run finds.
  static let mostRounds = 100

  /// Every value that loses where objects become one.
  var losing: LosingValues
  /// Entities of which readers see one of several objects, although the others hold more.
  private(set) var hiding: [Identity] = []
  /// Records that list an image more than once.
  var listingTwice: [Identity] = []

  /// Entities whose objects stay apart, because a copy of a field would lack what texts have beside
  /// their letters, and which field that is.
  var apart: [Identity: String] = [:]

  /// Whether hidden objects are brought into those that readers see.
  let unifies: Bool

  let document: DocumentState
  let fields: MergedFields
  var change: UpdateChange
  var history: ImportHistory

  /// Finds out what there is to edit.
  init(
    _ document: DocumentState, kind: EntityKind, of kinds: EntityKinds, unifies: Bool
  ) throws(MigrationError) {
    self.document = document
    fields = MergedFields(kind, of: kinds)
    self.unifies = unifies
    history = ImportHistory(of: document)
    losing = LosingValues(of: document)
    change = try Self.update(of: document)
    let entities = DocumentRoot(document, of: kind, kinds).entities
      .sorted { kinds.precedes($0.identity, $1.identity) }
    try edit(entities)
    guard unifies, !apart.isEmpty else { return }
    // Once more, without these: what was written of them is in the middle of the change.
    change = try Self.update(of: document)
    (losing, hiding, listingTwice) = (LosingValues(of: document), [], [])
    try edit(entities)
  }

  private static func update(of document: DocumentState) throws(MigrationError) -> UpdateChange {
    do {
      return try UpdateChange(onto: document)
    } catch {
      throw .brokenInvariant("no change fits the document: \(error.problem)")
    }
  }

  private mutating func edit(_ entities: [DocumentRoot.Entity]) throws(MigrationError) {
    for entity in entities {
      guard let map = entity.map else { continue }
      // The one written last first.
      let hidden: [OpID] =
        entity.valueCount > 1 ? document.maps(of: entity).dropLast().reversed() : []
      if !hidden.isEmpty || fields.conflictWhole {
        try unify(entity.identity, map, with: hidden)
      }
      if fields.haveImages, hidden.isEmpty || !unifies { mendImages(of: map, entity.identity) }
    }
  }

  /// Whether there is anything to write.
  var isEmpty: Bool { change.isEmpty }

  /// Returns the document with the edits, and the change they are.
  func applied(
    at path: RelativePath
  ) throws(MigrationError) -> (document: DocumentState, change: ChangeHash) {
    var (document, change) = (document, change)
    do {
      _ = try change.apply(to: &document, as: .unify)
    } catch {
      throw .damagedDocument(
        path: path.description, offset: nil,
        problem: "does not accept the merge's own change: \(error.problem)")
    }
    return (document, change.draft.hash)
  }

  /// Brings hidden objects of an entity into the one that readers see, or only finds out whether
  /// they hold more.
  private mutating func unify(
    _ identity: Identity, _ map: OpID, with hidden: [OpID]
  ) throws(MigrationError) {
    let staysApart = apart[identity] != nil
    let unedited = unifies && !staysApart ? nil : (change, losing, listingTwice)
    let before = change.draft.operationCount
    try unify(map, with: hidden, identity, path: [])
    var count = change.draft.operationCount - before
    if fields.haveImages { count += try joinImages(of: map, with: hidden, identity) }
    if count > 0, !(unifies && staysApart) { hiding.append(identity) }
    if let unedited { (change, losing, listingTwice) = unedited }
  }
}

extension MergeEdits {
  /// Returns what is told about a document.
  ///
  /// - Parameter isApplied: whether the edits are on disk.
  func findings(
    at path: RelativePath, isApplied: Bool, in inventory: FolderInventory
  ) -> [Finding] {
    var findings: [Finding] = []
    let unify = inventory.command(.mergeConflicts, ["--unify"])
    let next = "run \(inventory.merging(["--unify"])) to"
    if !hiding.isEmpty {
      let isApplied = isApplied && unifies
      findings.append(
        Finding(
          .hiddenObject, isApplied ? .info : .warning, path: path.description,
          message: isApplied
            ? "objects that were made separately became one: \(fields.listed(hiding))"
            : "an object hides another that holds more: \(fields.listed(hiding))",
          next: isApplied ? nil : "\(next) bring both together",
          command: isApplied ? nil : unify))
    }
    if !listingTwice.isEmpty {
      findings.append(
        Finding(
          .duplicateImage, isApplied ? .info : .warning, path: path.description,
          message: isApplied
            ? "images listed twice are listed once now: \(fields.listed(listingTwice))"
            : "images are listed twice: \(fields.listed(listingTwice))",
          next: isApplied ? nil : "\(next) list them once",
          command: isApplied ? nil : unify))
    }
    return findings
  }

  /// Returns what is told about objects that were to become one and stay apart.
  func findingsAboutThoseApart(at path: RelativePath) -> [Finding] {
    guard unifies, let first = apart.keys.min(), let loss = apart[first] else { return [] }
    let (one, others) = (fields.listed([first]), apart.count - 1)
    return [
      Finding(
        .hiddenObject, .error, path: path.description,
        message: "objects that were made separately stay apart: of \(one), \(loss)"
          + (others > 0 ? "; so of \(others.counted("more entity", "more entities"))" : ""),
        next: "write that text with the app where readers see it, then run this again")
    ]
  }
}
