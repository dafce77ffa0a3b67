import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// Undoes a step in one document after the other. One worker has one.
struct DocumentUndoer {
  /// What became of a document.
  struct Outcome: Sendable {
    var patch: DocumentPatch
    var changedCount = 0
    var changes: [SchemaReport.Change] = []
    var findings: [Finding] = []
    /// The properties that show what was edited elsewhere from now on.
    var uncovered: [Identity: Set<[UInt8]>] = [:]
    /// A step that was done after it and has changed the same properties of an entity.
    var later: String?
  }

  private let step: EntityStep
  /// The names of the steps of all plans.
  let steps: [String]
  let kinds: EntityKinds
  /// What runs of the step may have made, of what each of them found.
  private let created: [EntityKind: [Identity: [ChangingEntity]]]
  let notesChanges: Bool
  private var loader: DocumentLoader
  var (now, before, after): (StepEntities, StepEntities, StepEntities)
  var reconciler: EntityReconciler
  private var comparison: EntityComparison
  /// What an older version of the app writes again, beside a step that takes it away, is seen.
  var writer = FieldUpdater(clearsWithNull: false)
  var outcome: Outcome
  /// The rows of the changes of all steps of the plans in the document.
  var ofSteps: Set<Int> = []
  /// The rows of the changes that undo steps: some have made entities anew that were edited elsewhere.
  private var undoings: Set<Int> = []
  /// What changes build on, by their rows.
  var pasts: [Int: [Bool]] = [:]
  /// The entities that the change gives something back.
  var touched: [TouchedEntity] = []

  init(
    _ step: EntityStep, among steps: [String], _ loader: DocumentLoader, _ kinds: EntityKinds,
    created: [EntityKind: [Identity: [ChangingEntity]]], notesChanges: Bool
  ) {
    (self.step, self.loader, self.kinds, self.created) = (step, loader, kinds, created)
    self.steps = steps
    self.notesChanges = notesChanges
    (now, before, after) = (StepEntities(kinds), StepEntities(kinds), StepEntities(kinds))
    reconciler = EntityReconciler(kinds)
    comparison = EntityComparison(kinds)
    outcome = Outcome(patch: DocumentPatch(path: .folder, file: nil, version: nil))
  }

  /// Makes the changes that undo the step in a document; none if it was not done there.
  ///
  /// What an earlier undoing has taken away while it was edited elsewhere comes back.
  mutating func undo(_ seen: StepSurvey.Document) throws(MigrationError) -> Outcome {
    let (loaded, patch) = try loader.load(seen, after: nil)
    var document = loaded
    outcome = Outcome(patch: patch)
    let history = StepHistory(of: document)
    ofSteps = Set(history.entries.lazy.filter { [steps] in steps.contains($0.note.id) }.map(\.row))
    undoings = Set(history.entries.lazy.filter { $0.label == .undo }.map(\.row))
    (pasts, touched) = ([:], [])
    let away = EditedAway(
      by: step.id.rawValue, besides: steps, history, in: document, of: seen.kind, kinds)
    if let past = try UndoneStep(step.id.rawValue, in: document, of: seen.kind, kinds) {
      try undo(past, seen, in: &document)
    }
    try bringBack(away.entities, seen, in: &document)
    return outcome
  }

  var note: StepNote { StepNote(id: step.id.rawValue, checksum: step.checksum) }

  private mutating func undo(
    _ past: UndoneStep, _ seen: StepSurvey.Document, in document: inout DocumentState
  ) throws(MigrationError) {
    let note = note
    var change = try document.accepting(at: seen.path) { document throws(FormatError) in
      try UpdateChange(onto: document, message: note.message)
    }
    for entity in DocumentRoot(document, of: seen.kind, kinds).entities {
      guard let map = entity.map else { continue }
      try undo(map, entity.identity, past, seen, document, &change)
    }
    let chunk = try document.accepting(at: seen.path) { document throws(FormatError) in
      try change.apply(to: &document, as: .undo)
    }
    outcome.patch.add(chunk, of: 0)
    try tellTouched(seen, in: document)
  }

