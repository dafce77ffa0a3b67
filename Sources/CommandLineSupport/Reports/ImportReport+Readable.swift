import Diagnostics
package import MigrationCore
import Runs

extension ImportReport: ReadableReport {
  package var tables: [TextTable] {
    let columns: [(heading: String, value: KeyPath<Counts, Int>)] = [
      ("imported", \.imported), ("already there", \.known), ("updated", \.updated),
      ("deleted since", \.deleted), ("set aside", \.setAside),
      ("duplicate", \.duplicates), ("rejected", \.rejected), ("waiting", \.waiting),
    ].filter { column in
      // What is zero everywhere says nothing, except how much was imported.
      column.value == \.imported || tags[keyPath: column.value] + records[keyPath: column.value] > 0
    }
    guard tags.read + records.read > 0 else { return [] }
    var table = TextTable(heading: ["kind", "read"] + columns.map(\.heading))
    for (kind, counts) in [("tags", tags), ("records", records)] {
      table.add(
        [kind, counts.read.grouped] + columns.map { counts[keyPath: $0.value].grouped })
    }
    return [table]
  }

  package var conclusion: [String] {
    let read = tags.read + records.read
    let imported = tags.imported + records.imported
    guard read > 0 else { return ["Nothing to import in \(target)."] }
    let updated = tags.updated + records.updated
    let change =
      updated == 0
      ? []
      : [
        "\(isDryRun ? "Would update" : "Updated") \(updated.counted("entity", "entities")) in "
          + "\(documents.count { $0.entitiesUpdated > 0 }.counted("document")) (\(duration))."
      ]
    guard imported > 0 else {
      return updated > 0 ? change : ["Nothing new: no document was changed (\(duration))."]
    }
    let created = documents.count { $0.outcome == .created }
    let extended = documents.count { $0.outcome == .extended }
    return [
      "\(isDryRun ? "Would import" : "Imported") \(imported.grouped) of "
        + "\(read.counted("entity", "entities")): \(created.counted("document")) created, "
        + "\(extended.grouped) extended, \(layout.rawValue) layout (\(duration))."
    ] + change
  }

  private var duration: String { Duration.seconds(seconds).text }
}

extension ExportReport: ReadableReport {
  package var conclusion: [String] {
    var parts = [tags.counted("tag"), records.counted("record")]
    if others > 0 { parts.append(others.counted("other key")) }
    var sentence =
      "\(isDryRun ? "Would export" : "Exported") \(parts.joined(separator: ", "))"
    if filesCreated + filesUnchanged > 0 {
      sentence += ": \(filesCreated.counted("file")) created, \(filesUnchanged.grouped) unchanged"
    }
    return [sentence + " (\(Duration.seconds(seconds).text))."]
  }
}
