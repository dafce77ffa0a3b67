import Automerge
import Backups
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// Writes what a folder or a document holds whose profile declares its kinds: as the app's own files
/// (the same members, arrays and maps, with what else was in the files) or as an interchange stream.
///
/// Group by group, first all legacy files tell where entities are; those that no document knows are
/// exported as they are. Then the documents follow. What is written comes from a few documents at a
/// time; in memory is what a stream has of one group, and the shared files of one kind.
struct DeclaredExportRun {
  /// What one worker does in a row.
  private enum Step: Sendable {
    /// Looks through legacy files of one source.
    case files([KnownFiles.File])
    /// Exports a document with its copies.
    case documents([Int])
  }

  let context: RunContext
  let kinds: EntityKinds
  let input: DeclaredPartExporter.Input
  /// The document, if it is one that lies in no folder.
  private let document: (state: DocumentState, group: EntityGroup, path: RelativePath)?
  private(set) var known: KnownFiles
  /// The files of each group, source by source.
  private let knownFiles: [EntityGroup: [KnownFiles.File]]
  var writer: any DeclaredWriter
  var report: ExportReport
  /// What it is compared with: what the backup holds besides is named, and exported if that is asked
  /// for.
  private let backup: VerifiedBackup?
  let exportsDeleted: Bool
  /// Groups of which something may still come.
  var unfinished: Set<EntityGroup> = []
  /// The entities that documents gave so far.
  private var exported: [EntityKind: Set<Identity>] = [:]
  /// All entities that there are, if a backup is compared with them.
  var shown: ShownEntities
  private var omittedChanges = 0
  /// The kinds that nobody asked for, and what is left out of each.
  let withheld: Set<EntityKind>
  var leftOut: [EntityKind: Set<Identity>] = [:]

  /// How many legacy files a worker looks through in a row.
  private static let filesInRow = 256

  init(
    _ options: ExportOptions, context: RunContext, isDryRun: Bool
  ) throws(MigrationError) {
    self.context = context
    kinds = context.kinds
    report = ExportReport(kindNames: kinds.names)
    shown = ShownEntities(kinds)
    report.isDryRun = isDryRun
    backup = try options.backup.map { path throws(MigrationError) in
      try BackupAccess.verify(path, context: context)
    }
    exportsDeleted = options.exportsDeleted
    withheld = kinds.withheld(unlessAsked: options.includesPrivate)
    let form: DeclaredForm = if case .stream = options.destination { .stream } else { .file }
    let source = try FolderAccess.openUnlessFile(options.source, context: context)
    if let source {
      document = nil
      try FolderAccess.requireFinishedSteps(in: source)
      let inventory = try FolderAccess.inventory(
        of: source, as: kinds, threads: context.workerCount, noting: &report.findings)
      if inventory.fileOfUnknownApp() != nil {
        // A place that nothing may be written to is told first.
        if case .folder(let path) = options.destination {
          _ = try LegacyDestination(
            path, apartFrom: OutputPlace.Source(directory: source, path: options.source),
            context: context, isDryRun: true)
        }
        try inventory.requireKnownApp(in: source, at: options.source, unlisted: report.findings)
      }
      report.findings += inventory.findings()
      var index: FolderIndex?
      if inventory.hasLegacyFiles {
        let found = try FolderIndex(of: source, inventory, notesChanges: false, context: context)
        // A document that the index could not read would let what was deleted in it come back.
        report.findings += found.findings.filter { $0.severity == .error }
        index = found
      }
      known = try KnownFiles(of: source, inventory, noting: &report.findings)
      input = DeclaredPartExporter.Input(
        folder: source, inventory: inventory, sources: known.sources, index: index, form: form,
        withheld: withheld)
    } else {
      let file = try DocumentFile(options.source, context: context)
      document = (file.document, try file.group(as: kinds), RelativePath(file.name))
      known = KnownFiles(kinds)
      input = DeclaredPartExporter.Input(
        folder: file.directory, inventory: FolderInventory(kinds: kinds), sources: [], index: nil,
        form: form, withheld: withheld)
    }
    knownFiles = known.groups
    switch options.destination {
    case .stream(let sink):
      writer = DeclaredStreamWriter(
        StreamDestination(isDryRun ? nil : sink, of: kinds), kinds)
    case .folder(let path):
      writer = DeclaredFileWriter(
        try LegacyDestination(
          path, apartFrom: source.map { OutputPlace.Source(directory: $0, path: options.source) },
          context: context, isDryRun: isDryRun), kinds)
    }
    noteAttachments()
  }

