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
  /// The names of the steps of all plans, in order.
  private let order: [String]
  private let notesChanges: Bool
  private let context: RunContext

  /// What is added to documents, by their paths.
  private(set) var patches: [RelativePath: DocumentPatch] = [:]
  private var changedCount = 0
  private var changes: [SchemaReport.Change] = []
  private var findings: [Finding] = []
  /// What the survey tells of edits that show from now on.
  private var settled: [Finding] = []

  init(
    of step: EntityStep, _ options: SchemaOptions, in folder: Directory, _ survey: StepSurvey,
    notesChanges: Bool, context: RunContext
  ) {
    (self.step, self.folder, self.survey, self.context) = (step, folder, survey, context)
    self.notesChanges = notesChanges
    parameters = options.context.parameters
    order = options.steps.map(\.id.rawValue)
  }

  /// Makes the changes; nothing is written.
  mutating func run() throws(MigrationError) {
    let created = try madeByRuns()
    let (documents, kinds, step) = (survey.documents, context.kinds, step)
    let (folder, inventory, notesChanges, made) = (folder, survey.inventory, notesChanges, created)
    let order = order
    let outcomes = try Workers.map(
      documents.count, phase: .converting, context: context,
      makeState: {
        DocumentUndoer(
          step, among: order, DocumentLoader(folder, inventory), kinds, created: made,
          notesChanges: notesChanges)
      }
    ) { item, undoer throws(MigrationError) in
      try undoer.undo(documents[item])
    }
    try requireLast(outcomes)
    for (document, outcome) in zip(documents, outcomes) {
      settled += document.hidden.filter { edit in
        outcome.uncovered[edit.identity]?.contains(edit.property) == true
      }.map { survey.finding($0, in: document) }
      if !outcome.patch.isEmpty { patches[outcome.patch.path] = outcome.patch }
      changedCount += outcome.changedCount
      changes += outcome.changes
      findings += outcome.findings
    }
  }

  /// Returns what the runs of the step have made, as far as it can be said: of what all of them found, and of
  /// what each of them did that ran once more for entities that had come since.
  private func madeByRuns() throws(MigrationError) -> [EntityKind: [Identity: [ChangingEntity]]] {
    var created: [EntityKind: [Identity: [ChangingEntity]]] = [:]
    if step.creations.isEmpty { return created }
    let id = step.id.rawValue
    var runCount = 0
    func add(
      _ past: (DocumentState) throws(MigrationError) -> DocumentState
    ) throws(MigrationError) {
      var stage = StepStage(step, of: context.kinds, parameters)
      var preparation = StepPreparation(
        folder, survey.inventory, survey.documents, context: context)
      try preparation.prepare(&stage, asOf: past)
      for entity in preparation.created {
        created[entity.kind, default: [:]][entity.identity, default: []].append(entity)
      }
    }
    try add { document throws(MigrationError) in
      let history = StepHistory(of: document)
      let done = history.standing(of: id, in: document).done
      if done.isEmpty { return document }
      runCount = max(runCount, StepHistory.layers(of: done, in: document).count)
      return try document.only(history.begun(by: done, in: document))
    }
    guard runCount > 1 else { return created }
    for number in 0..<runCount {
      try add { document throws(MigrationError) in
        let history = StepHistory(of: document)
        let done = history.standing(of: id, in: document).done
        let layers = StepHistory.layers(of: done, in: document)
        if layers.isEmpty { return document }
        let layer = layers[min(number, layers.count - 1)]
        var past = layer.past
        for entry in layer.entries { past[entry.row] = false }
        return try document.only(past)
      }
    }
    return created
  }

  /// Throws if another step has changed after it what it has changed: that one builds on it.
  private func requireLast(_ outcomes: [DocumentUndoer.Outcome]) throws(MigrationError) {
    let later = outcomes.compactMap(\.later)
    guard let last = order.last(where: later.contains) ?? later.first else { return }
    throw .step(step.id, "\(last) has changed the same entities after it", "undo \(last) first")
  }

  /// Returns all documents that get something, once they are on disk under temporary names.
  func finish(_ publisher: DocumentPublisher) throws(MigrationError) -> [BuiltDocument] {
    try patches.values.sorted { $0.path < $1.path }.built(
      in: folder, survey.inventory, with: publisher, context: context)
  }

  /// Says in a report what was done.
  ///
  /// - Parameter hadEffect: whether the step has changed anything.
  func complete(_ report: inout SchemaReport, hadEffect: Bool) {
    report.changes = Array(changes.prefix(SchemaReport.largestChangeCount))
    report.furtherChangeCount = changes.count - report.changes.count
    report.findings.removeAll { settled.contains($0) }
    report.findings += findings
    report.documentCount = patches.count
    report.addedByteCount = patches.values.reduce(0) { $0 + $1.chunks.count }
    report.note(undone: step, changedCount: changedCount, hadEffect: hadEffect)
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
