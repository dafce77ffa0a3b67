import SchemaMigrations

/// What steps would make of a folder: what they write is kept in memory, and nothing else changes.
struct PreviewStorage: MigrationStorage {
  private let base: FolderStorage
  /// What was written; nil is what left.
  private var values: [StorageKey: MigrationValue?] = [:]
  /// What each step did to places, whatever later ones did to them.
  private var effects: [MigrationID: [StorageKey: Effect]] = [:]
  private var kept: [MigrationID: StepRecord] = [:]
  /// The step that writes: its record comes right before that.
  private var writer: MigrationID?

  /// What was at a place before a step, and is after it; nil is nothing.
  struct Effect {
    let before: MigrationValue?
    let after: MigrationValue?
  }

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
    try put(value, at: key, by: writer)
  }

  mutating func setAside(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) {
    try put(nil, at: key, by: step)
  }

  mutating func bringBack(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) {
    try put(try base.valueSetAside(key, for: step), at: key, by: step)
  }

  private mutating func put(
    _ value: MigrationValue?, at key: StorageKey, by step: MigrationID?
  ) throws(StorageFailure) {
    if let step {
      let before =
        if let known = effects[step]?[key] { known.before } else { try self.value(at: key) }
      effects[step, default: [:]][key] = Effect(before: before, after: value)
    }
    values[key] = .some(value)
  }

  /// Returns what a step did to a place; nil if nothing.
  func effect(of step: MigrationID, on key: StorageKey) -> Effect? { effects[step]?[key] }

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

  mutating func keep(_ record: StepRecord) throws(StorageFailure) {
    kept[record.id] = record
    writer = record.id
  }
}