  /// Exports one document as a stream.
  init(
    of document: DocumentState, _ group: EntityGroup, at path: RelativePath,
    in directory: Directory, to destination: StreamDestination, context: RunContext
  ) {
    self.context = context
    kinds = context.kinds
    report = ExportReport(kindNames: kinds.names)
    shown = ShownEntities(kinds)
    self.document = (document, group, path)
    backup = nil
    exportsDeleted = false
    withheld = []
    known = KnownFiles(kinds)
    knownFiles = [:]
    input = DeclaredPartExporter.Input(
      folder: directory, inventory: FolderInventory(kinds: kinds), sources: [], index: nil,
      form: .stream)
    writer = DeclaredStreamWriter(destination, kinds)
  }

  /// Exports and returns what was written.
  mutating func run() throws(MigrationError) -> ExportReport {
    var isWhole = true
    if let document {
      var exporter = DeclaredPartExporter(input)
      let part = exporter.exportDocument(
        document.state, of: document.group, path: document.path)
      take(part, in: document.group)
      if !withheld.contains(document.group.kind) { unfinished.insert(document.group) }
    } else {
      noteOtherDocuments()
      isWhole = try exportGroups()
    }
    if isWhole {
      if let backup { try exportDeleted(since: backup) }
      for group in unfinished.sorted() {
        try writer.finish(group, knownFiles[group] ?? [], of: known)
      }
    }
    try writer.flush()
    // A stream without its last line is damaged to whoever reads it; files are whole.
    if isWhole { try writer.end() }
    writer.complete(&report)
    noteLeftOut()
    report.noteOmittedChanges(omittedChanges)
    return report
  }

  private mutating func noteLeftOut() {
    for (kind, identities) in leftOut.sorted(by: { $0.key < $1.key }) where !identities.isEmpty {
      report.leftOut[Int(kind.index)] = identities.count
      report.findings.append(kinds.leftOut(identities.count, kind, "not exported"))
    }
  }

  private mutating func noteAttachments() {
    guard writer.isAnotherFolder else { return }
    let inventory = input.inventory
    let count = inventory.indices.count { inventory.fileClass(of: $0) == .image }
    guard count > 0 else { return }
    report.findings.append(
      Finding(
        .imagesNotCopied, .info,
        message: count.counted(
          "file that entities may name is not copied", "files that entities may name are not copied"
        ),
        next: "copy them to the same places"))
  }

  private mutating func noteOtherDocuments() {
    for file in GroupDocuments.files(of: input.inventory).others {
      report.findings.append(
        Finding(
          .notExported, .error, path: input.inventory.path(of: file).description,
          message: "its place tells no kind of entity, and nothing of it is exported",
          next: "move it to where the profile has documents, or out of the folder"))
    }
  }

  // MARK: Groups

  /// A step of a group, and whether it is the last one.
  private struct PlannedStep {
    var group: EntityGroup
    var step: Step
    var endsGroup: Bool
  }

  /// Works through all groups; false if an error ended that.
  private mutating func exportGroups() throws(MigrationError) -> Bool {
    let documents = GroupDocuments.files(of: input.inventory).groups
    var steps: [PlannedStep] = []
    for group in Set(documents.keys).union(knownFiles.keys).sorted() {
      let ofGroup = self.steps(of: knownFiles[group] ?? [], documents[group] ?? [])
      for (number, step) in ofGroup.enumerated() {
        steps.append(
          PlannedStep(group: group, step: step, endsGroup: number == ofGroup.count - 1))
      }
    }
    let (input, context) = (input, context)
    let all = steps
    return try Workers.inOrder(
      all.count, phase: .exporting, context: context, makeState: { DeclaredPartExporter(input) },
      { item, exporter throws(MigrationError) in
        let kind = all[item].group.kind
        return switch all[item].step {
        case .files(let files): exporter.exportFiles(files, of: kind)
        case .documents(let files): exporter.exportDocuments(files, of: kind)
        }
      },
      use: { part, rest throws(MigrationError) in
        try write(part, of: all[all.count - rest - 1])
        // Files are synchronized together, so not after every step.
        if rest.isMultiple(of: 2 * context.workerCount) { try writer.flush() }
        guard context.endsBatch(after: part.findings) else { return true }
        report.findings.append(.stopped(leaving: rest.counted(of: all.count, "part")))
        return false
      })
  }

