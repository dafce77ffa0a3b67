import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// Writes what a folder holds whose profile declares its kinds as the app's own files: the same members,
/// arrays and maps, with what else was in the files.
///
/// First all legacy files tell where entities are; those that no document knows are exported as they
/// are. Then the documents follow, group by group. What is written comes from a few documents at a
/// time; of a kind that shares a file only its own file is held in memory.
struct DeclaredExportRun {
  /// A document with its copies.
  private struct Unit: Sendable {
    var group: EntityGroup
    var files: [Int] = []
    /// Whether it is the last one of its group.
    var endsGroup = false
  }

  private let context: RunContext
  private let kinds: EntityKinds
  private let input: DeclaredPartExporter.Input
  private var known: KnownFiles
  /// The files of each group, source by source.
  private let knownFiles: [EntityGroup: [KnownFiles.File]]
  private var writer: DeclaredFileWriter
  private var report: ExportReport
  /// The entities that documents gave so far.
  private var exported: [EntityKind: Set<Identity>] = [:]
  private var omittedChanges = 0

  /// How many legacy files a worker looks through in a row.
  private static let filesInRow = 256

  init(
    _ options: ExportOptions, to path: String, context: RunContext, isDryRun: Bool
  ) throws(MigrationError) {
    guard let folder = try FolderAccess.openUnlessFile(options.source, context: context) else {
      throw .notYet("exporting one document", of: context.kinds)
    }
    self.context = context
    kinds = context.kinds
    report = ExportReport(kindNames: kinds.names)
    report.isDryRun = isDryRun
    let inventory = try FolderAccess.inventory(of: folder, as: kinds, noting: &report.findings)
    report.findings += inventory.findings()
    var index: FolderIndex?
    if inventory.hasLegacyFiles {
      let found = try FolderIndex(of: folder, inventory, context: context)
      // A document that the index could not read would let what was deleted in it come back.
      report.findings += found.findings.filter { $0.severity == .error }
      index = found
    }
    known = try KnownFiles(of: folder, inventory, noting: &report.findings)
    knownFiles = known.groups
    input = DeclaredPartExporter.Input(
      folder: folder, inventory: inventory, sources: known.sources, index: index)
    let destination = try LegacyDestination(
      path, apartFrom: OutputPlace.Source(directory: folder, path: options.source),
      context: context, isDryRun: isDryRun)
    writer = DeclaredFileWriter(destination, kinds)
    noteAttachments()
  }

  /// Exports and returns what was written.
  mutating func run() throws(MigrationError) -> ExportReport {
    if try exportFiles() { _ = try exportDocuments() }
    try writer.flush()
    report.filesCreated = writer.destination.filesCreated
    report.filesUnchanged = writer.destination.filesUnchanged
    report.findings += writer.findings
    report.noteOmittedChanges(omittedChanges)
    return report
  }

