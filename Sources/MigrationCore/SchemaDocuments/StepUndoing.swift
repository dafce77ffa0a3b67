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
    try requireLast(outcomes)
    for outcome in outcomes {
      if !outcome.patch.isEmpty { patches[outcome.patch.path] = outcome.patch }
      changedCount += outcome.changedCount
      changes += outcome.changes
      findings += outcome.findings
    }
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
  func complete(_ report: inout SchemaReport) {
    report.changes = Array(changes.prefix(SchemaReport.largestChangeCount))
    report.furtherChangeCount = changes.count - report.changes.count
    report.findings += findings
    report.documentCount = patches.count
    report.addedByteCount = patches.values.reduce(0) { $0 + $1.chunks.count }
    report.note(undone: step, changedCount: changedCount)
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
