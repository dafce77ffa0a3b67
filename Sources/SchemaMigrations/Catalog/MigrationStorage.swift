/// Where values are: what an app, or a test, gives a catalogue to work on.
///
/// A value that was written is there whole or not at all, whatever happens meanwhile, and so is a record.
public protocol MigrationStorage: Sendable {
  /// Returns what is known of a place without reading what it holds.
  func presence(at key: StorageKey) throws(StorageFailure) -> MigrationInput.Presence
  /// Reads what is at a place; nil if nothing is there. Never nil for what cannot be read.
  func value(at key: StorageKey) throws(StorageFailure) -> MigrationValue?
  /// Writes a value where nothing, or another one, is.
  mutating func write(_ value: MigrationValue, at key: StorageKey) throws(StorageFailure)
  /// Returns why what is at a place cannot leave it, as a part of a file that holds more; nil if it can.
  func reasonToStay(_ key: StorageKey) -> String?
  /// Moves what is at a place to where a person finds it, and no app looks.
  mutating func setAside(_ key: StorageKey, for step: MigrationID) throws(StorageFailure)
  /// Moves what was set aside back to its place, where nothing is.
  mutating func bringBack(_ key: StorageKey, for step: MigrationID) throws(StorageFailure)

  /// Whether what was at a place and a step has used, by its last record of that, is where it was set aside.
  func isSetAside(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) -> Bool

  /// Returns what earlier runs of a step have used since it was last undone, and its last record does not
  /// name, as far as it still is where it was set aside; the latest first.
  func usedEarlier(by step: MigrationID) throws(StorageFailure) -> [StepRecord.Replaced]
  /// Returns, for people, where what a step has set aside lies; nil if it has no name.
  func asidePlace(of step: MigrationID) -> String?
  /// Returns, for people, the command that undoes a step; nil if there is none.
  func undoCommand(of step: MigrationID) -> String?

  /// Returns what was recorded, the last record of each step.
  func records() throws(StorageFailure) -> [StepRecord]
  /// Keeps a record, instead of an earlier one of the step.
  mutating func keep(_ record: StepRecord) throws(StorageFailure)

  /// Begins a run: nobody else may write until it ends. Throws `StorageFailure.busy` if somebody does.
  mutating func beginRun() throws(StorageFailure)
  /// Ends a run, however it went.
  mutating func endRun()
}

extension MigrationStorage {
  /// Does nothing: for what only one at a time can reach.
  public mutating func beginRun() throws(StorageFailure) {}
  /// Does nothing.
  public mutating func endRun() {}
  /// Nil: everything can leave.
  public func reasonToStay(_ key: StorageKey) -> String? { nil }
  /// True: for what loses nothing that it set aside.
  public func isSetAside(
    _ key: StorageKey, for step: MigrationID
  ) throws(StorageFailure) -> Bool { true }
  /// Nothing: for what keeps only the last record of each step.
  public func usedEarlier(
    by step: MigrationID
  ) throws(StorageFailure) -> [StepRecord.Replaced] { [] }
  /// Nil: it has no name.
  public func asidePlace(of step: MigrationID) -> String? { nil }
  /// Nil: an app undoes its steps itself.
  public func undoCommand(of step: MigrationID) -> String? { nil }
  /// Refuses: for what keeps nothing that it set aside.
  public mutating func bringBack(
    _ key: StorageKey, for step: MigrationID
  ) throws(StorageFailure) {
    throw StorageFailure(
      "what was set aside cannot be brought back here", remedy: "bring it back by hand")
  }
}

/// Why a storage did not do what it was asked for.
public struct StorageFailure: Error, Hashable, Sendable {
  /// What happened.
  public let reason: String
  /// What to do next.
  public let remedy: String
  /// Whether another run is at work.
  public let isBusy: Bool

  /// Creates a failure.
  public init(_ reason: String, remedy: String) { self.init(reason, remedy, isBusy: false) }

  /// Another run is at work.
  public static let busy = StorageFailure(
    "another run is at work", "wait until it is done, and run this again", isBusy: true)

  private init(_ reason: String, _ remedy: String, isBusy: Bool) {
    self.reason = reason
    self.remedy = remedy
    self.isBusy = isBusy
  }
}

/// What is known of a step that was begun.
public struct StepRecord: Hashable, Sendable {
  /// How far it came.
  public enum Stage: String, Hashable, Sendable {
    /// Its value may be at its destination; all sources are where they were.
    case begun
    /// Its value was read back; some sources may still be where they were.
    case done
    /// Its sources may be where they were again, and its value may still be there.
    case undoing
    /// Its sources are where they were, and its value is set aside.
    case undone
  }

  /// A source whose value is in the destination.
  public struct Replaced: Hashable, Sendable {
    /// Where it is, or was.
    public let key: StorageKey
    /// What was there.
    public let value: ValueDigest

