// Whether what a step has made is still there, whatever its record says.
extension StepRun {
  /// Whether what a record tells of is there, or went where the app or a later step wanted it.
  ///
  /// After a step is done its destination is the app's, which writes there what it likes and takes it away
  /// again. Only if what was used is back, or each place from which it took a value has one again, and
  /// nothing was made of that, the step has to be done once more: what lies at its other sources was not
  /// taken the first time, and is not now.
  func isInPlace(
    _ record: StepRecord, among records: [StepRecord], of storage: some MigrationStorage
  ) throws(MigrationFailure) -> Bool {
    guard record.stage == .done else {
      return try content(of: step.destination, in: storage) == .value(record.value)
    }
    if try livesOn(step.destination, of: record.id, among: records, of: storage) { return true }
    let taken = record.replaced.filter { $0.key != step.destination }
    var isEachThere = !taken.isEmpty
    for source in taken {
      let found = try content(of: source.key, in: storage)
      if found == .value(source.value) { return false }
      if found == .nothing || found == .unreadable { isEachThere = false }
      if try isMadeAnew(source.key, among: records, of: storage) { return false }
    }
    return !isEachThere
  }

  /// Whether a value is at its destination, or in what is of the value of a later step.
  private func livesOn(
    _ destination: StorageKey, of id: MigrationID, among records: [StepRecord],
    of storage: some MigrationStorage
  ) throws(MigrationFailure) -> Bool {
    var seen: Set<MigrationID> = [id]
    var destinations = [destination]
    while let destination = destinations.popLast() {
      if try presence(at: destination, of: storage) != .absent { return true }
      for user in records where user.stage != .undone && !seen.contains(user.id) {
        guard user.replaced.contains(where: { $0.key.isPart(of: destination) }) else { continue }
        // Nobody here knows where a step writes that no plan has.
        guard let step = catalog.first(where: { $0.id == user.id }) else { return true }
        seen.insert(user.id)
        destinations.append(step.destination)
      }
    }
    return false
  }

  /// Whether what a step used comes from one before it that this run has done again, or that is to be.
  func isMadeAnew(
    _ key: StorageKey, among records: [StepRecord], of storage: some MigrationStorage
  ) throws(MigrationFailure) -> Bool {
    if written.contains(where: { key.isPart(of: $0) }) { return true }
    guard
      let maker = catalog.prefix(while: { $0.id != step.id }).last(where: {
        key.isPart(of: $0.destination)
      }), let record = records.last(where: { $0.id == maker.id }), record.stage == .done
    else { return false }
    let run = StepRun(maker, of: catalog)
    return try !run.isInPlace(record, among: records, of: storage)
  }
}
