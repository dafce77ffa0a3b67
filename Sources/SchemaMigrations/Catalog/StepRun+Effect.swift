// Whether what a step has made is still there, whatever its record says, and what is at its sources.
extension StepRun {
  /// Where the value is that a record tells of.
  enum Whereabouts: Hashable {
    /// It is at its destination, or went where the app or a later step wanted it.
    case there
    /// Something is at its destination that nobody here can read, and no later step has used it.
    case unreadable(because: String)
    /// The step has to be done once more.
    case gone
    /// It is gone, and of what it was made of only a part is there: nothing is at these places.
    case incomplete(missing: [StorageKey])
  }

  /// Whether what a record tells of is there, or went where the app or a later step wanted it.
  ///
  /// After a step is done its destination is the app's, which writes there what it likes and takes it away
  /// again. Only if each place from which it took a value has one again, and nothing was made of that, the
  /// step has to be done once more: what lies at its other sources was not taken the first time, and is not
  /// now. A part of it makes no value: what could not leave is always there, and proves nothing, whatever it
  /// says by now, nor does it if somebody has cleared it; what could, and is missing beside it, is aside.
  func whereabouts(
    of record: StepRecord, among records: [StepRecord], in storage: some MigrationStorage
  ) throws(MigrationFailure) -> Whereabouts {
    guard record.stage == .done else {
      return try content(of: step.destination, in: storage) == .value(record.value) ? .there : .gone
    }
    let end = try end(of: record.id, among: records, in: storage)
    if end != .gone { return end }
    let taken = record.replaced.filter { $0.key != step.destination }
    var (isBack, hasStayed) = (false, false)
    var missing: [StorageKey] = []
    for source in taken {
      let found = try content(of: source.key, in: storage)
      let stays = storage.reasonToStay(source.key) != nil
      hasStayed = hasStayed || stays
      if found == .value(source.value) {
        isBack = true
      } else if try isMadeAnew(source.key, among: records, of: storage) {
        isBack = true
      } else if found == .nothing || found == .unreadable {
        missing.append(source.key)
      } else if stays {
        isBack = true
      }
    }
    if missing.isEmpty { return taken.isEmpty ? .there : .gone }
    if hasStayed, missing.contains(where: { storage.reasonToStay($0) == nil }) { isBack = true }
    return isBack ? .incomplete(missing: missing) : .there
  }

  /// Where the value of a step is, as far as the step has anything to do about it: what a later step has set
  /// aside that waits for the rest comes back when that one is undone, and is not made again before.
  func decidedWhereabouts(
    of record: StepRecord, among records: [StepRecord], in storage: some MigrationStorage
  ) throws(MigrationFailure) -> Whereabouts {
    let found = try whereabouts(of: record, among: records, in: storage)
    switch found {
    case .gone where record.stage == .done:
      return try isHeld(among: records, in: storage) ? .there : .gone
    case .incomplete: return try isAside(among: records, in: storage) ? .there : found
    case .gone, .there, .unreadable: return found
    }
  }

  /// Whether a later step has set the value aside: undone, that brings it back.
  private func isAside(
    among records: [StepRecord], in storage: some MigrationStorage
  ) throws(MigrationFailure) -> Bool {
    for later in catalog.drop(while: { $0.id != step.id }).dropFirst() {
      let record = records.last { $0.id == later.id && $0.stage == .done }
      guard let taken = record?.replaced.first(where: { $0.key.isPart(of: step.destination) })
      else { continue }
      if try StepRun(later, of: catalog).isSetAside(taken.key, in: storage) { return true }
    }
    return false
  }

  /// Whether a later step, which waits because only a part is there of what it has used, has set the value
  /// aside, or what was made of it.
  private func isHeld(
    among records: [StepRecord], in storage: some MigrationStorage
  ) throws(MigrationFailure) -> Bool {
    for later in catalog.drop(while: { $0.id != step.id }).dropFirst() {
      guard let record = records.last(where: { $0.id == later.id }), record.stage == .done,
        record.replaced.contains(where: { $0.key.isPart(of: step.destination) })
      else { continue }
      let reader = StepRun(later, of: catalog, after: written)
      switch try reader.whereabouts(of: record, among: records, in: storage) {
      case .incomplete: return true
      case .gone: if try reader.isHeld(among: records, in: storage) { return true }
      case .there, .unreadable: continue
      }
    }
    return false
  }

