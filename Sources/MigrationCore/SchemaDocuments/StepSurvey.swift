import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// What the documents of a folder say of the steps that were done to them, and what keeps steps from
/// running on them.
struct StepSurvey: Sendable {
  let inventory: FolderInventory
  private(set) var documents: [Document] = []
  private(set) var findings: [Finding] = []
  /// Why no step can run; nil if they can.
  private(set) var obstacle: String?
  /// The steps that were done over JSON files of the folder, and of which no document says anything.
  private(set) var doneOverFiles: [SchemaRecord.Step] = []
  /// The entities, as they are told, for which such steps have made others, by their numbers; none if nothing
  /// says which these are.
  private(set) var sourcesOfFiles: [Int: Set<String>] = [:]
  /// Likewise those that show in JSON files that such steps were not done to them.
  private(set) var lateInFiles: [Int: Set<String>] = [:]
  /// What shows that such a step was not done to it.
  private(set) var rest = Rest()

  let steps: [EntityStep]
  let stages: [StepStage]
  /// How many of them, from the first one on, are taken as done.
  let adoptedCount: Int
  private(set) var signs: StepSigns
  /// What steps that were done have still to make.
  private(set) var missing = Missing()
  /// By the number of a step that was done, what tells that its totals do not hold what came later.
  private(set) var unheld: [Int: UnheldTotals] = [:]

