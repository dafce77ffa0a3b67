import Diagnostics
import Folders
package import MigrationCore
import Runs

extension ImportReport: ReadableReport {
  package var tables: [TextTable] {
    let columns: [(heading: String, value: KeyPath<Counts, Int>)] = [
      ("imported", \.imported), ("already there", \.known), ("updated", \.updated),
      ("deleted since", \.deleted), ("set aside", \.setAside),
      ("duplicate", \.duplicates), ("rejected", \.rejected), ("waiting", \.waiting),
      ("left out", \.leftOut),
    ].filter { column in
      // What is zero everywhere says nothing, except how much was imported.
      column.value == \.imported || counts.contains { $0[keyPath: column.value] > 0 }
    }
    guard counts.contains(where: { $0.read > 0 }) else { return [] }
    var table = TextTable(heading: ["kind", "read"] + columns.map(\.heading))
    for (kind, counts) in zip(kindNames, counts) {
      table.add(
        [isOlderThanProfiles ? kind + "s" : kind, counts.read.grouped]
          + columns.map { counts[keyPath: $0.value].grouped })
    }
    return [table]
  }

  package var conclusion: [String] {
    outcome + (EntityKinds.leftOut(zip(kindNames, counts.map(\.leftOut))).map { [$0] } ?? [])
  }

  private var outcome: [String] {
    let read = total(\.read)
    let imported = total(\.imported)
    guard read > 0 else { return ["Nothing to import in \(target)."] }
    let updated = total(\.updated)
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
        + "\(extended.grouped) extended\(isOlderThanProfiles ? ", \(layout.rawValue) layout" : "") "
        + "(\(duration))."
    ] + change
  }

  private func total(_ part: KeyPath<Counts, Int>) -> Int {
    counts.reduce(0) { $0 + $1[keyPath: part] }
  }

  private var duration: String { Duration.seconds(seconds).text }
}

extension ExportReport: ReadableReport {
  package var conclusion: [String] {
    [outcome] + (EntityKinds.leftOut(zip(kindNames, leftOut)).map { [$0] } ?? [])
  }

  private var outcome: String {
    var parts = zip(kindNames, counts).map { EntityKinds.counted($1, $0) }
    if others > 0 { parts.append(others.counted("other key")) }
    var sentence =
      "\(isDryRun ? "Would export" : "Exported") \(parts.joined(separator: ", "))"
    if filesCreated + filesUnchanged > 0 {
      sentence += ": \(filesCreated.counted("file")) created, \(filesUnchanged.grouped) unchanged"
    }
    return sentence + " (\(Duration.seconds(seconds).text))."
  }
}
