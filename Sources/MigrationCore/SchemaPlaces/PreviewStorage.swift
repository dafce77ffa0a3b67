import SchemaMigrations

/// What steps would make of a folder: what they write is kept in memory, and nothing else changes.
struct PreviewStorage: MigrationStorage {
  private let base: FolderStorage
  /// What was written; nil is what left.
  private var values: [StorageKey: MigrationValue?] = [:]
  /// What was written or came back, whatever became of it since.
  private(set) var written: [StorageKey: MigrationValue] = [:]
  /// What was set aside.
  private(set) var left: [StorageKey: MigrationValue] = [:]
  private var kept: [MigrationID: StepRecord] = [:]

  init(_ base: FolderStorage) { self.base = base }

  func presence(at key: StorageKey) throws(StorageFailure) -> MigrationInput.Presence {
    if let value = values[key] { return value == nil ? .absent : .present }
    return try base.presence(at: key)
  }

  func value(at key: StorageKey) throws(StorageFailure) -> MigrationValue? {
    if let value = values[key] { return value }
    return try base.value(at: key)
  }

  func reasonToStay(_ key: StorageKey) -> String? { base.reasonToStay(key) }

  mutating func write(_ value: MigrationValue, at key: StorageKey) throws(StorageFailure) {
    values[key] = .some(value)
    written[key] = value
  }

  mutating func setAside(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) {
    left[key] = try value(at: key)
    values[key] = .some(nil)
  }

  mutating func bringBack(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) {
    let value = try base.valueSetAside(key, for: step)
    values[key] = .some(value)
    written[key] = value
  }

  func isSetAside(
    _ key: StorageKey, for step: MigrationID
  ) throws(StorageFailure) -> Bool { try base.isSetAside(key, for: step) }

  func usedEarlier(by step: MigrationID) throws(StorageFailure) -> [StepRecord.Replaced] {
    try base.usedEarlier(by: step)
  }

  func asidePlace(of step: MigrationID) -> String? { base.asidePlace(of: step) }

  func undoCommand(of step: MigrationID) -> String? { base.undoCommand(of: step) }

  func records() throws(StorageFailure) -> [StepRecord] {
    let before = try base.records().filter { kept[$0.id] == nil }
    return (before + kept.values).sorted { $0.id.rawValue < $1.id.rawValue }
  }

  mutating func keep(_ record: StepRecord) throws(StorageFailure) { kept[record.id] = record }
}
