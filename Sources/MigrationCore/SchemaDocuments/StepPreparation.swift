import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// Lets a step see all entities before it changes the first, and makes those that it makes of them.
struct StepPreparation {
  private let documents: [StepSurvey.Document]
  private let patches: [RelativePath: DocumentPatch]
  private let context: RunContext
  private var loader: DocumentLoader
  private var entities: StepEntities

  /// The entities that the step makes, in the order in which they were made.
  private(set) var created: [ChangingEntity] = []
  /// Those that it has made before and that undoing it has taken away, with the documents that had them.
  private(set) var takenAway: [EntityKind: [Identity: RelativePath]] = [:]
  private(set) var findings: [Finding] = []
  /// How many it would make for entities of which nothing shows whether it has seen them.
  private(set) var doubtfulCount = 0
  private var kinds: EntityKinds { context.kinds }

  init(
    _ folder: Directory, _ inventory: FolderInventory, _ documents: [StepSurvey.Document],
    _ patches: [RelativePath: DocumentPatch] = [:], context: RunContext
  ) {
    (self.documents, self.patches, self.context) = (documents, patches, context)
    loader = DocumentLoader(folder, inventory)
    entities = StepEntities(context.kinds)
  }

  /// Reads documents as they are before the step.
  ///
  /// - Parameter past: returns what of a document is looked at; all that readers see unless told otherwise.
  mutating func prepare(
    _ step: inout StepStage,
    asOf past: (DocumentState) throws(MigrationError) -> DocumentState = { $0 }
  ) throws(MigrationError) {
    for seen in documents {
      let (makes, takesIn) = (step.createdKinds.contains(seen.kind), step.takesIn(seen.kind))
      guard makes || takesIn else { continue }
      let document = try past(try document(seen))
      if makes { know(seen, document, &step) }
      guard takesIn else { continue }
      for entity in DocumentRoot(document, of: seen.kind, kinds).entities {
        guard let map = entity.map else { continue }
        try survey(map, entity.identity, seen, document, &step)
      }
    }
    step.endSurvey()
    guard !step.createdKinds.isEmpty else { return }
    for seen in documents where step.takesIn(seen.kind) {
      let document = try past(try document(seen))
      for entity in DocumentRoot(document, of: seen.kind, kinds).entities {
        guard let map = entity.map else { continue }
        try read(map, entity.identity, seen, document, step)
        do throws(StepDefect) {
          created += try step.creations(for: entities.entity)
        } catch {
          fail(step, seen.kind, entity.identity, "\(error.property): \(error.problem)")
        }
      }
    }
    do throws(StepDefect) {
      created += try step.creations()
    } catch {
      fail(step, error)
    }
    // A tape is large, and what was made lies on none.
    for index in created.indices { created[index].tape = JSONTape() }
  }

