import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// Brings documents up to date with legacy files that changed after their import, or tells what an
/// update would do. One worker has one updater.
struct DocumentUpdater {
  /// What all workers share.
  struct Input: Sendable {
    /// Where the entities are.
    var source: ImportSource
    var target: Directory
    var targetInventory: FolderInventory
    /// Documents that this run builds upon others anyway, by their paths.
    var built: [RelativePath: BuiltDocument]
    /// Whether documents get the values of the files, or findings only tell about them.
    var isWriting: Bool
    /// Whether the files win where both sides were edited.
    var prefersLegacy: Bool
    /// The command that does what this only tells.
    var command: NextCommand
  }

  /// What became of a document.
  package struct Outcome: Sendable {
    /// The document to publish; nil if it stays as it is.
    var document: BuiltDocument?
    /// How many entities of each kind got other values.
    var updated: [EntityKind: Int] = [:]
    var findings: [Finding] = []
  }

  private let input: Input
  private var loader: DocumentLoader
  private var reader: EntityReader
  private var reconciler: EntityReconciler
  private var comparison: EntityComparison
  private var writer = FieldUpdater()
  private var outcome = Outcome()

  init(_ input: Input) {
    self.input = input
    loader = DocumentLoader(input.target, input.targetInventory)
    let kinds = input.targetInventory.kinds
    reader = EntityReader(input.source, kinds)
    reconciler = EntityReconciler(kinds)
    comparison = EntityComparison(kinds)
  }

  private var kinds: EntityKinds { input.targetInventory.kinds }

  /// Compares entities with a document that shows them, and builds what it becomes.
  ///
  /// All of a document's edits are one change, so that every device that does the same makes the
  /// same change.
  mutating func update(
    _ file: Int, with candidates: [UpdateCandidate]
  ) throws(MigrationError) -> Outcome {
    outcome = Outcome()
    let path = input.targetInventory.path(of: file)
    let (base, replaced) = try document(file, path)
    var document = base
    var change: UpdateChange
    do { change = try UpdateChange(onto: base) } catch { throw Self.damaged(path, error) }
    var history = ImportHistory(of: base)
    var maps: [Identity: OpID] = [:]
    // Documents of declared kinds hold one kind each.
    let kind = candidates.first?.kind ?? .other
    for entity in DocumentRoot(base, of: kind, kinds).entities {
      maps[entity.identity] = entity.map
    }
    for candidate in candidates.sorted(by: { kinds.precedes($0.identity, $1.identity) }) {
      guard let map = maps[candidate.identity] else { continue }
      try update(candidate, map: map, in: path, &history, &change)
    }
    do {
      guard try change.apply(to: &document, as: .update) else { return outcome }
    } catch {
      throw Self.damaged(path, error)
    }
    let built = input.built[path]
    let bytes = document.encoded()
    if let defect = DocumentExtent(of: document).readingDefect(ofFile: bytes) {
      outcome.updated = [:]
      outcome.findings.append(.unreadable(path, because: defect, "is not updated"))
      return outcome
    }
    outcome.document = BuiltDocument(
      path: path, bytes: bytes, replaced: replaced,
      entitiesAdded: built?.entitiesAdded ?? 0,
      entitiesUpdated: outcome.updated.values.reduce(0, +),
      changesAdded: (built?.changesAdded ?? 0) + 1)
    return outcome
  }

  private static func damaged(_ path: RelativePath, _ error: FormatError) -> MigrationError {
    .damagedDocument(
      path: path.description, offset: nil, problem: "does not accept the update: \(error.problem)")
  }

  /// Loads a document, or takes what this run has made of it already.
  private mutating func document(
    _ file: Int, _ path: RelativePath
  ) throws(MigrationError) -> (DocumentState, FileVersion?) {
    if let built = input.built[path], let bytes = built.bytes {
      do {
        return (try DocumentState(loading: bytes), built.replaced)
      } catch {
        throw .brokenInvariant("a document built from entities does not load: \(error.problem)")
      }
    }
    do {
      let (document, state) = try loader.load(file)
      return (document, loader.version(state))
    } catch {
      // It could be read when the index was made.
      throw .folderChanging(path: path.description)
    }
  }

