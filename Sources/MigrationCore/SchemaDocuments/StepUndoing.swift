import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// Undoes a step in the documents of a folder: fields that still show what it wrote get what they showed
/// before, and entities that it made, and nobody has changed since, are deleted. What was edited since
/// stays.
struct StepUndoing {
  private let step: EntityStep
  private let folder: Directory
  private let survey: StepSurvey
  private let parameters: MigrationObject
  private let notesChanges: Bool
  private let context: RunContext

  /// What is added to documents, by their paths.
  private(set) var patches: [RelativePath: DocumentPatch] = [:]
  private var changedCount = 0
  private var changes: [SchemaReport.Change] = []
  private var findings: [Finding] = []

  init(
    of step: EntityStep, _ options: SchemaOptions, in folder: Directory, _ survey: StepSurvey,
    notesChanges: Bool, context: RunContext
  ) {
    (self.step, self.folder, self.survey, self.context) = (step, folder, survey, context)
    self.notesChanges = notesChanges
    parameters = options.context.parameters
  }

  /// Makes the changes; nothing is written.
  mutating func run() throws(MigrationError) {
    var stage = StepStage(step, of: context.kinds, parameters)
    var created: [EntityKind: [Identity: ChangingEntity]] = [:]
    if !step.creations.isEmpty {
      var preparation = StepPreparation(
        folder, survey.inventory, survey.documents, context: context)
      let id = step.id.rawValue
      try preparation.prepare(&stage) { document throws(MigrationError) in
        let history = StepHistory(of: document)
        let done = history.standing(of: id, in: document).done
        return done.isEmpty ? document : try document.only(history.begun(by: done, in: document))
      }
      for entity in preparation.created {
        created[entity.kind, default: [:]][entity.identity] = entity
      }
    }
    let (documents, kinds, step) = (survey.documents, context.kinds, step)
    let (folder, inventory, notesChanges, made) = (folder, survey.inventory, notesChanges, created)
    let outcomes = try Workers.map(
      documents.count, phase: .converting, context: context,
      makeState: {
        DocumentUndoer(
          step, DocumentLoader(folder, inventory), kinds, created: made, notesChanges: notesChanges)
      }
    ) { item, undoer throws(MigrationError) in
      try undoer.undo(documents[item])
    }
    for outcome in outcomes {
      if !outcome.patch.isEmpty { patches[outcome.patch.path] = outcome.patch }
      changedCount += outcome.changedCount
      changes += outcome.changes
      findings += outcome.findings
    }
  }

  /// Returns all documents that get something, once they are on disk under temporary names.
  func finish(_ publisher: DocumentPublisher) throws(MigrationError) -> [BuiltDocument] {
    try patches.values.sorted { $0.path < $1.path }.built(
      in: folder, survey.inventory, with: publisher, context: context)
  }

  /// Says in a report what was done.
  func complete(_ report: inout SchemaReport) {
    report.changes = Array(changes.prefix(SchemaReport.largestChangeCount))
    report.furtherChangeCount = changes.count - report.changes.count
    report.findings += findings
    report.documentCount = patches.count
    report.addedByteCount = patches.values.reduce(0) { $0 + $1.chunks.count }
    report.note(undone: step, changedCount: changedCount)
  }
}

/// Undoes a step in one document after the other. One worker has one.
struct DocumentUndoer {
  /// What became of a document.
  struct Outcome: Sendable {
    var patch: DocumentPatch
    var changedCount = 0
    var changes: [SchemaReport.Change] = []
    var findings: [Finding] = []
  }

  /// Changes of the step that do not build on each other, with what readers saw before and after them.
  private struct Done {
    let past: [Bool]
    let before: Moment
    let after: Moment
  }

  /// What readers saw at a point of history. Numbers of operations are another document's own.
  private struct Moment {
    let document: DocumentState
    let maps: [Identity: OpID]

    init(_ document: DocumentState, _ kind: EntityKind, _ kinds: EntityKinds) {
      self.document = document
      var maps: [Identity: OpID] = [:]
      for entity in DocumentRoot(document, of: kind, kinds).entities {
        maps[entity.identity] = entity.map
      }
      self.maps = maps
    }
  }

  private let step: EntityStep
  private let kinds: EntityKinds
  private let created: [EntityKind: [Identity: ChangingEntity]]
  private let notesChanges: Bool
  private var loader: DocumentLoader
  private var (now, before, after): (StepEntities, StepEntities, StepEntities)
  private var reconciler: EntityReconciler
  private var comparison: EntityComparison
  /// What an older version of the app writes again, beside a step that takes it away, is seen.
  private var writer = FieldUpdater(clearsWithNull: false)
  private var outcome: Outcome

  init(
    _ step: EntityStep, _ loader: DocumentLoader, _ kinds: EntityKinds,
    created: [EntityKind: [Identity: ChangingEntity]], notesChanges: Bool
  ) {
    (self.step, self.loader, self.kinds, self.created) = (step, loader, kinds, created)
    self.notesChanges = notesChanges
    (now, before, after) = (StepEntities(kinds), StepEntities(kinds), StepEntities(kinds))
    reconciler = EntityReconciler(kinds)
    comparison = EntityComparison(kinds)
    outcome = Outcome(patch: DocumentPatch(path: .folder, file: nil, version: nil))
  }