  /// Likewise for those entities alone that a step that was done has not seen, and makes what is not there
  /// of them, and never was, or was taken away by undoing the step on a device that had not done it for all.
  ///
  /// - Parameters:
  ///   - number: the number of the step among those of the plans.
  ///   - sources: the entities that it has seen, as they are told; nil if the documents say that.
  mutating func prepareLate(
    _ step: inout StepStage, at number: Int, _ signs: StepSigns, besides sources: Set<String>? = nil
  ) throws(MigrationError) {
    for seen in documents where step.createdKinds.contains(seen.kind) {
      know(seen, try document(seen), &step)
      // What was edited meanwhile comes back as it was edited, by undoing the step once more.
      for identity in seen.editedAway[step.step.id.rawValue] ?? [] {
        takenAway[seen.kind]?[identity] = nil
        step.take(identity, seen.kind)
      }
    }
    takenAway = takenAway.filter { !$0.value.isEmpty }
    var unseen: [EntityKind: [Identity: Bool?]] = [:]
    for seen in documents where step.makesOthers(for: seen.kind) {
      let document = try document(seen)
      let late = LateEntities.of(
        [(number, step.step)], signs, StepHistory(of: document), in: document, of: seen.kind)
      for entity in DocumentRoot(document, of: seen.kind, kinds).entities {
        guard let map = entity.map, let late = late.first else { continue }
        let isUnseen =
          if let sources { !sources.contains(kinds.title(seen.kind, entity.identity)) } else {
            late.isUnseen(map, seen.kind, entity.identity)
          }
        if isUnseen == false { continue }
        try read(map, entity.identity, seen, document, step)
        guard step.mayMakeMore(for: entities.entity) else { continue }
        unseen[seen.kind, default: [:]].updateValue(isUnseen, forKey: entity.identity)
      }
    }
    if unseen.isEmpty && takenAway.isEmpty { return }
    try fold(&step)
    do throws(StepDefect) {
      // What it makes of no entity it has made before, unless undoing it took that away.
      created += try step.creations().filter { takenAway[$0.kind]?[$0.identity] != nil }
    } catch {
      fail(step, error)
    }
    for seen in documents {
      guard let unseen = unseen[seen.kind] else { continue }
      let document = try document(seen)
      for entity in DocumentRoot(document, of: seen.kind, kinds).entities {
        guard let map = entity.map, let isUnseen = unseen[entity.identity] else { continue }
        try read(map, entity.identity, seen, document, step)
        do throws(StepDefect) {
          let made = try step.creations(for: entities.entity).filter {
            !step.hasTaken($0.identity, $0.kind)
          }
          if isUnseen == nil { doubtfulCount += made.count } else { created += made }
        } catch {
          fail(step, seen.kind, entity.identity, "\(error.property): \(error.problem)")
        }
      }
    }
    for index in created.indices { created[index].tape = JSONTape() }
  }

  /// Has a step know which entities there are of a kind of which it makes some. What was deleted is known,
  /// too, and comes back through no step, but for what undoing the step itself has taken away.
  private mutating func know(
    _ seen: StepSurvey.Document, _ document: DocumentState, _ step: inout StepStage
  ) {
    let history = StepHistory(of: document)
    let id = step.step.id.rawValue
    for entity in DocumentRoot(document, of: seen.kind, kinds).entities {
      if history.tookAway(entity, by: id, in: document) {
        takenAway[seen.kind, default: [:]][entity.identity] = seen.path
      } else {
        step.take(entity.identity, seen.kind)
      }
    }
  }

  /// Puts together what a step does, of all entities.
  private mutating func fold(_ step: inout StepStage) throws(MigrationError) {
    for seen in documents where step.foldsIn(seen.kind) {
      let document = try document(seen)
      for entity in DocumentRoot(document, of: seen.kind, kinds).entities {
        guard let map = entity.map else { continue }
        try survey(map, entity.identity, seen, document, &step)
      }
    }
    step.endSurvey()
  }

  /// Has a step look at an entity; one that does not convert is told.
  private mutating func survey(
    _ map: OpID, _ identity: Identity, _ seen: StepSurvey.Document,
    _ document: DocumentState, _ step: inout StepStage
  ) throws(MigrationError) {
    try read(map, identity, seen, document, step)
    do throws(ConversionDefect) {
      try step.survey(entities.entity)
    } catch {
      fail(step, seen.kind, identity, error.description)
    }
  }

  private mutating func document(
    _ seen: StepSurvey.Document
  ) throws(MigrationError) -> DocumentState {
    if context.isInterrupted() { throw .interrupted }
    return try loader.load(seen, after: patches[seen.path]).document
  }

  private mutating func read(
    _ map: OpID, _ identity: Identity, _ seen: StepSurvey.Document, _ document: DocumentState,
    _ step: StepStage
  ) throws(MigrationError) {
    if let problem = try entities.read(map, seen.kind, identity, in: document) {
      fail(step, seen.kind, identity, problem)
    }
  }

  private mutating func fail(_ step: StepStage, _ error: StepDefect) {
    findings.append(
      Finding(
        .notConverted, .error, message: "\(step.step.id): \(error.property): \(error.problem)"))
  }

  private mutating func fail(
    _ step: StepStage, _ kind: EntityKind, _ identity: Identity, _ problem: String
  ) {
    findings.append(
      Finding(
        .notConverted, .error,
        message: "\(step.step.id): \(kinds.title(kind, identity)): \(problem)",
        next: "mend the value in the app, or the step; nothing of the step is written"))
  }
}