  private mutating func update(
    _ candidate: UpdateCandidate, map: OpID, in document: RelativePath,
    _ history: inout ImportHistory, _ change: inout UpdateChange
  ) throws(MigrationError) {
    try reader.read(candidate.position.item)
    let batch = reader.batch
    guard
      let entity = batch.entities.first(where: {
        $0.identity == candidate.identity && $0.position == Int(candidate.position.element)
      })
    else { return noteChanged(candidate) }
    let reconciled = reconciler.fields(of: entity, in: batch, map: map, &history)
    guard let fields = reconciled else {
      return noteForeign(entity, of: batch, map, history.document, candidate)
    }
    if candidate.isAmbiguous { return noteAmbiguous(fields, of: candidate) }
    var isUpdated = false
    for field in fields {
      let isWanted =
        field.verdict == .outdated || field.verdict == .editedBoth && input.prefersLegacy
      guard input.isWriting, isWanted else { continue }
      writer.write(field, of: entity, in: batch, map: map, of: history.document, to: &change)
      isUpdated = true
    }
    if isUpdated { outcome.updated[candidate.kind, default: 0] += 1 }
    note(fields, of: candidate, in: document)
  }

  /// Tells about an entity that its file held when it was read first, and does not hold any more.
  private mutating func noteChanged(_ candidate: UpdateCandidate) {
    var finding = reader.failure
    finding.path = path(of: candidate)
    if !outcome.findings.contains(finding) { outcome.findings.append(finding) }
  }

  /// Tells about an entity that several files say different things about.
  private mutating func noteAmbiguous(
    _ fields: [EntityReconciler.Field], of candidate: UpdateCandidate
  ) {
    guard fields.areProven else { return noteUnheld(candidate) }
    let others = fields.namesOfOtherImports
    // What readers see needs no word, and what was edited since is no import's any more.
    if others.isEmpty { return }
    outcome.findings.append(
      .besideOther(name(of: candidate), others.listed, path: path(of: candidate)))
  }

  /// Tells about an entity that several files say different things about, and of which the document
  /// never held what this one says.
  private mutating func noteUnheld(_ candidate: UpdateCandidate) {
    outcome.findings.append(
      Finding(
        .duplicateID, .error, path: path(of: candidate),
        message: "\(name(of: candidate)) is in another file with other content, and its document "
          + "never held what this one says",
        next: "move the file that is wrong out of the folder"))
  }

  /// Tells that a document shows an entity which no import of this document made, and which differs.
  private mutating func noteForeign(
    _ entity: LegacyEntity, of batch: EntityBatch, _ map: OpID, _ document: DocumentState,
    _ candidate: UpdateCandidate
  ) {
    // Files that disagree about what an app made are compared with it only if that is asked for.
    if candidate.isAmbiguous, !input.isWriting { return }
    let isEqual = comparison.compare(
      entity, of: batch, with: map, of: document, ignoresID: map.isRoot)
    guard !isEqual else { return }
    if candidate.isAmbiguous { return noteUnheld(candidate) }
    outcome.findings.append(
      .differs(name(of: candidate), comparison.differences.listed, path: path(of: candidate)))
  }

  private func name(of candidate: UpdateCandidate) -> String {
    kinds.title(candidate.kind, candidate.identity)
  }

  private func path(of candidate: UpdateCandidate) -> String {
    input.source.path(of: candidate.position.item)
  }

  private mutating func note(
    _ fields: [EntityReconciler.Field], of candidate: UpdateCandidate, in document: RelativePath
  ) {
    let (name, path) = (name(of: candidate), path(of: candidate))
    if !input.isWriting {
      outcome.findings += Finding.diverged(
        name, fields.changedSince, saying: "\(document) has another", path: path,
        next: input.command.shellText, command: input.command)
    }
    outcome.findings += Finding.keptValues(name, fields.lacks, path: path)
    let editedBoth = fields.names(.editedBoth)
    if !(input.isWriting && input.prefersLegacy), !editedBoth.isEmpty {
      outcome.findings.append(.editedBoth(name, editedBoth.listed, path: path))
    }
  }
}