  /// Makes the change that undoes the step in a document; none if it was not done there.
  mutating func undo(_ seen: StepSurvey.Document) throws(MigrationError) -> Outcome {
    let (loaded, patch) = try loader.load(seen, after: nil)
    var document = loaded
    outcome = Outcome(patch: patch)
    let entries = StepHistory(of: document).standing(of: step.id.rawValue, in: document).done
    guard !entries.isEmpty else { return outcome }
    let layers = StepHistory.layers(of: entries, in: document)
    let done = try layers.map { layer throws(MigrationError) in
      var before = layer.past
      for entry in layer.entries { before[entry.row] = false }
      return Done(
        past: layer.past, before: Moment(try document.only(before), seen.kind, kinds),
        after: Moment(try document.only(layer.past), seen.kind, kinds))
    }
    let note = StepNote(id: step.id.rawValue, checksum: step.checksum)
    var change = try document.accepting(at: seen.path) { document throws(FormatError) in
      try UpdateChange(onto: document, message: note.message)
    }
    for entity in DocumentRoot(document, of: seen.kind, kinds).entities {
      guard let map = entity.map else { continue }
      try undo(map, entity.identity, done, seen, document, &change)
    }
    let chunk = try document.accepting(at: seen.path) { document throws(FormatError) in
      try change.apply(to: &document, as: .undo)
    }
    outcome.patch.add(chunk, of: 0)
    return outcome
  }

  private mutating func undo(
    _ map: OpID, _ identity: Identity, _ done: [Done], _ seen: StepSurvey.Document,
    _ document: DocumentState, _ change: inout UpdateChange
  ) throws(MigrationError) {
    let row = document.row(ofChangeThatMade: map)
    let ours = done.filter { done in row.map { done.past[$0] } ?? true }
    guard !ours.isEmpty else {
      return try delete(map, identity, seen, document, &change)
    }
    _ = try now.read(map, seen.kind, identity, in: document)
    var restored: [[UInt8]: StepEntities.Member?] = [:]
    var edited: Set<[UInt8]> = []
    for done in ours {
      guard let old = done.before.maps[identity], let new = done.after.maps[identity] else {
        continue
      }
      _ = try before.read(old, seen.kind, identity, in: done.before.document)
      _ = try after.read(new, seen.kind, identity, in: done.after.document)
      for name in before.names.union(after.names) where !edited.contains(name) {
        let (old, new) = (before.member(name), after.member(name))
        if old == new { continue }
        // What it was before the last change of the step may be what the one before that has written.
        let shown = restored[name] ?? now.member(name)
        if shown == new {
          restored.updateValue(old, forKey: name)
        } else if shown != old {
          edited.insert(name)
        }
      }
    }
    for name in edited.filter({ restored[$0] == nil })
      .sorted(by: { ByteOrder.precedes($0, $1) })
    {
      add(
        .editedSince, .info, seen, identity,
        "\(DisplayText.escaping(name)) was edited since, and stays as it is")
    }
    guard !restored.isEmpty else { return }
    guard let made = try now.make(restoring: restored) else {
      let problem = now.batch.findings.first?.message ?? "it breaks a rule of its kind"
      return add(.notConverted, .error, seen, identity, "is not brought back: \(problem)")
    }
    let names = restored.keys.sorted(by: { ByteOrder.precedes($0, $1) })
    let fields = reconciler.differences(
      among: names, of: made, in: now.batch, map: map, document)
    guard !fields.isEmpty else { return }
    for field in fields {
      writer.write(field, of: made, in: now.batch, map: map, of: document, to: &change)
    }
    outcome.changedCount += 1
    guard notesChanges else { return }
    outcome.changes.append(
      SchemaReport.Change(
        kind: kinds.name(of: seen.kind), id: kinds.text(of: identity), isNew: false,
        properties: names.map { name in
          .init(
            name: String(decoding: name, as: UTF8.self),
            before: SchemaReport.Change.shown(now.member(name)?.json),
            after: SchemaReport.Change.shown(restored[name]??.json))
        }))
  }

  /// Deletes an entity that the step has made, unless it was changed since.
  private mutating func delete(
    _ map: OpID, _ identity: Identity, _ seen: StepSurvey.Document, _ document: DocumentState,
    _ change: inout UpdateChange
  ) throws(MigrationError) {
    guard let entity = created[seen.kind]?[identity], let made = try now.make(entity) else {
      return
    }
    let isEqual = comparison.compare(
      made, of: now.batch, with: map, of: document, ignoresID: map.isRoot)
    let key = kinds.bytes(of: identity, seen.kind)
    guard isEqual, let group = document.group(of: .root, key: key) else {
      return add(
        .editedSince, .info, seen, identity, "the step made it; it was edited since, and stays")
    }
    change.delete(in: .root, key: key, group, of: document)
    outcome.changedCount += 1
  }

  private mutating func add(
    _ code: Finding.Code, _ severity: Severity, _ seen: StepSurvey.Document, _ identity: Identity,
    _ message: String
  ) {
    outcome.findings.append(
      Finding(
        code, severity, path: seen.path.description,
        message: "\(step.id): \(kinds.title(seen.kind, identity)): \(message)"))
  }
}

extension DocumentState {
  /// The document as some of its changes have left it, which build on no other.
  func only(_ rows: [Bool]) throws(MigrationError) -> DocumentState {
    do throws(FormatError) {
      var document = DocumentState()
      try document.apply(batch(rows.indices.filter { rows[$0] }))
      return document
    } catch {
      throw .brokenInvariant("a part of a document does not fit: \(error.problem)")
    }
  }
}