  private mutating func noteAttachments() {
    guard writer.destination.isAnotherFolder else { return }
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

  /// Works through items a few at a time, in their order; false if the run is to stop.
  private mutating func forEachPart<Item: Sendable>(
    of items: [Item], named noun: String,
    _ export: @Sendable (Item, inout DeclaredPartExporter) -> DeclaredPart,
    _ use: (inout Self, Item, DeclaredPart) throws(MigrationError) -> Void
  ) throws(MigrationError) -> Bool {
    let input = input
    var start = 0
    while start < items.count {
      let window = Array(items[start..<min(start + 2 * context.workerCount, items.count)])
      let parts = try Workers.map(
        window.count, phase: .exporting, context: context.within(start, of: items.count),
        findings: \.findings, makeState: { DeclaredPartExporter(input) }
      ) { item, exporter throws(MigrationError) in
        export(window[item], &exporter)
      }
      for (item, part) in zip(window, parts) {
        report.findings += part.findings
        omittedChanges += part.omittedChanges
        try use(&self, item, part)
      }
      try writer.flush()
      if parts.contains(where: { context.endsBatch(after: $0.findings) }) {
        let rest = items.count - start - parts.count
        report.findings.append(.stopped(leaving: rest.counted(of: items.count, noun)))
        return false
      }
      start += window.count
    }
    return true
  }

  // MARK: Legacy files

  private mutating func exportFiles() throws(MigrationError) -> Bool {
    var rows: [(group: EntityGroup, files: ArraySlice<KnownFiles.File>)] = []
    for (group, files) in knownFiles.sorted(by: { $0.key < $1.key }) {
      var rest = files[...]
      while let first = rest.first {
        // A worker reads the files of one source.
        let row = rest.prefix(Self.filesInRow).prefix { $0.source == first.source }
        rows.append((group, row))
        rest = rest.dropFirst(row.count)
      }
    }
    return try forEachPart(of: rows, named: "part") { row, exporter in
      exporter.exportFiles(row.files, of: row.group.kind)
    } _: { run, row, part throws(MigrationError) in
      for (identity, place) in part.places { run.known.add(identity, part.kind, at: place) }
      for entity in part.entities {
        guard let place = entity.place else { continue }
        run.report[part.kind] += 1
        run.writer.add(
          .init(
            identity: run.kinds.bytes(of: entity.identity), place: place,
            json: Array(part.bytes[entity.json])),
          of: row.group, to: run.known.path(of: place.file))
      }
    }
  }

  // MARK: Documents

  private mutating func exportDocuments() throws(MigrationError) -> Bool {
    let documents = GroupDocuments.files(of: input.inventory)
    for file in documents.others {
      report.findings.append(
        Finding(
          .notExported, .error, path: input.inventory.path(of: file).description,
          message: "its place tells no kind of entity, and nothing of it is exported",
          next: "move it to where the profile has documents, or out of the folder"))
    }
    var units: [Unit] = []
    for group in Set(documents.groups.keys).union(knownFiles.keys).sorted() {
      units += Self.units(of: group, documents.groups[group] ?? [], input.inventory)
    }
    return try forEachPart(of: units, named: "document") { unit, exporter in
      exporter.exportDocuments(unit.files, of: unit.group.kind)
    } _: { run, unit, part throws(MigrationError) in
      for entity in part.entities { run.export(entity, of: part, in: unit.group) }
      if unit.endsGroup {
        try run.writer.finish(unit.group, run.knownFiles[unit.group] ?? [], of: run.known)
      }
    }
  }

  /// The documents of a group, each with its copies; one without any for a group that has none.
  private static func units(
    of group: EntityGroup, _ files: [Int], _ inventory: FolderInventory
  ) -> [Unit] {
    var units = inventory.withCopies(files).map { Unit(group: group, files: $0) }
    if units.isEmpty { units.append(Unit(group: group)) }
    units[units.count - 1].endsGroup = true
    return units
  }

  private mutating func export(
    _ entity: DeclaredPart.Entity, of part: DeclaredPart, in group: EntityGroup
  ) {
    let title = kinds.title(part.kind, entity.identity)
    guard exported[part.kind, default: []].insert(entity.identity).inserted else {
      report.findings.append(
        Finding(
          .notExported, .warning, path: part.path,
          message: "\(title) is in the document of an earlier month, too; this one is not exported",
          next: "look at both with inspect-crdt, and delete one of them with the app"))
      return
    }
    let written = DeclaredFile.Entity(
      identity: kinds.bytes(of: entity.identity),
      place: known.place(of: entity.identity, in: group), json: Array(part.bytes[entity.json]))
    do {
      if let path = try writer.add(written, of: group, month: entity.month, known) {
        report.findings.append(
          Finding(
            .nameDerived, .info, path: part.path, message: "\(title) gets the file \(path)"))
      }
      report[part.kind] += 1
    } catch {
      report.findings.append(
        Finding(
          .notExported, .error, path: part.path,
          message: "\(title) is not exported: \(error.problem)",
          next: "look at it with inspect-crdt --typed"))
    }
  }
}
