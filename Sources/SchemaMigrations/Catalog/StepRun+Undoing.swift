// What was done is taken back.
extension StepRun {
  /// Brings the sources back, then sets the value aside.
  ///
  /// - Parameter readers: the later steps that read the value.
  mutating func undo(
    in storage: inout some MigrationStorage, _ context: MigrationContext, readers: [MigrationID]
  ) -> MigrationResult {
    let outcome: MigrationResult.Outcome
    do throws(MigrationFailure) {
      outcome = try undone(in: &storage, readers: readers)
    } catch {
      outcome = .failed(error)
    }
    return MigrationResult(
      step: step.id, outcome: outcome, migratedCount: migratedCount, staying: staying)
  }

  /// Brings the sources back, then sets the value aside; or finishes that where it was stopped.
  mutating func undone(
    in storage: inout some MigrationStorage, readers: [MigrationID]
  ) throws(MigrationFailure) -> MigrationResult.Outcome {
    let records = try asking(nil) { () throws(StorageFailure) in try storage.records() }
    guard let record = records.last(where: { $0.id == step.id }), record.stage != .undone else {
      return .skipped(because: Self.notDone)
    }
    for id in readers {
      guard let reader = records.last(where: { $0.id == id }), reader.stage != .undone else {
        continue
      }
      throw refusalToUndo(nil, "\(id) has used its value", "undo \(id) first")
    }
    let there = try content(of: step.destination, in: storage)
    // A run failed before it wrote, and nothing was set aside.
    if record.stage == .begun, there != .value(record.value), there != .unreadable,
      try asking(nil, { () throws(StorageFailure) in try storage.usedEarlier(by: step.id) }).isEmpty
    {
      return .skipped(because: Self.notDone)
    }
    if !record.wasThere,
      case .unreachable(let reason) = try presence(at: step.destination, of: storage)
    {
      throw refusalToUndo(
        step.destination, "it cannot be read here: \(reason)",
        "undo the step once more then: what it was made of comes back")
    }
    if !record.wasThere, there != .nothing, there != .value(record.value) {
      throw refusalToUndo(
        step.destination, "it was edited since",
        "keep what is there, or move it away and undo the step once more")
    }
    // What could not leave is the app's, which writes what it likes there.
    let left = (record.replaced + (try usedEarlier(than: record, in: storage))).filter { source in
      source.key != step.destination && storage.reasonToStay(source.key) == nil
    }
    var missing: [StorageKey] = []
    for source in left {
      let there = try content(of: source.key, in: storage)
      guard there != .nothing else {
        missing.append(source.key)
        continue
      }
      guard there == .value(source.value) else {
        throw refusalToUndo(
          source.key, "something else is there by now",
          "move it away, and undo the step once more")
      }
    }
    for key in missing {
      try requireSetAside(key, in: storage)
    }
    try asking(nil) { () throws(StorageFailure) in try storage.keep(record.reaching(.undoing)) }
    for key in missing {
      try asking(key) { () throws(StorageFailure) in try storage.bringBack(key, for: step.id) }
      migratedCount += 1
    }
    // The value goes only when all that it was made of is there.
    for source in left {
      guard try content(of: source.key, in: storage) == .value(source.value) else {
        throw .storageFailed(
          .init(
            step.id, at: source.key, "what was brought back is not what was set aside",
            remedy: "look at the storage; the value of the step is where it was"))
      }
    }
    try asking(step.destination) { () throws(StorageFailure) in
      if there != .nothing, !record.wasThere {
        try storage.setAside(step.destination, for: step.id)
      }
      try storage.keep(record.reaching(.undone))
    }
    if there != .nothing, record.wasThere {
      staying.append(.init(key: step.destination, reason: "was there before the step"))
    }
    return .undone
  }

  private static let notDone = "it was not done"

  /// What an earlier run has used and set aside, and the last one has not found: that is brought back, too.
  /// Notes what has had another value then, for which there is no place.
  private mutating func usedEarlier(
    than record: StepRecord, in storage: some MigrationStorage
  ) throws(MigrationFailure) -> [StepRecord.Replaced] {
    let earlier = try asking(nil) { () throws(StorageFailure) in
      try storage.usedEarlier(by: step.id)
    }
    var keys = Set(record.replaced.map(\.key))
    var used: [StepRecord.Replaced] = []
    for source in earlier {
      if keys.insert(source.key).inserted {
        used.append(source)
        continue
      }
      let place = storage.asidePlace(of: step.id).map { " below \($0)" } ?? ""
      staying.append(
        .init(
          key: source.key,
          reason: "had another value when an earlier run used it, which stays set aside\(place)"))
    }
    return used
  }

  /// Throws if what the step has used is not where it was set aside: what is brought back before it, or taken
  /// away, would be half of an undoing.
  private func requireSetAside(
    _ key: StorageKey, in storage: some MigrationStorage
  ) throws(MigrationFailure) {
    if try isSetAside(key, in: storage) { return }
    throw .sourceDataNotFound(
      .init(
        step.id, at: key,
        "what was set aside of \(key.name) is not there"
          + (storage.asidePlace(of: step.id).map { " any more: it was below \($0)" } ?? ""),
        remedy:
          "copy \(key.name) to its place from the backup that was made before the step, and undo "
          + "the step once more"))
  }

  /// Whether what the step has used of a place was set aside, and is there.
  func isSetAside(
    _ key: StorageKey, in storage: some MigrationStorage
  ) throws(MigrationFailure) -> Bool {
    try asking(key) { () throws(StorageFailure) in try storage.isSetAside(key, for: step.id) }
  }

  private func refusalToUndo(
    _ key: StorageKey?, _ reason: String, _ remedy: String
  ) -> MigrationFailure { .validationFailed(.init(step.id, at: key, reason, remedy: remedy)) }
}