  /// Looks at a folder.
  ///
  /// - Parameter earlier: an earlier look; of documents that are what they were then, nothing is read.
  init(
    of listed: ListedFolder, _ options: SchemaOptions, earlier: StepSurvey? = nil,
    context: RunContext
  ) throws(MigrationError) {
    let (folder, inventory) = (listed.directory, listed.inventory)
    self.inventory = inventory
    steps = options.steps
    adoptedCount = options.adoptedCount
    stages = steps.map { StepStage($0, of: context.kinds, options.context.parameters) }
    signs = StepSigns(steps, of: context.kinds)
    findings = listed.unlisted
    if let first = listed.unlisted.first(where: { $0.severity == .error }) {
      obstacle = "\(first.path) cannot be listed"
    }
    let files = noteObstacles()
    let known = Dictionary(
      (earlier?.documents ?? []).map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    let fitting =
      steps.contains { $0.versions != nil } ? FittingVersions(context.kinds) : nil
    let looks = try Workers.map(
      files.count, phase: .indexing, context: context,
      makeState: { DocumentLoader(folder, inventory) }
    ) { [steps, stages, signs] item, loader throws(MigrationError) in
      let file = files[item]
      let path = inventory.path(of: file)
      if let known = known[path],
        let state = known.state,
        try MigrationError.wrapping({ () throws(FileError) in
          try folder.stateIfPresent(of: path)?.isUnchanged(since: state) ?? false
        })
      {
        var seen = known
        seen.file = file
        return Look.seen(seen)
      }
      return Self.look(at: file, of: inventory, steps, stages, signs, fitting, with: &loader)
    }
    for look in looks {
      switch look {
      case .seen(let document): documents.append(document)
      case .failed(let finding):
        findings.append(finding)
        obstacle = obstacle ?? "\(finding.path) cannot be read"
      }
    }
    signs = signs.knowing(done)
    try countLateEntities(in: folder, context)
    try lookForFileSteps(in: folder, context)
    missing = try missing(in: folder, context)
    unheld = try unheld(in: folder, context)
    try lookForImports(in: folder, context)
  }

  /// Counts those entities alone that a step would change, of the steps that were done somewhere.
  private mutating func countLateEntities(
    in folder: Directory, _ context: RunContext
  ) throws(MigrationError) {
    let (inventory, documents, steps) = (inventory, self.documents, self.steps)
    let (stages, signs) = (stages, signs)
    let done = steps.indices.filter { number in documents.contains { $0.holds(steps[number]) } }
    if done.isEmpty { return }
    // Of one in which no step was done nobody has counted them.
    let late = documents.indices.filter { index in
      let seen = documents[index]
      return seen.isUntouched
        || done.contains {
          seen.counts.late[$0] != nil || !signs.rewritten(of: seen.kind, by: $0).isEmpty
        }
    }
    let counts = try Workers.map(
      late.count, phase: .indexing, context: context,
      makeState: { (DocumentLoader(folder, inventory), StepEntities(context.kinds)) }
    ) { item, state throws(MigrationError) in
      let seen = documents[late[item]]
      let document = try state.0.load(seen, after: nil).document
      var counts = Counts()
      counts.revived = seen.counts.revived
      let numbers = done.filter {
        seen.isUntouched || seen.counts.late[$0] != nil
          || !signs.rewritten(of: seen.kind, by: $0).isEmpty
      }
      let history = StepHistory(of: document)
      let entities = LateEntities.of(
        numbers.map { ($0, steps[$0]) }, signs, history, in: document, of: seen.kind)
      let root = DocumentRoot(document, of: seen.kind, context.kinds)
      for (number, entities) in zip(numbers, entities) {
        let rows = history.rows(of: steps[number].id.rawValue)
        for entity in root.entities {
          guard let map = entity.map else { continue }
          let sign = entities.sign(of: map, seen.kind, entity.identity)
          if sign == .none { continue }
          _ = try state.1.read(map, seen.kind, entity.identity, in: document)
          let entity = state.1.entity
          let rewriting =
            sign == .shown || sign == .inMaking
            ? .none : signs.rewriting(of: entity, by: number, stages[number])
          if sign == .shown ? entity.isChanged(by: stages[number]) : sign.isGiven(by: rewriting) {
            counts.late[number, default: 0] += 1
          } else if sign == .inTypes, let names = rewriting.names {
            // What the step has made is not what somebody wrote since.
            if document.shows(names, of: map, onlyBy: rows.contains) { continue }
            counts.rewritten[number, default: 0] += 1
          } else if sign == .inValues || sign == .inMaking, entity.isChanged(by: stages[number]) {
            counts.doubtful[number, default: 0] += 1
          }
        }
      }
      return counts
    }
    for (index, counts) in zip(late, counts) {
      // Steps that were done nowhere have what the first look says.
      let first = self.documents[index].counts.late.filter { !done.contains($0.key) }
      self.documents[index].counts = counts
      self.documents[index].counts.late.merge(first) { counted, _ in counted }
    }
  }

  private enum Look: Sendable {
    case seen(Document)
    case failed(Finding)
  }

  private static func look(
    at file: Int, of inventory: FolderInventory, _ steps: [EntityStep], _ stages: [StepStage],
    _ signs: StepSigns, _ fitting: FittingVersions?, with loader: inout DocumentLoader
  ) -> Look {
    let (document, state): (DocumentState, FileState)
    do throws(DocumentDefect) {
      (document, state) = try loader.load(file)
    } catch {
      return .failed(error.finding)
    }
    let kinds = inventory.kinds
    let kind = kinds.kind(ofDocumentLike: inventory.kind(of: file))
    var seen = Document(file: file, path: inventory.path(of: file), kind: kind, state: state)
    let history = StepHistory(of: document)
    for id in history.ids {
      let (done, isUndone) = history.standing(of: id, in: document)
      for entry in done {
        if !seen.done.contains(entry.step) { seen.done.append(entry.step) }
        if document.change(at: entry.row).operationCount > 0 { seen.withEffect.insert(id) }
      }
      if !done.isEmpty, !seen.withEffect.contains(id),
        !history.skeletonsMade(by: signs.makers(of: kind, from: 0).intersection([id]), in: document)
          .isEmpty
      {
        seen.withEffect.insert(id)
      }
      if done.isEmpty, isUndone { seen.undone.append(id) }
      if isUndone, !done.isEmpty, history.isPartlyUndone(id, in: document) {
        seen.partlyUndone.insert(id)
      }
    }
    let root = DocumentRoot(document, of: kind, kinds)
    if var versions = fitting {
      for entity in root.entities {
        if let map = entity.map { versions.look(at: map, of: kind, in: document) }
      }
      seen.versions = versions
    }
    seen.isUntouched = history.entries.isEmpty
    if seen.isUntouched { return .seen(seen) }
    for id in signs.makers(of: kind, from: 0) {
      let away = EditedAway(
        by: id, besides: steps.map(\.id.rawValue), history, in: document, of: kind, kinds)
      if !away.entities.isEmpty {
        seen.editedAway[id] = away.entities.map(\.identity)
      }
      if !away.remade.isEmpty { seen.remade[id] = away.remade.map { kinds.title(kind, $0) } }
      if history.hasUndone(id),
        root.entities.contains(where: { history.tookAway($0, by: id, in: document) })
      {
        seen.takenAway.insert(id)
      }
    }
    var hidden = HiddenEdits(history, besides: steps.map(\.id.rawValue), in: document)
    let late = LateEntities.of(
      steps.enumerated().map { ($0, $1) }, signs, history, in: document, of: kind)
    for entity in root.entities {
      guard let map = entity.map else { continue }
      hidden.look(at: map, entity.identity, in: document)
      for (number, late) in late.enumerated() {
        if stages[number].makesOthers(for: kind),
          late.isUnseen(map, kind, entity.identity) != false
        {
          seen.unseenSources.insert(number)
        }
        if !stages[number].step.folds.isEmpty, !seen.unfolded.contains(number),
          stages[number].concerns(kind), late.isUnfolded(map, kind, entity.identity)
        {
          seen.unfolded.insert(number)
        }
        let sign = late.sign(of: map, kind, entity.identity)
        if sign == .shown || sign == .inMaking {
          seen.counts.late[number, default: 0] += 1
        } else if late.haveSeen(map),
          signs.show(map, of: kind, whatIsGoneAfter: number, in: document)
        {
          seen.counts.revived[number, default: 0] += 1
        }
      }
    }
    seen.hidden = hidden.edits
    return .seen(seen)
  }

  // MARK: What keeps steps from running

  /// Returns the documents that are read; what else there is may keep steps from running.
  private mutating func noteObstacles() -> [Int] {
    var files: [Int] = []
    for file in inventory.indices where inventory.nominalClass(of: file).isDocument {
      let path = inventory.path(of: file).description
      if inventory.copies[file] != nil {
        note(inventory.unmerged(file), "\(path) is a conflict copy")
      } else if !inventory.fileClass(of: file).isDocument {
        note(inventory.awaited(file), "\(path) is not here")
      } else if inventory.kinds.kind(ofDocumentLike: inventory.kind(of: file)) == .other {
        findings.append(
          Finding(
            .misnamedDocument, .warning, path: path,
            message: "its place tells no kind of entity, and steps pass it by"))
      } else {
        files.append(file)
      }
    }
    return files
  }

  private mutating func note(_ finding: Finding, _ obstacle: String) {
    findings.append(finding)
    self.obstacle = self.obstacle ?? obstacle
  }

  /// Entities of legacy files that no document knows would be imported later as they are now.
  private mutating func lookForImports(
    in folder: Directory, _ context: RunContext
  ) throws(MigrationError) {
    guard inventory.hasLegacyFiles, obstacle == nil else { return }
    let index = try FolderIndex(of: folder, inventory, notesChanges: false, context: context)
    let inventory = inventory
    let files = inventory.legacyGroups.flatMap { inventory.legacyFiles(of: $0) }
    let counts = try Workers.map(
      files.count, phase: .indexing, context: context,
      makeState: { LegacyReader(folder, inventory) }
    ) { item, reader throws(MigrationError) in
      reader.read(files[item])
      return reader.batch.entities.count { index.known[$0.kind, $0.identity] == nil }
    }
    let count = counts.reduce(0, +)
    guard count > 0 else { return }
    let command = inventory.command(.importCRDT)
    note(
      Finding(
        .unproven, .error,
        message:
          "\(count.counted("entity", "entities")) of the app's files \(count == 1 ? "is" : "are") in "
          + "no document: a step would pass \(count == 1 ? "it" : "them") by",
        next: command?.shellText, command: command),
      "not everything is in documents yet")
  }

  /// Documents may have been made of JSON files that steps had changed: an import keeps no record of them,
  /// so that two devices make the same.
  private mutating func lookForFileSteps(
    in folder: Directory, _ context: RunContext
  ) throws(MigrationError) {
    let said = Set(documents.flatMap { $0.done.map(\.id) + $0.undone })
    let names = Set(steps.map(\.id.rawValue)).subtracting(said)
    if documents.isEmpty { return }
    let log = FileStepLog(folder)
    doneOverFiles = try log.done(where: names.contains)
    let numbers = steps.indices.filter { number in
      doneOverFiles.contains { $0.id == steps[number].id.rawValue }
    }
    if numbers.isEmpty { return }
    signs = signs.knowing(done + numbers.map { steps[$0].id })
    for number in numbers {
      let sources = try log.sources(of: steps[number].id)
      if !sources.isEmpty { sourcesOfFiles[number] = sources }
    }
    lateInFiles = try lateInFiles(of: numbers, in: folder, context)
    rest = try rest(of: numbers, in: folder, context)
  }
}

extension StepHistory.Entry {
  /// The step as a record has it.
  var step: SchemaRecord.Step { SchemaRecord.Step(id: note.id, checksum: note.checksum) }
}
