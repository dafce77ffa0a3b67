import Automerge
import Diagnostics
import FolderDocuments
import FolderState
package import Folders
package import Runs
import SafeFiles

/// What `export-json` is asked to do.
package struct ExportOptions {
  /// Where the entities go.
  package enum Destination {
    /// An interchange stream.
    case stream(ByteSink)
    /// Legacy files in a directory, which is created if it is not there.
    case folder(path: String)
  }

  /// What the entities are written as.
  package enum Form: String, CaseIterable, Sendable {
    /// As the destination has it.
    case stream
    /// As the app itself writes them.
    case app
  }

  /// A folder, or one document file.
  package var source: String
  /// What the entities are written as.
  package var form = Form.stream
  /// Where the entities go.
  package var destination: Destination
  /// What a date that is written as a number in a legacy file counts.
  package var numericDates: NumericDates?
  /// A backup; what it holds and the folder does not show any more is named.
  package var backup: String?
  /// Whether that is exported, too, as the backup has it.
  package var exportsDeleted = false
  /// Whether the entities of private kinds are exported, too.
  package var includesPrivate = false

  /// Creates options for a source and a destination.
  package init(source: String, destination: Destination) {
    self.source = source
    self.destination = destination
  }
}

/// Writes everything a folder or a document holds as an interchange stream or as legacy files.
///
/// Groups are turned into JSON by all workers, a few at a time, and written in their order: memory
/// holds no more than those few.
package struct ExportWorkflow: PlannedWorkflow {
  let options: ExportOptions
  let context: RunContext
  private var isDryRun = false
  private let clock = RunClock()
  let rules: EntityRules
  var report: ExportReport
  /// The entities with months that documents gave so far.
  private var exported: Set<Identity> = []
  /// What was written, if a backup is compared with it.
  var shown: ShownEntities
  private var omittedChanges = 0

  /// Creates a workflow; nothing is read yet.
  package init(_ options: ExportOptions, context: RunContext) {
    self.options = options
    self.context = context
    rules = EntityRules(numericDates: options.numericDates)
    shown = ShownEntities(context.kinds)
    report = ExportReport(kindNames: context.kinds.names)
  }

  /// Returns what `perform()` would write, without writing it.
  package func plan() throws(MigrationError) -> ExportReport {
    var run = self
    run.isDryRun = true
    run.report.isDryRun = true
    return try run.run()
  }

  /// Exports and returns what was written; never replaces a file with other bytes.
  package func perform() throws(MigrationError) -> ExportReport {
    var run = self
    return try run.run()
  }

  private mutating func run() throws(MigrationError) -> ExportReport {
    if options.form == .app {
      try exportForApp()
    } else if case .declared = context.kinds.mapping {
      try exportDeclared()
    } else if let folder = try FolderAccess.openUnlessFile(options.source, context: context) {
      try FolderAccess.requireFinishedSteps(in: folder)
      try exportFolder(folder)
    } else if let stores = try StoreSource.open(file: options.source, context: context) {
      try export(stores)
    } else {
      try exportDocument()
    }
    report.noteOmittedChanges(omittedChanges)
    report.findings = report.findings.withoutRepetitions().inReportOrder()
    report.seconds = clock.seconds
    return report
  }

  private mutating func export(_ stores: StoreSource) throws(MigrationError) {
    report = try StoreExportRun(stores, options, isDryRun: isDryRun, context: context).run()
  }

  /// Writes the rows of stores as the app itself does.
  private mutating func exportForApp() throws(MigrationError) {
    guard let stores = try StoreSource.open(options.source, context: context) else {
      throw .notInProfile(
        option: "--format app",
        reason: "\(options.source) is no store of SwiftData, and the app's "
          + "own JSON is made of the rows of one")
    }
    guard let format = stores.kinds.profile.appFormat else {
      throw .notInProfile(
        option: "--format app",
        reason: "the profile \(stores.kinds.profileName) has no JSON of the app's own")
    }
    guard case .stream(let sink) = options.destination, options.backup == nil else {
      throw .notInProfile(
        option: "--format app", reason: "the app's own JSON is one text on standard output")
    }
    var run = AppExportRun(stores, format, to: sink, isDryRun: isDryRun, context: context)
    report = try run.run(at: RFC3339(milliseconds: clock.begin.seconds * 1000))
  }

  private mutating func exportDeclared() throws(MigrationError) {
    if context.kinds.profile.describesStore,
      let stores = try StoreSource.open(file: options.source, context: context)
    {
      return try export(stores)
    }
    var run = try DeclaredExportRun(options, context: context, isDryRun: isDryRun)
    report = try run.run()
  }

  // MARK: Folders

  private mutating func exportFolder(_ folder: Directory) throws(MigrationError) {
    let inventory = try FolderAccess.inventory(
      of: folder, threads: context.workerCount, noting: &report.findings)
    if inventory.documents.isEmpty, !inventory.hasLegacyFiles, report.findings.isEmpty,
      let stores = try StoreSource.open(options.source, context: context)
    {
      return try export(stores)
    }
    if inventory.fileOfUnknownApp() != nil {
      // A place that nothing may be written to is told first.
      _ = try self.destination(from: folder, isDryRun: true)
      try inventory.requireKnownApp(in: folder, at: options.source, unlisted: report.findings)
    }
    report.findings.append(contentsOf: inventory.findings())
    var input = GroupExporter.Input(
      folder: folder, inventory: inventory, rules: rules, form: form)
    let files = GroupDocuments.files(of: inventory)
    input.documents = files.groups
    for file in files.others {
      report.findings.append(
        Finding(
          .notExported, .warning, path: inventory.path(of: file).description,
          message: "its place tells neither tags nor a month",
          next: "export it by itself"))
    }
    if inventory.hasLegacyFiles {
      let index = try FolderIndex(of: folder, inventory, notesChanges: false, context: context)
      // A document that the index could not read would let what was deleted in it come back.
      report.findings += index.findings.filter { $0.severity == .error }
      input.index = index
    }
    if !inventory.documents.isEmpty {
      input.names = try Quarantine.recordNames(
        of: folder, rules: rules, threads: context.workerCount, noting: &report.findings)
    }
    let groups = Self.groups(of: inventory, files.groups)
    let backup = try options.backup.map { path throws(MigrationError) in
      try BackupAccess.verify(path, context: context)
    }
    if let backup, form == .legacy {
      input.dates = try numericDates(in: backup, folder)
      try requireUnit(of: groups, input, backup)
    }
    var destination = try self.destination(from: folder, isDryRun: isDryRun)
    noteImages(of: inventory, destination)
    var undated = ExportedGroup(EntityGroup(month: nil))
    let isWhole = try Self.export(groups, of: input, context: context) {
      (group, rest) throws(MigrationError) in
      if options.backup != nil, group.group.month == nil {
        // All of them are one file: those of the backup may still have to come to it.
        undated = group
        shown.insert(group)
      } else {
        try write(group, to: &destination)
      }
      guard context.endsBatch(after: group.findings) else { return true }
      // A stream without its last line is damaged to whoever reads it; files are whole.
      report.findings.append(.stopped(leaving: rest.counted(of: groups.count, "group")))
      return false
    }
    guard isWhole else { return count(destination) }
    if let backup {
      try exportDeleted(since: backup, adding: &undated, of: folder, input, to: &destination)
      try write(undated, to: &destination)
    }
    try destination.finish()
    count(destination)
  }

  /// Exports groups in their order; `write` takes each, and how many come behind it, and returns whether to
  /// go on.
  private static func export(
    _ groups: [EntityGroup], of input: GroupExporter.Input, context: RunContext,
    _ write: (ExportedGroup, _ rest: Int) throws(MigrationError) -> Bool
  ) throws(MigrationError) -> Bool {
    try Workers.inOrder(
      groups.count, phase: .exporting, context: context, makeState: { GroupExporter(input) },
      { item, exporter throws(MigrationError) in exporter.exportGroup(groups[item]) }, use: write)
  }

  private static func groups(
    of inventory: FolderInventory, _ documents: [EntityGroup: [Int]]
  ) -> [EntityGroup] {
    Set(documents.keys).union(inventory.legacyGroups).sorted()
  }

  private mutating func noteImages(
    of inventory: FolderInventory, _ destination: ExportDestination
  ) {
    guard destination.isAnotherFolder else { return }
    let count = inventory.indices.count { inventory.fileClass(of: $0) == .image }
    guard count > 0 else { return }
    report.findings.append(
      Finding(
        .imagesNotCopied, .info,
        message: count.counted("image is not copied", "images are not copied"),
        next: "copy the image files to the same months"))
  }

  // MARK: One document

  private mutating func exportDocument() throws(MigrationError) {
    let file = try DocumentFile(options.source, context: context)
    var exporter = GroupExporter(
      GroupExporter.Input(
        folder: file.directory, inventory: FolderInventory(), rules: rules, form: form))
    var destination = try self.destination(from: nil, isDryRun: isDryRun)
    for group in exporter.export(file.document, named: file.stem, path: options.source) {
      try write(group, to: &destination)
    }
    try destination.finish()
    count(destination)
  }

  // MARK: Destination

  private var form: GroupExporter.Form {
    switch options.destination {
    case .stream: .stream
    case .folder: .legacy
    }
  }

  private func destination(
    from folder: Directory?, isDryRun: Bool
  ) throws(MigrationError) -> ExportDestination {
    switch options.destination {
    case .stream(let sink):
      return .stream(StreamDestination(isDryRun ? nil : sink, of: context.kinds))
    case .folder(let path):
      return .folder(
        try LegacyDestination(
          path, apartFrom: folder.map { OutputPlace.Source(directory: $0, path: options.source) },
          context: context, isDryRun: isDryRun))
    }
  }

  mutating func write(
    _ group: ExportedGroup, to destination: inout ExportDestination
  ) throws(MigrationError) {
    var group = group
    if group.group.month != nil { group.removeRepeated(&exported) }
    try destination.write(group)
    if options.backup != nil { shown.insert(group) }
    report.findings.append(contentsOf: group.findings)
    for entity in group.entities {
      if entity.kind == .other { report.others += 1 } else { report[entity.kind] += 1 }
    }
    omittedChanges += group.omittedChanges
  }

  private mutating func count(_ destination: ExportDestination) {
    guard case .folder(let folder) = destination else { return }
    report.filesCreated = folder.filesCreated
    report.filesUnchanged = folder.filesUnchanged
  }
}