    /// Creates a note of a source.
    public init(_ key: StorageKey, _ value: ValueDigest) {
      self.key = key
      self.value = value
    }
  }

  /// The name of the step.
  public let id: MigrationID
  /// How far it came.
  public let stage: Stage
  /// What it made.
  public let value: ValueDigest
  /// Whether that was at its destination before it: then it is not the step's, and an undoing leaves it.
  public let wasThere: Bool
  /// What it made that of.
  public let replaced: [Replaced]
  /// When, in milliseconds since 1970 UTC; nil if nobody said.
  public let moment: Int64?

  /// Creates a record.
  public init(
    id: MigrationID, _ stage: Stage, value: ValueDigest, wasThere: Bool = false,
    replaced: [Replaced], moment: Int64?
  ) {
    self.id = id
    self.stage = stage
    self.value = value
    self.wasThere = wasThere
    self.replaced = replaced
    self.moment = moment
  }

  func reaching(_ stage: Stage) -> StepRecord {
    StepRecord(
      id: id, stage, value: value, wasThere: wasThere, replaced: replaced, moment: moment)
  }

  /// Of the records of a step, in the order in which they were kept: what its earlier runs have used since
  /// it was last undone, and the last record does not name; the latest first, each once.
  package static func usedEarlier(_ records: [StepRecord]) -> [Replaced] {
    guard let last = records.last else { return [] }
    var known = Set(last.replaced)
    var used: [Replaced] = []
    for record in records.reversed() {
      if record.stage == .undone { break }
      // What was only begun has set nothing aside.
      guard record.stage == .done else { continue }
      used += record.replaced.filter { known.insert($0).inserted }
    }
    return used
  }

  /// Whether the step has written a value that is at its destination.
  func hasWritten(_ value: ValueDigest) -> Bool {
    (stage == .begun || stage == .done) && !wasThere && self.value == value
  }
}

/// Values in memory, for tests of steps.
public struct MemoryStorage: MigrationStorage {
  /// What is there.
  public var values: [StorageKey: MigrationValue]
  /// What nobody here can read, and why.
  public var unreachable: [StorageKey: String]
  /// What was set aside, in that order.
  public private(set) var aside: [(key: StorageKey, value: MigrationValue, step: MigrationID)] = []
  private var kept: [MigrationID: [StepRecord]] = [:]
  private var isRunning = false

  /// Creates a storage.
  public init(
    _ values: [StorageKey: MigrationValue] = [:], unreachable: [StorageKey: String] = [:]
  ) {
    self.values = values
    self.unreachable = unreachable
  }

  public func presence(
    at key: StorageKey
  ) throws(StorageFailure) -> MigrationInput.Presence {
    if let reason = unreachable[key] { return .unreachable(because: reason) }
    return values[key] == nil ? .absent : .present
  }

  public func value(at key: StorageKey) throws(StorageFailure) -> MigrationValue? {
    if let reason = unreachable[key] {
      throw StorageFailure(
        "\(key) cannot be read: \(reason)", remedy: "read it where that is possible")
    }
    return values[key]
  }

  public mutating func write(
    _ value: MigrationValue, at key: StorageKey
  ) throws(StorageFailure) { values[key] = value }

  public mutating func setAside(
    _ key: StorageKey, for step: MigrationID
  ) throws(StorageFailure) {
    guard let value = values.removeValue(forKey: key) else { return }
    aside.append((key, value, step))
  }

  public mutating func bringBack(
    _ key: StorageKey, for step: MigrationID
  ) throws(StorageFailure) {
    let used = kept[step]?.last { record in record.replaced.contains { $0.key == key } }
    let expected = used?.replaced.first { $0.key == key }?.value
    guard
      let place = aside.lastIndex(where: {
        $0.key == key && $0.step == step
          && (expected == nil || ValueDigest(of: $0.value) == expected)
      })
    else {
      throw StorageFailure("\(key) was not set aside", remedy: "look where it is")
    }
    guard values[key] == nil else {
      throw StorageFailure("something is at \(key)", remedy: "move it away")
    }
    values[key] = aside.remove(at: place).value
  }

  public func usedEarlier(
    by step: MigrationID
  ) throws(StorageFailure) -> [StepRecord.Replaced] {
    StepRecord.usedEarlier(kept[step] ?? []).filter { used in
      aside.contains {
        $0.step == step && $0.key == used.key && ValueDigest(of: $0.value) == used.value
      }
    }
  }

  public func records() throws(StorageFailure) -> [StepRecord] {
    kept.values.compactMap(\.last).sorted { $0.id.rawValue < $1.id.rawValue }
  }

  public mutating func keep(_ record: StepRecord) throws(StorageFailure) {
    kept[record.id, default: []].append(record)
  }

  public mutating func beginRun() throws(StorageFailure) {
    guard !isRunning else { throw .busy }
    isRunning = true
  }

  public mutating func endRun() { isRunning = false }
}
