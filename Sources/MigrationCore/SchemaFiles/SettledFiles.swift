import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// What ending a run that was stopped in the middle of a step would leave of the JSON files of a folder.
struct SettledFiles {
  /// The bytes that files would have, by their numbers.
  var bytes: [Int: [UInt8]] = [:]
  /// The numbers of the files that would be away.
  var gone: Set<Int> = []
  /// Whether undoing the step would be finished, so that it is not done again.
  var isUndoing = false

  /// How many files would change.
  var count: Int { bytes.count + gone.count }
}

extension FileStepStorage {
  /// Returns what `settle` would leave of files; nil if nothing was stopped.
  func settled(in inventory: FolderInventory) throws(MigrationError) -> SettledFiles? {
    var restorations = try returned(among: records()).map(\.restoration)
    var settled = SettledFiles()
    if let (record, stage) = try unfinished() {
      settled.isUndoing = stage == .undoing
      let isOver = if stage == .undoing { false } else { try log.isNoted(record) }
      if !isOver { restorations.append(try restoration(from: record)) }
    } else if restorations.isEmpty {
      return nil
    }
    let files = Dictionary(
      restorations.flatMap(\.files).map { ($0.path, $0.bytes ?? []) },
      uniquingKeysWith: { first, _ in first })
    let made = Set(restorations.flatMap(\.made).map(\.path))
    for file in inventory.indices {
      let path = inventory.path(of: file)
      if let bytes = files[path] { settled.bytes[file] = bytes }
      if made.contains(path) { settled.gone.insert(file) }
    }
    return settled
  }
}