  private mutating func undo(
    _ map: OpID, _ identity: Identity, _ past: UndoneStep, _ seen: StepSurvey.Document,
    _ document: DocumentState, _ change: inout UpdateChange
  ) throws(MigrationError) {
    let row = document.row(ofChangeThatMade: map)
    let makesSuch = created[seen.kind]?[identity] != nil
    // What undoing another step has brought back shows what this one made of it before.
    let isBack = row.map(undoings.contains) ?? false
    if !isBack, past.hasMade(row, makesSuch: makesSuch) {
      return try delete(map, identity, past, seen, document, &change)
    }
    _ = try now.read(map, seen.kind, identity, in: document)
    var restored: [[UInt8]: StepEntities.Member?] = [:]
    var edited: Set<[UInt8]> = []
    // The changes that wrote what comes back.
    var writers: [[UInt8]: ChangeHash] = [:]
    // The last of its changes that has changed a property.
    var changed: [[UInt8]: UndoneStep.Done] = [:]
    for done in past.done where isBack || row.map({ done.past[$0] }) ?? true {
      for (name, (old, new)) in try differences(identity, seen.kind, by: done) {
        guard done.isOurs else {
          // What another step wrote does not come back once that one is undone.
          guard let writer = writers[name], done.hashes.contains(writer) else { continue }
          restored.updateValue(old, forKey: name)
          writers[name] = done.before.writer(of: name, of: identity)
          continue
        }
        if changed[name] == nil { changed[name] = done }
        if edited.contains(name) { continue }
        // What it was before the last change of the step may be what the one before that has written.
        let shown = restored[name] ?? now.member(name)
        if shown == new {
          restored.updateValue(old, forKey: name)
          writers[name] = done.before.writer(of: name, of: identity)
        } else if shown != old {
          edited.insert(name)
        }
      }
    }
    for later in past.later where outcome.later == nil {
      for name in try differences(identity, seen.kind, by: later.done).keys {
        guard let last = changed[name], later.buildsOn(last) else { continue }
        outcome.later = later.id
      }
    }
    for name in edited.filter({ restored[$0] == nil })
      .sorted(by: { ByteOrder.precedes($0, $1) })
    {
      add(
        .editedSince, .info, seen, identity,
        "\(DisplayText.escaping(name)) was edited since, and stays as it is")
    }
    let names = restored.keys.sorted(by: { ByteOrder.precedes($0, $1) })
    let before = names.map { now.member($0)?.json }
    let uncovered = try keepOthers(
      of: map, identity, among: &restored, past, changed: changed, seen, document, &change)
    if restored.isEmpty && uncovered.isEmpty { return }
    guard let made = try now.make(restoring: restored) else {
      let problem = now.batch.findings.first?.message ?? "it breaks a rule of its kind"
      return add(.notConverted, .error, seen, identity, "is not brought back: \(problem)")
    }
    let fields = reconciler.differences(
      among: restored.keys.sorted(by: { ByteOrder.precedes($0, $1) }), of: made, in: now.batch,
      map: map, document)
    if fields.isEmpty && uncovered.isEmpty { return }
    for field in fields {
      writer.write(field, of: made, in: now.batch, map: map, of: document, to: &change)
    }
    outcome.changedCount += 1
    let properties = zip(names, before).filter { name, _ in
      restored[name] != nil || uncovered.contains { $0.name == name }
    }
    touched.append(
      TouchedEntity(
        map: map, identity: identity, uncovered: uncovered,
        properties: properties.map { name, before in
          .init(name: name, before: before, after: restored[name]??.json)
        }))
  }

  /// What changes that do not build on each other have changed in an entity that was there before them.
  private mutating func differences(
    _ identity: Identity, _ kind: EntityKind, by done: UndoneStep.Done
  ) throws(MigrationError) -> [[UInt8]: (old: StepEntities.Member?, new: StepEntities.Member?)] {
    guard let old = done.before.maps[identity], let new = done.after.maps[identity] else {
      return [:]
    }
    _ = try before.read(old, kind, identity, in: done.before.document)
    _ = try after.read(new, kind, identity, in: done.after.document)
    var differences: [[UInt8]: (old: StepEntities.Member?, new: StepEntities.Member?)] = [:]
    for name in before.names.union(after.names) {
      let (old, new) = (before.member(name), after.member(name))
      if old != new { differences[name] = (old, new) }
    }
    return differences
  }

  /// Deletes an entity that the step has made, unless it was changed since.
  private mutating func delete(
    _ map: OpID, _ identity: Identity, _ past: UndoneStep, _ seen: StepSurvey.Document,
    _ document: DocumentState, _ change: inout UpdateChange
  ) throws(MigrationError) {
    var isMade = false
    let key = kinds.bytes(of: identity, seen.kind)
    let group = document.group(of: .root, key: key)
    // Objects that devices made apart are deleted together.
    var unequal = Set((group.map { document.values(in: $0) } ?? []).map(\.id) + [map])
    for entity in created[seen.kind]?[identity] ?? [] where !unequal.isEmpty {
      guard let made = try now.make(entity) else { continue }
      isMade = true
      for map in unequal {
        let isEqual = comparison.compare(
          made, of: now.batch, with: map, of: document, ignoresID: map.isRoot)
        if isEqual { unequal.remove(map) }
      }
    }
    if !isMade { return }
    guard unequal.isEmpty, let group else {
      for later in past.later where outcome.later == nil {
        let isChanged = try !differences(identity, seen.kind, by: later.done).isEmpty
        if isChanged { outcome.later = later.id }
      }
      let isOfRuns = document.holdsOnlyImports(in: map, besides: ofSteps)
      return add(
        .editedSince, .info, seen, identity,
        isOfRuns
          ? "the step made it; another device's run of the step, or an import, made it of other data, "
            + "and it stays"
          : "the step made it; it was edited since, and stays")
    }
    // What is the same for readers may hide what somebody wrote.
    let hidden = hiddenEdits(in: map, document)
    if !hidden.isEmpty {
      for name in hidden { addHidden(name, seen, identity) }
      return
    }
    change.delete(in: .root, key: key, group, of: document)
    outcome.changedCount += 1
  }

  mutating func add(
    _ code: Finding.Code, _ severity: Severity, _ seen: StepSurvey.Document, _ identity: Identity,
    _ message: String, next: String? = nil
  ) {
    outcome.findings.append(
      Finding(
        code, severity, path: seen.path.description,
        message: "\(step.id): \(kinds.title(seen.kind, identity)): \(message)", next: next))
  }
}

extension DocumentState {
  /// Whether all that readers see in a map was written by imports, by steps that made it as these do, or by steps
  /// that wrote to it since.
  fileprivate func holdsOnlyImports(in map: OpID, besides steps: Set<Int>) -> Bool {
    var isOfImports = true
    forEachGroup(in: map) { _, group in
      for value in self.values(in: group) where isOfImports {
        isOfImports = self.isOfImport(value, besides: steps)
      }
    }
    return isOfImports
  }

  private func isOfImport(_ value: DocumentValue, besides steps: Set<Int>) -> Bool {
    guard let row = row(ofChangeThatMade: value.id) else { return false }
    if !isImport(row), !steps.contains(row) { return false }
    guard case .object = value.content else { return true }
    return holdsOnlyImports(in: value.id, besides: steps)
  }
}