  /// Whether a value is at its destination, or in what is of the value of a later step.
  private func end(
    of id: MigrationID, among records: [StepRecord], in storage: some MigrationStorage
  ) throws(MigrationFailure) -> Whereabouts {
    var end = Whereabouts.gone
    var seen: Set<MigrationID> = [id]
    var destinations = [step.destination]
    while let destination = destinations.popLast() {
      switch try presence(at: destination, of: storage) {
      case .present: return .there
      case .unreachable(let reason):
        // Of what a later step has made that one tells.
        guard destination == step.destination else { return .there }
        end = .unreadable(because: reason)
      case .absent: break
      }
      for user in records where user.stage != .undone && !seen.contains(user.id) {
        guard user.replaced.contains(where: { $0.key.isPart(of: destination) }) else { continue }
        // Nobody here knows where a step writes that no plan has.
        guard let step = catalog.first(where: { $0.id == user.id }) else { return .there }
        seen.insert(user.id)
        destinations.append(step.destination)
      }
    }
    return end
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
    return try run.whereabouts(of: record, among: records, in: storage) == .gone
  }

  /// Why a step is not done once more though its value is gone.
  func incompleteness(
    _ missing: [StorageKey], of record: StepRecord, in storage: some MigrationStorage
  ) throws(MigrationFailure) -> String {
    let names = missing.map(\.name).joined(separator: ", ")
    let verb = missing.count == 1 ? "is" : "are"
    let isAllMissing = record.replaced.allSatisfy {
      $0.key == step.destination || missing.contains($0.key)
    }
    let problem =
      "\(step.destination), which held its value, is gone, and of what that was made of "
      + (isAllMissing ? "nothing" : "only a part") + " is there: \(names) \(verb) not"
    // What could be made again is aside, too.
    var isAside = false
    for source in record.replaced where storage.reasonToStay(source.key) == nil {
      if try presence(at: source.key, of: storage) != .present { isAside = true }
    }
    guard isAside else {
      return "\(problem); bring that back, or force the step, to make it of the rest"
    }
    let place = storage.asidePlace(of: step.id).map { " below \($0)" } ?? ""
    let command = storage.undoCommand(of: step.id).map { " (\($0))" } ?? ""
    return "\(problem); what it has used was set aside\(place), and undoing the step\(command) "
      + "brings that back"
  }

  /// What is still at the sources of a step whose value is in place.
  struct Remainder {
    /// The sources that are what was used.
    var leaving: [StorageKey] = []
    /// Those that stay all the same, each with the reason.
    var staying: [MigrationResult.Staying] = []
  }

  func remainder(
    of record: StepRecord, in storage: some MigrationStorage
  ) throws(MigrationFailure) -> Remainder {
    var remainder = Remainder()
    let isThere = try presence(at: step.destination, of: storage) == .present
    for source in record.replaced where source.key != step.destination {
      func stays(_ reason: String, _ remedy: String? = nil) {
        remainder.staying.append(.init(key: source.key, reason: reason, remedy: remedy))
      }
      switch try content(of: source.key, in: storage) {
      case .nothing: continue
      case .unreadable:
        stays("cannot be read, so nobody knows whether it is what was used", Self.takesNoMore)
      case .value(source.value):
        if let reason = storage.reasonToStay(source.key) {
          stays(reason)
        } else if isThere {
          remainder.leaving.append(source.key)
        } else {
          // What is not at the destination any more is not taken away anywhere else.
          stays(
            "is what was used, and nothing that can be read is at \(step.destination.name)",
            "what was used is set aside already: move it away; or undo the step, and before it "
              + "what has used its value, and force it, to take it once more")
        }
      case .value: stays("has changed since it was used", Self.takesNoMore)
      }
    }
    return remainder
  }

  static let takesNoMore =
    "the step takes it no more: bring what is right of it to where the app has it now, and move it "
    + "away"

  /// Notes that the value of a step that was undone is at its destination again, as a restore brings it, and
  /// nothing is where it was made of.
  mutating func noteReturn(
    of record: StepRecord, in storage: some MigrationStorage
  ) throws(MigrationFailure) {
    let sources = record.replaced.filter {
      $0.key != step.destination && storage.reasonToStay($0.key) == nil
    }
    guard !record.wasThere, !sources.isEmpty,
      try content(of: step.destination, in: storage) == .value(record.value)
    else { return }
    for source in sources where try presence(at: source.key, of: storage) != .absent { return }
    let names = sources.map(\.key.name).joined(separator: ", ")
    staying.append(
      .init(
        key: step.destination,
        reason: "is what the step made, which was undone, and what it was made of is gone",
        remedy: "to go back bring \(names) there from a backup, and move this away; else it stays"))
  }

  /// Notes which sources stay though the step was done.
  mutating func noteStaying(
    of record: StepRecord, in storage: some MigrationStorage
  ) throws(MigrationFailure) {
    staying += try remainder(of: record, in: storage).staying
  }
}
