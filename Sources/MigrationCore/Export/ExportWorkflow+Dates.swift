import Backups
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

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
    of groups: [EntityGroup], _ plan: GroupExporter.Plan, _ backup: VerifiedBackup
  ) throws(MigrationError) {
    guard let dates = plan.dates, dates.unit == nil else { return }
    let parts = try Workers.map(
      groups.count, phase: .exporting, context: context, makeState: { GroupExporter(plan) }
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