  /// Writes what was made in a step.
  private mutating func write(_ part: DeclaredPart, of step: PlannedStep) throws(MigrationError) {
    take(part, in: step.group)
    if step.endsGroup, !withheld.contains(step.group.kind) {
      // What was deleted since a backup may be of the same files.
      if exportsDeleted, writer.form == .file {
        unfinished.insert(step.group)
      } else {
        try writer.finish(step.group, knownFiles[step.group] ?? [], of: known)
      }
    }
  }

  /// The legacy files of a group in rows, each of one source, then its documents.
  private func steps(of files: [KnownFiles.File], _ documents: [Int]) -> [Step] {
    var steps: [Step] = []
    var rest = files[...]
    while let first = rest.first {
      let row = rest.prefix(Self.filesInRow).prefix { $0.source == first.source }
      steps.append(.files(Array(row)))
      rest = rest.dropFirst(row.count)
    }
    return steps + input.inventory.withCopies(documents).map { .documents($0) }
  }

  // MARK: Entities

  private mutating func take(_ part: DeclaredPart, in group: EntityGroup) {
    report.findings += part.findings
    guard !withheld.contains(group.kind) else {
      return leftOut[group.kind, default: []].formUnion(part.entities.lazy.map(\.identity))
    }
    omittedChanges += part.omittedChanges
    for (identity, place) in part.places { known.add(identity, part.kind, at: place) }
    for entity in part.entities { export(entity, of: part, in: group) }
    for other in part.others {
      let written = DeclaredEntity(
        identity: other.key, json: Array(part.bytes[other.json]), types: other.types,
        otherOf: other.document)
      if add(written, "", of: group, month: nil, path: part.path) { report.others += 1 }
    }
  }

  private mutating func export(
    _ entity: DeclaredPart.Entity, of part: DeclaredPart, in group: EntityGroup
  ) {
    if backup != nil { shown.insert(entity.identity, part.kind) }
    let isOfFile = entity.place != nil
    guard isOfFile || exported[part.kind, default: []].insert(entity.identity).inserted else {
      report.findings.append(
        .ofEarlierMonth(kinds.title(part.kind, entity.identity), path: part.path))
      return
    }
    var place = entity.place ?? known.place(of: entity.identity, in: group)
    if let own = entity.place {
      switch known.hindrance(at: own, of: entity.identity, part.kind) {
      case .copy: return noteCopy(entity, at: own, of: part.kind)
      case .taken: place = nil
      case nil: break
      }
    }
    let written = DeclaredEntity(
      identity: kinds.bytes(of: entity.identity), place: place,
      json: Array(part.bytes[entity.json]), types: entity.types)
    let (kinds, known) = (kinds, known)
    let isAdded = add(
      written, kinds.title(part.kind, entity.identity), of: group, month: entity.month,
      path: entity.place.map { known.path(of: $0.file).description } ?? part.path)
    if isAdded { report[part.kind] += 1 }
  }

  /// Tells of an entity that a file in a copied directory has besides another one.
  private mutating func noteCopy(
    _ entity: DeclaredPart.Entity, at place: KnownFiles.Place, of kind: EntityKind
  ) {
    let file = input.inventory.path(of: place.file.number)
    report.findings.append(
      Finding(
        .notExported, .error, path: file.description,
        message: "\(kinds.title(kind, entity.identity)) is in \(known.path(of: place.file)), too, "
          + "and exported from there",
        next: "bring both together with merge-conflicts"))
  }

  /// Gives an entity to the writer; false, after a finding, if there is no place for it.
  mutating func add(
    _ entity: DeclaredEntity, _ title: @autoclosure () -> String, of group: EntityGroup,
    month: Month?, path: @autoclosure () -> String
  ) -> Bool {
    do {
      if let made = try writer.add(entity, of: group, month: month, known) {
        report.findings.append(
          Finding(.nameDerived, .info, path: path(), message: "\(title()) gets the file \(made)"))
      }
      return true
    } catch {
      report.findings.append(
        Finding(
          .notExported, .error, path: path(),
          message: "\(title()) is not exported: \(error.problem)",
          next: "look at it with inspect-crdt --typed"))
      return false
    }
  }
}
