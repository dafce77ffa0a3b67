import Backups
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

// What a backup holds and the folder does not show any more.
extension ExportWorkflow {
  /// Names what was deleted since a backup was made, and writes it, too, if that is asked for.
  ///
  /// Called when everything else is written but what has no months, which makes one file.
  mutating func exportDeleted(
    since backup: VerifiedBackup, adding undated: inout ExportedGroup, of folder: Directory,
    _ input: GroupExporter.Input, to destination: inout ExportDestination
  ) throws(MigrationError) {
    let deleted = try DeletedEntities(of: folder, context: context, to: &report)
    var exporter = GroupExporter(input)
    var images: Set<RelativePath> = []
    let entities = BackupEntities(of: backup, rules: rules, context: context)
    try entities.forEachBatch { batch, month, place throws(MigrationError) in
      if context.isInterrupted() { throw .interrupted }
      for entity in batch.entities where entity.kind != .other {
        guard deleted.isMissed(entity, &shown),
          deleted.note(
            batch.title(of: entity), at: place, isExported: options.exportsDeleted, in: &report)
        else { continue }
        let hasMonths = context.kinds.hasMonths(entity.kind)
        if hasMonths, month == nil { continue }
        let group = EntityGroup(entity.kind, month: hasMonths ? month : nil)
        let exported = exporter.export(
          entity, of: batch, in: group, named: Self.stem(of: place), besides: shown.names(of: group)
        )
        if !hasMonths {
          undated.append(exported)
        } else {
          try write(exported, to: &destination)
          images.formUnion(Self.images(of: entity, in: batch, place))
        }
      }
    }
    guard case .folder(var target) = destination else { return }
    try BackupCopies.copy(images, from: backup, unlessIn: folder, context: context) {
      entry throws(MigrationError) in
      try target.stage(entry)
    }
    destination = .folder(target)
  }

  /// The name of a file without its extension.
  private static func stem(of place: String) -> [UInt8] {
    let name = Array(place.utf8).split(separator: UInt8(ascii: "/")).last ?? []
    return Array(name.dropLast(FolderNames.legacyExtension.utf8.count))
  }

  /// The places of the images an entity names: beside it.
  private static func images(
    of entity: LegacyEntity, in batch: EntityBatch, _ place: String
  ) -> [RelativePath] {
    guard let list = entity.imagesNode, let parent = RelativePath(place)?.parent else { return [] }
    let tape = batch.tape
    var paths: [RelativePath] = []
    var element = list + 1
    while element < tape.node(after: list) {
      if tape.kind(of: element) == .string,
        let name = FileName(Array(tape.text[tape.range(of: element)]))
      {
        paths.append(parent.appending(name))
      }
      element = tape.node(after: element)
    }
    return paths
  }
}

// Dates that were numbers before they came into documents.
extension ExportWorkflow {
  /// Returns the dates that are numbers in the JSON of a backup, or else of the quarantine; nil if there
  /// are none.
  func numericDates(
    in backup: VerifiedBackup, _ folder: Directory
  ) throws(MigrationError) -> NumericDateTable? {
    var table = NumericDateTable(unit: rules.numericDates)
    if backup.manifest.summary.holdsLegacyFiles {
      let entities = BackupEntities(of: backup, rules: NumericDateTable.rules, context: context)
      try entities.forEachBatch { batch, _, _ throws(MigrationError) in
        if context.isInterrupted() { throw .interrupted }
        table.add(batch)
      }
    } else {
      var unlisted: [Finding] = []
      for run in try Quarantine.runs(of: folder, noting: &unlisted) {
        let inventory = try Quarantine.inventory(of: run, noting: &unlisted)
        var reader = LegacyReader(run.directory, inventory, rules: NumericDateTable.rules)
        for file in inventory.indices where inventory.nominalClass(of: file).isLegacy {
          if context.isInterrupted() { throw .interrupted }
          reader.read(file)
          table.add(reader.batch)
        }
      }
      // Without them dates that were numbers would be written as text, and nobody would know.
      if let first = unlisted.first {
        throw .unlisted(path: first.path, problem: first.message)
      }
    }
    return table.isEmpty ? nil : table
  }

  /// Throws if documents show dates that were numbers, and nobody has said what the numbers count.
  func requireUnit(
    of groups: [EntityGroup], _ input: GroupExporter.Input, _ backup: VerifiedBackup
  ) throws(MigrationError) {
    guard let dates = input.dates, dates.unit == nil else { return }
    let parts = try Workers.map(
      groups.count, phase: .exporting, context: context, makeState: { GroupExporter(input) }
    ) { item, exporter throws(MigrationError) in
      exporter.exportGroup(groups[item]).convertedDates
    }
    var converted = ConvertedDates()
    for part in parts { converted.add(part) }
    guard converted.count > 0 else { return }
    throw .datesWereNumbers(
      path: backup.archive.path, count: converted.count, units: converted.units.map(\.rawValue))
  }
}
