import Diagnostics
import FolderDocuments
import FolderState
import Folders
package import Runs
import SafeFiles
import SwiftDataStores

/// Turns the entities of a folder or a stream into documents, convergently.
///
/// The documents are a function of the entities alone: two devices that import one folder write
/// the same changes. Everything is built and proven before anything of the folder is replaced.
package struct ImportWorkflow: PlannedWorkflow {
  let options: ImportOptions
  let context: RunContext
  private(set) var isDryRun = false
  private let clock = RunClock()
  let rules: EntityRules
  /// The kinds that nobody asked for.
  let withheld: Set<EntityKind>
  /// What a source that is another folder than the target holds, and what of it cannot be listed.
  private var source: (inventory: FolderInventory, unlisted: [Finding])?
  /// What of the target could not be listed before it was locked.
  private var unlistedBefore: [Finding] = []
  /// Stores in a source in which the profile knows nothing.
  private var found: StoreSource?

  /// Creates a workflow; nothing is read yet.
  package init(_ options: ImportOptions, context: RunContext) {
    self.options = options
    self.context = context
    withheld = context.kinds.withheld(unlessAsked: options.includesPrivate)
    rules = EntityRules(
      numericDates: options.numericDates,
      now: clock.begin.seconds * 1000)
  }

  /// Returns what `perform()` would do, without taking the lock and without writing anything.
  package func plan() throws(MigrationError) -> ImportReport {
    var run = self
    run.isDryRun = true
    return try run.run()
  }

  /// Imports under the app's lock and returns what was done; a second run changes nothing.
  package func perform() throws(MigrationError) -> ImportReport {
    var run = self
    return try run.run()
  }

  private mutating func run() throws(MigrationError) -> ImportReport {
    if !context.kinds.hasLayouts, options.layout != .auto { throw .noLayouts }
    let places: ImportPlaces
    do throws(MigrationError) {
      places = try ImportPlaces(options, context: context, isDryRun: isDryRun)
    } catch {
      // What is no folder may be a store.
      guard case .folder(let path) = options.source,
        let stores = try StoreSource.open(file: path, context: context, checking: .byReader)
      else { throw error }
      return try run(with: stores)
    }
    let spool = try spool(of: places)
    if let found { return try run(with: found) }
    if options.updates, spool != nil, stores == nil {
      throw .optionMissing(
        option: "--update", reason: "updates come from legacy files, not from a stream or documents"
      )
    }
    guard let target = places.target else {
      return try importEntities(places, spool: spool, in: nil)
    }
    // A folder without anything to import is not even locked: that would write a lock file.
    let isIdle = isDryRun ? true : try isEmpty(places, spool)
    if isIdle {
      try FolderAccess.requireFinishedSteps(in: target)
      return try importEntities(places, spool: spool, in: target)
    }
    try FolderAccess.requireKnownApp(
      target, at: places.targetPath, context: context, noting: &unlistedBefore)
    let run = self
    return try WritingRun.perform(in: target, clock: clock, context: context) {
      writing throws(MigrationError) in
      try run.importEntities(places, spool: spool, in: target, writing: writing)
    }
  }

  /// Imports from stores that are at the place of the source.
  private func run(with stores: StoreSource) throws(MigrationError) -> ImportReport {
    var (options, context) = (options, context)
    options.source = .stores(stores)
    context.kinds = stores.kinds
    var run = ImportWorkflow(options, context: context)
    run.isDryRun = isDryRun
    return try run.run()
  }

  /// The stores that the entities come from; nil if they come from elsewhere.
  private var stores: StoreSource? {
    if case .stores(let stores) = options.source { stores } else { nil }
  }

  /// Reads what comes as a stream, before the lock is taken: whoever writes it may take its time.
  ///
  /// A source that holds documents is flattened to a stream: their values without their history.
  private mutating func spool(of places: ImportPlaces) throws(MigrationError) -> StreamSpool? {
    if case .stream(let bytes) = options.source {
      return try StreamSpool(bytes, rules: rules, withholding: withheld, context: context)
    }
    if let stores {
      return try StreamSpool(stores, rules: rules, withholding: withheld, context: context)
    }
    guard let folder = places.source, !places.isInPlace else { return nil }
    try FolderAccess.requireFinishedSteps(in: folder)
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(
      of: folder, as: context.kinds, threads: context.workerCount, noting: &unlisted)
    if inventory.documents.isEmpty, !inventory.hasLegacyFiles, unlisted.isEmpty {
      found = try StoreSource.open(places.sourcePath, context: context, checking: .byReader)
      if found != nil { return nil }
    }
    // What comes from elsewhere may be a part of a folder.
    try inventory.requireKnownApp(
      in: folder, at: places.sourcePath, unlisted: unlisted, by: .anyKind)
    source = (inventory, unlisted)
    guard !inventory.documents.isEmpty else { return nil }
    guard options.flattens else { throw .sourceHoldsDocuments(path: places.sourcePath) }
    let exported = try ExportedStream(
      of: places.sourcePath, numericDates: options.numericDates, context: context)
    var spool = try StreamSpool(
      exported.bytes, name: places.sourcePath, rules: rules, withholding: withheld,
      context: context)
    spool.add(exported.findings)
    return spool
  }

  private func isEmpty(_ places: ImportPlaces, _ spool: StreamSpool?) throws(MigrationError) -> Bool
  {
    if let spool { return spool.entities.isEmpty }
    guard let source = places.source else { return true }
    let names = try MigrationError.wrapping { () throws(FileError) in
      try source.entries().map(\.name)
    }
    let kinds = context.kinds.all.filter { !withheld.contains($0) }
    return !names.contains { context.kinds.mayHoldLegacyFiles($0.bytes.span, of: kinds) }
  }

  /// Imports into the target, which is locked unless this is a dry run; nil is a target that a dry
  /// run would have to create.
  private func importEntities(
    _ places: ImportPlaces, spool: StreamSpool?, in target: Directory?, writing: WritingRun? = nil
  ) throws(MigrationError) -> ImportReport {
    var unlisted: [Finding] = []
    var inventory = try target.map { target throws(MigrationError) in
      try FolderAccess.inventory(
        of: target, for: writing, context: context, noting: &unlisted)
    }
    if let target {
      try inventory?.requireKnownApp(in: target, at: places.targetPath, unlisted: unlisted)
    }
    var undatedFiles: Set<UInt32> = []
    if places.isInPlace, spool == nil, let target {
      undatedFiles = try inventory?.groupByDates(in: target, rules, context) ?? []
    } else {
      inventory?.groupDocumentsByDates(ofParts: spool != nil)
    }
    let layout = layout(for: inventory)
    explain(layout, for: inventory, at: places.targetPath)
    var report = ImportReport(
      target: places.targetPath, kindNames: context.kinds.names, layout: LayoutChoice(layout),
      history: options.history, isDryRun: isDryRun)
    report.findings += unlistedBefore + unlisted + (self.source?.unlisted ?? [])

    var source: ImportSource
    if let spool {
      source = .stream(spool)
      report.findings.append(contentsOf: spool.findings)
      for (kind, count) in spool.rejected { report.note(rejected: count, of: kind) }
      for (kind, count) in spool.leftOut { report.note(leftOut: count, of: kind) }
    } else if let folder = places.source {
      var sourceInventory = inventory ?? FolderInventory(kinds: context.kinds)
      if let other = self.source?.inventory {
        sourceInventory = other
        undatedFiles = try sourceInventory.groupByDates(in: folder, rules, context)
      }
      source = .folder(folder, sourceInventory, rules)
      report.findings.append(contentsOf: sourceInventory.findings())
    } else {
      source = .stream(StreamSpool(emptyIn: context))
    }

    let publisher = writing.map { DocumentPublisher($0.folder) }
    defer { publisher?.discard() }
    var (outcomes, index) = try importGroups(
      of: source, into: target, inventory, layout, isInPlace: places.isInPlace,
      comparesKnown: spool == nil || stores != nil, undatedFiles, publisher, &report)
    if let stores { try requireRows(of: stores, asIn: index, places, &report) }
    let built = Self.documents(of: &outcomes)
    let changed = FolderUpdate.candidates(of: outcomes, context.kinds)
    var update = FolderUpdate()
    if !changed.isEmpty, let target, let inventory {
      update = try FolderUpdate(
        of: changed, index,
        by: DocumentUpdater.Input(
          source: source, target: target, targetInventory: inventory,
          built: Dictionary(built.lazy.filter { !$0.isStaged }.map { ($0.path, $0) }) {
            first, _ in first
          },
          isWriting: options.updates, prefersLegacy: options.prefersLegacy,
          command: NextCommand(
            .importCRDT,
            ["--update"] + context.kinds.options
              + NextCommand.options(numericDates: rules.numericDates)
              + [places.sourcePath] + (places.isInPlace ? [] : ["--into", places.targetPath]))),
        context: context)
    }
    let documents = update.replacing(in: built)
    let steps = documents.isEmpty ? [] : try stepsDone(to: places)
    collect(outcomes, update, documents, isInPlace: places.isInPlace, into: &report)
    noteLeftOut(places, inventory, in: &report)
    if context.endsBatch(after: report.findings) {
      // Which document an entity belongs to is known once all files were read, so nothing is finished.
      report.noteStopped(lookedAt: outcomes.count, of: source.groups.count)
    } else if let target {
      var blobs: BlobFiles?
      if let spool, stores != nil {
        blobs = try BlobFiles(of: spool.blobs, in: target, context: context)
      }
      var place: RelativePath?
      if let writing, !documents.isEmpty || blobs.map({ !$0.isEmpty }) ?? false {
        writing.beginWriting()
        // A document names no file that is not there.
        if let stores, let blobs {
          place = try blobs.publish(of: stores, in: target, begun: clock.begin, context: context)
        }
        report.findings += try note(steps, of: places, in: target, inventory)
        try publisher?.publish(documents, context: context)
      } else if isDryRun {
        report.findings += try note(steps, of: places, in: target, inventory)
      }
      report.findings +=
        blobs?.findings(tellsMissing: documents.isEmpty, setAside: place) ?? []
    }
    report.findings = report.findings.inReportOrder()
    report.seconds = clock.seconds
    return report
  }

  /// Takes the documents out of the outcomes, ascending by path.
  private static func documents(of outcomes: inout [GroupImporter.Outcome]) -> [BuiltDocument] {
    // Threads that have ended keep what they made room for.
    FreedMemory.giveBack()
    defer { FreedMemory.giveBack() }
    var documents: [BuiltDocument] = []
    documents.reserveCapacity(outcomes.reduce(0) { $0 + $1.documents.count })
    for index in outcomes.indices {
      documents += outcomes[index].documents
      outcomes[index].documents = []
    }
    documents.sort { $0.path < $1.path }
    return documents
  }

  private func layout(for inventory: FolderInventory?) -> DocumentLayout {
    switch options.layout {
    case .monthly: .monthly
    case .perRecord: .perRecord
    case .auto: inventory?.automaticLayout ?? .monthly
    }
  }

  private func explain(
    _ layout: DocumentLayout, for inventory: FolderInventory?, at path: String
  ) {
    guard context.kinds.hasLayouts else { return }
    let reason: String =
      switch (options.layout, inventory?.layoutEvidence ?? .none) {
      case (.monthly, _), (.perRecord, _): "as --layout says"
      case (.auto, .none): "because there are no documents of records yet"
      case (.auto, .only): "because the documents there have it"
      case (.auto, .mixed): "because there are documents of both layouts, and readers prefer it"
      }
    context.explain(
      path, message: "gets documents in the layout \(LayoutChoice(layout).rawValue), \(reason)")
  }

  // MARK: Groups

  /// Builds the documents of all groups, month by month; then again those that share an identity,
  /// once it is known which of them owns it.
  private func importGroups(
    of source: ImportSource, into target: Directory?, _ inventory: FolderInventory?,
    _ layout: DocumentLayout, isInPlace: Bool, comparesKnown: Bool,
    _ undatedFiles: Set<UInt32>, _ publisher: DocumentPublisher?, _ report: inout ImportReport
  ) throws(MigrationError) -> ([GroupImporter.Outcome], FolderIndex) {
    var input = GroupImporter.Input(
      source: source, target: target,
      targetInventory: inventory ?? FolderInventory(kinds: context.kinds),
      index: FolderIndex(), isInPlace: isInPlace, undatedFiles: undatedFiles,
      layout: layout, history: options.history, comparesKnown: comparesKnown,
      updates: options.updates, withheld: withheld, publisher: publisher)
    if let target, let inventory {
      input.index = try FolderIndex(of: target, inventory, context: context) { file in
        source.entityCount(forDocument: file, of: inventory)
      }
      report.findings.append(contentsOf: input.index.findings)
    }
    let groups = source.groups
    var outcomes = try importGroups(groups, by: input)
    // A run that ended early writes nothing.
    guard outcomes.count == groups.count else { return (outcomes, input.index) }
    if input.source.mayHoldVariants {
      input.duplicates = Duplicates(
        among: zip(groups, outcomes).map { ($0, $1.candidates) })
    }
    for index in outcomes.indices { outcomes[index].candidates = [] }
    if !input.duplicates.isEmpty {
      let touched = groups.indices.filter { input.duplicates.groups.contains(groups[$0]) }
      let again = try importGroups(touched.map { groups[$0] }, by: input)
      for (index, outcome) in zip(touched, again) { outcomes[index] = outcome }
    }
    return (outcomes, input.index)
  }

  private func importGroups(
    _ groups: [EntityGroup], by input: GroupImporter.Input
  ) throws(MigrationError) -> [GroupImporter.Outcome] {
    try Workers.map(
      groups.count, phase: .converting, context: context, findings: \.findings,
      makeState: { GroupImporter(input) }
    ) { item, importer throws(MigrationError) in
      try importer.importGroup(groups[item])
    }
  }

  private func collect(
    _ outcomes: [GroupImporter.Outcome], _ update: FolderUpdate, _ documents: [BuiltDocument],
    isInPlace: Bool,
    into report: inout ImportReport
  ) {
    report.findings.append(contentsOf: update.findings)
    for kind in context.kinds.all { report.note(updated: update.updated[kind] ?? 0, of: kind) }
    var imageCount = 0
    var unknownFields = UnknownFields()
    for outcome in outcomes {
      unknownFields.add(outcome.unknownFields)
      report[outcome.kind].add(outcome.counts)
      report.findings.append(contentsOf: outcome.findings)
      imageCount += outcome.imageCount
    }
    report.findings += unknownFields.findings
    if !isInPlace, imageCount > 0, stores == nil {
      let words = context.kinds.words
      report.findings.append(
        Finding(
          .imagesNotCopied, .warning,
          message: imageCount.counted(
            "\(words.file.one) that \(words.entity.many) name is not copied",
            "\(words.file.many) that \(words.entity.many) name are not copied"),
          next: "copy the \(words.file.many) to the same places of the target"))
    }
    report.documents = documents.map { document in
      ImportReport.Document(
        place: document.path,
        outcome: document.replaced == nil
          ? .created : document.entitiesAdded > 0 ? .extended : .updated,
        entitiesAdded: document.entitiesAdded, entitiesUpdated: document.entitiesUpdated,
        changesAdded: document.changesAdded, byteCount: document.byteCount)
    }
    let untouched = outcomes.flatMap(\.untouched)
    if untouched.isEmpty { return }
    let published = Set(report.documents.map(\.place))
    report.documents += untouched.filter { !published.contains($0.place) }
    report.documents.sort { $0.place < $1.place }
  }
}

extension LayoutChoice {
  fileprivate init(_ layout: DocumentLayout) {
    self = layout == .monthly ? .monthly : .perRecord
  }
}

extension ImportReport.Counts {
  /// Adds the counts of a part.
  mutating func add(_ other: Self) {
    read += other.read
    imported += other.imported
    known += other.known
    updated += other.updated
    deleted += other.deleted
    setAside += other.setAside
    duplicates += other.duplicates
    rejected += other.rejected
    waiting += other.waiting
    leftOut += other.leftOut
  }
}

extension ImportReport {
  fileprivate mutating func note(updated count: Int, of kind: EntityKind) {
    if count == 0 { return }
    self[kind].known -= count
    self[kind].updated += count
  }

  fileprivate mutating func note(rejected count: Int, of kind: EntityKind) {
    if count == 0 { return }
    self[kind].read += count
    self[kind].rejected += count
  }

  fileprivate mutating func note(leftOut count: Int, of kind: EntityKind) {
    self[kind].read += count
    self[kind].leftOut += count
  }
}
