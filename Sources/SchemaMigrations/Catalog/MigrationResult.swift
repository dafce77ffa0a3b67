/// What became of a step.
public struct MigrationResult: Hashable, Sendable {
  /// How it ended.
  public enum Outcome: Hashable, Sendable {
    /// Its value is at its destination, and its sources are set aside.
    case migrated
    /// An earlier run had done it; what that one had left was finished.
    case alreadyDone
    /// Its sources are where they were, and its value is set aside.
    case undone
    /// Nothing was to be done.
    case skipped(because: String)
    /// Something else has to happen first.
    case waiting(because: String)
    /// It did not do what it is for.
    case failed(MigrationFailure)
    /// A step before it failed.
    case notBegun
  }

  /// The step.
  public let step: MigrationID
  /// How it ended.
  public let outcome: Outcome
  /// How many sources left, or came back.
  public var migratedCount = 0
  /// Whether its value was at its destination before, and it wrote nothing.
  public var wasThere = false
  /// The sources that stay, each with the reason.
  public var staying: [Staying] = []
  /// How long it took; nil without a clock.
  public var duration: Duration?

  /// A source that stays.
  public struct Staying: Hashable, Sendable {
    /// Where it is.
    public let key: StorageKey
    /// Why it stays.
    public let reason: String
    /// What to do about it; nil if the reason says that, or if nothing is to be done.
    public let remedy: String?

    init(key: StorageKey, reason: String, remedy: String? = nil) {
      (self.key, self.reason, self.remedy) = (key, reason, remedy)
    }
  }

  /// Whether nothing of it is left to do.
  public var isSuccess: Bool {
    switch outcome {
    case .migrated, .alreadyDone, .undone, .skipped: true
    case .waiting, .failed, .notBegun: false
    }
  }

  /// The failures.
  public var errors: [MigrationFailure] {
    if case .failed(let failure) = outcome { [failure] } else { [] }
  }

  /// What else there is to say, in words: why it was skipped or waits, and which sources stay.
  public var metadata: [String: String] {
    var metadata: [String: String] = [:]
    switch outcome {
    case .skipped(let reason): metadata["skipped"] = reason
    case .waiting(let reason): metadata["waiting"] = reason
    case .migrated, .alreadyDone, .undone, .failed, .notBegun: break
    }
    for source in staying { metadata["stays \(source.key)"] = source.reason }
    return metadata
  }
}

/// How it stands with a step, before a run.
public enum MigrationStanding: Hashable, Sendable {
  /// It was done.
  case applied
  /// A run was stopped in the middle of it, or what it used is back where it was; the next run sees to that.
  case unfinished(because: String)
  /// It was undone, and runs again only if it is forced.
  case undone
  /// It runs next.
  case pending
  /// Nothing is to be done here.
  case skipped(because: String)
  /// Something else has to happen first.
  case waiting(because: String)
}
