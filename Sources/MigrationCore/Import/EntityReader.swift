import Diagnostics
import Folders
import Runs

/// Reads what entities an item of a source holds, one item after the other. One worker has one.
struct EntityReader {
  private var files: LegacyReader?
  private let lines: SpooledLineReader?
  private var item: UInt32?
  private let nothing: EntityBatch

  init(_ source: ImportSource, _ kinds: EntityKinds) {
    nothing = EntityBatch(kinds: kinds)
    switch source {
    case .folder(let directory, let inventory, let rules):
      files = LegacyReader(directory, inventory, rules: rules, takesKept: true)
      lines = nil
    case .stream(let spool): lines = spool.reader()
    }
  }

  /// What was read last.
  var batch: EntityBatch { files?.batch ?? lines?.batch ?? nothing }

  /// Whether it could be read; what cannot be is a finding in the batch.
  var isRead: Bool { lines != nil || files?.state != nil }

  /// Why an entity that was there is not found any more.
  var failure: Finding { isRead ? .changedSince : batch.findings.first ?? .gone }

  /// Reads an item, unless it is the one that was read last: all tags are in one file.
  mutating func read(_ item: UInt32) throws(MigrationError) {
    guard self.item != item else { return }
    self.item = item
    files?.read(Int(item))
    try lines?.read(item)
  }
}
