import SchemaMigrations
import Synchronization

/// A storage of which one call fails, or none works any more from one on, as when a process is killed.
struct FaultyStorage: MigrationStorage {
  enum Fault { case once, killed }

  var memory: MemoryStorage
  private let counter: Counter

  init(_ memory: MemoryStorage, _ fault: Fault = .once, at call: Int = .max) {
    self.memory = memory
    counter = Counter(fault, call)
  }

  /// How many calls there were.
  var callCount: Int { counter.calls.withLock(\.self) }

  func presence(at key: StorageKey) throws(StorageFailure) -> MigrationInput.Presence {
    try counter.count()
    return try memory.presence(at: key)
  }

  func value(at key: StorageKey) throws(StorageFailure) -> MigrationValue? {
    try counter.count()
    return try memory.value(at: key)
  }

  mutating func write(_ value: MigrationValue, at key: StorageKey) throws(StorageFailure) {
    try counter.count()
    try memory.write(value, at: key)
  }

  mutating func setAside(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) {
    try counter.count()
    try memory.setAside(key, for: step)
  }

  mutating func bringBack(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) {
    try counter.count()
    try memory.bringBack(key, for: step)
  }

  func usedEarlier(by step: MigrationID) throws(StorageFailure) -> [StepRecord.Replaced] {
    try counter.count()
    return try memory.usedEarlier(by: step)
  }

  func records() throws(StorageFailure) -> [StepRecord] {
    try counter.count()
    return try memory.records()
  }

  mutating func keep(_ record: StepRecord) throws(StorageFailure) {
    try counter.count()
    try memory.keep(record)
  }

  private final class Counter: Sendable {
    let calls = Mutex(0)
    private let fault: Fault
    private let failing: Int

    init(_ fault: Fault, _ failing: Int) {
      self.fault = fault
      self.failing = failing
    }

    func count() throws(StorageFailure) {
      let call = calls.withLock {
        $0 += 1
        return $0
      }
      guard call == failing || call > failing && fault == .killed else { return }
      throw StorageFailure("call \(call) fails", remedy: "run it again")
    }
  }
}
