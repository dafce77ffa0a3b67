import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// What a step that was done has put together, beside what is there now: whether that holds what came later.
struct FoldedTotals {
  /// The step over what came later alone, over nothing, and over all that is there.
  private var (late, none, all): (StepStage, StepStage, StepStage)
  private let kinds: EntityKinds
  /// The steps that were done and take away or overwrite what is put together, in order.
  let consumers: [EntityStep]
  /// Whether what these have taken away is taken in as they found it.
  var holdsConsumed = false
  /// Whether a step that is still to be done takes away what is put together, which is there as it was: then every
  /// total is looked at, as nothing could show later what it lacks.
  let isEndangered: Bool
  /// The steps that were done behind it.
  private let later: [EntityStep]
  /// Whether it is known who wrote a value: what is not as the step makes it may be an edit.
  var knowsWriters = false
  /// The steps that are undone before all can be put together, in the order in which they were done.
  let undone: [EntityStep]
  private let commands: StepCommands
  /// The files that were edited since these have changed them, so that they cannot be given back.
  private var edited: [RelativePath] = []
  /// The steps that have changed such files since, in the order in which they are undone.
  private var editedBefore: [MigrationID] = []
  /// The groups of what each entity adds that came later; nil is that of all.
  private var added: [Set<MigrationText?>] = []
  /// What does not hold that, as it is told, with the groups of those that it belongs to, and how many of these
  /// came later themselves.
  private var unheld: [String] = []
  private var owners: Set<MigrationText?> = [nil]
  private var lateOwnerCount = 0
  /// Whether something of what belongs to one of them may be held.
  private var isHeldInPart = false
  /// What the step makes of all that is there, where what came later adds something to that.
  private var made: [EntityKind: [Identity: Made]] = [:]

  /// An entity that a step makes.
  private struct Made {
    let whole: ChangingEntity
    /// The properties to which what came later adds something.
    let names: [String]
    /// The entity that it is made for; nil if there is none.
    let owner: MigrationText?
    /// Whether that one came later itself, so that nothing was put together for it before.
    let isLate: Bool
  }
  private var step: EntityStep { all.step }
  var isConsumed: Bool { !consumers.isEmpty }
  /// Whether what the step makes of all that was taken in is what it makes of all that came.
  private var isWhole: Bool { !isConsumed || holdsConsumed }

  /// - Parameters:
  ///   - number: the number of the step among those of the plans.
  ///   - stages: all steps, which have seen nothing.
  ///   - isUndone: whether a step was undone wherever it was done.
  init(
    of number: Int, among stages: [StepStage], _ kinds: EntityKinds,
    where isDone: (EntityStep) -> Bool, isUndone: (EntityStep) -> Bool
  ) {
    commands = StepCommands(stages.map(\.step), isDone: isDone, isUndone: isUndone)
    (late, none, all) = (stages[number], stages[number], stages[number])
    self.kinds = kinds
    let step = stages[number].step
    let done = stages[number...].map(\.step).filter { $0.id == step.id || isDone($0) }
    consumers = done.filter { $0.consumes(anyOf: step) }
    isEndangered =
      consumers.isEmpty && !done.contains { $0.id != step.id && $0.changesTotals(of: step, kinds) }
      && stages[number...].contains { stage in
        stage.step.consumes(anyOf: step) && !done.contains { $0.id == stage.step.id }
      }
    later = done.filter { $0.id != step.id }
    // Of steps between versions the last one goes first.
    let first = step.creations.isEmpty ? consumers.first : step
    undone = done.drop { $0.id != first?.id }.filter { later in
      later.id == first?.id || later.versions != nil || later.consumes(anyOf: step)
    }
  }

  /// The properties of a kind that hold what is put together.
  func properties(of kind: EntityKind) -> [String] {
    step.foldedProperties(of: kinds.name(of: kind))
  }

  // MARK: Taking in

  /// Takes in an entity that is put together with others.
  mutating func take(_ entity: ChangingEntity, isLate: Bool) {
    do throws(ConversionDefect) {
      try all.survey(entity)
      let contributions = late.contributions(of: entity)
      guard isLate, !contributions.isEmpty else { return }
      try late.survey(entity)
      added.append(Set(contributions.values.map(\.group)))
    } catch {
      // It is told where the step runs.
      return
    }
  }

  /// Puts together what was taken in.
  mutating func endTaking() {
    late.endSurvey()
    none.endSurvey()
    all.endSurvey()
  }

  // MARK: Looking

  /// Looks whether the totals that an entity shows hold what came later.
  ///
  /// - Parameters:
  ///   - isLate: whether it came later itself.
  ///   - isOurs: whether a property shows what the step has written.
  mutating func look(
    at entity: ChangingEntity, isLate: Bool, where isOurs: ([UInt8]) -> Bool = { _ in true }
  ) {
    let names = properties(of: entity.kind).filter { name in
      let bytes = Array(name.utf8)
      let shown = entity.fields.value(named: bytes, of: entity.tape)
      let whole = value(of: bytes, of: entity, by: all)
      if isLate { return shown == nil && whole != nil }
      if isWhole, shown == whole { return false }
      let isCompared =
        isEndangered && step.repeatsTotal(name, of: kinds.name(of: entity.kind), behind: later)
      if isCompared, shown == nil { return whole != value(of: bytes, of: entity, by: none) }
      return isOurs(bytes)
        && (isCompared && knowsWriters
          || value(of: bytes, of: entity, by: late) != value(of: bytes, of: entity, by: none))
    }
    if names.isEmpty { return }
    if isLate { lateOwnerCount += 1 }
    note(entity, names, of: entity.group(kinds))
  }

  /// Notes the entities that are made for one, or for none, to whose totals what came later adds something.
  ///
  /// - Parameter isLate: whether it came later itself.
  mutating func expectMade(for entity: ChangingEntity? = nil, isLate: Bool = false) {
    do throws(StepDefect) {
      func made(by stage: StepStage) throws(StepDefect) -> [ChangingEntity] {
        if let entity { try stage.creations(for: entity) } else { try stage.creations() }
      }
      let (with, without) = (try made(by: late), try made(by: none))
      for whole in try made(by: all) {
        func isSame(_ other: ChangingEntity) -> Bool {
          other.kind == whole.kind && other.identity == whole.identity
        }
        let (one, other) = (with.first(where: isSame), without.first(where: isSame))
        let names = step.foldedProperties(ofMade: kinds.name(of: whole.kind))
        let changed = names.filter { name in
          let bytes = Array(name.utf8)
          let isCompared =
            isEndangered && knowsWriters
            && step.repeatsTotal(name, ofMade: kinds.name(of: whole.kind), behind: later)
          return (isCompared ? whole : one)?.fields.value(named: bytes, of: JSONTape())
            != other?.fields.value(named: bytes, of: JSONTape())
        }
        if changed.isEmpty { continue }
        self.made[whole.kind, default: [:]][whole.identity] = Made(
          whole: whole, names: changed, owner: entity?.group(kinds), isLate: isLate)
      }
    } catch {
      // Making them tells why they are not made.
      return
    }
  }

  /// Whether entities of a kind are to be looked at that the step has made.
  func expectsMade(_ kind: EntityKind) -> Bool { made[kind] != nil }

  /// Looks whether an entity that the step has made holds what came later.
  mutating func look(atMade entity: ChangingEntity, where isOurs: ([UInt8]) -> Bool = { _ in true })
  {
    guard let made = made[entity.kind]?[entity.identity] else { return }
    let names = made.names.filter { name in
      let bytes = Array(name.utf8)
      let isAsMade =
        entity.fields.value(named: bytes, of: entity.tape)
        == made.whole.fields.value(named: bytes, of: made.whole.tape)
      return (!isWhole && !made.isLate || !isAsMade) && isOurs(bytes)
    }
    if names.isEmpty { return }
    if made.isLate { isHeldInPart = true }
    note(entity, names, of: made.owner)
  }

  private mutating func note(
    _ entity: ChangingEntity, _ names: [String], of owner: MigrationText?
  ) {
    unheld.append("\(kinds.title(entity.kind, entity.identity)) (\(names.listed))")
    owners.insert(owner)
  }

  /// What a step makes of a property; nil if nothing, or nothing can be made of it.
  private func value(
    of name: [UInt8], of entity: ChangingEntity, by stage: StepStage
  ) -> MigrationValue? {
    var entity = entity
    do throws(StepDefect) {
      try stage.apply(to: &entity)
    } catch {
      return nil
    }
    return entity.fields.value(named: name, of: entity.tape)
  }

  // MARK: Telling

  /// So many totals are named.
  private static let namedCount = 3

  /// What does not hold all that it should; nil if all does.
  var unheldTotals: UnheldTotals? {
    if unheld.isEmpty { return nil }
    let named = unheld.sorted().prefix(Self.namedCount).joined(separator: ", ")
    let rest = unheld.count - Self.namedCount
    let lateCount = lateOwnerCount + added.count { !$0.isDisjoint(with: owners) }
    let problem =
      lateCount == 0
      ? "a later step takes away what the step put together, and that is not what it makes of what is there"
      : "\(lateCount.counted("entity", "entities")) came since, and what the step put together does "
        + "not hold \(isHeldInPart ? "all of " : "")\(lateCount == 1 ? "it" : "them")"
    return UnheldTotals(
      finding: Finding(
        .editedSince, .warning,
        message: "\(step.id): \(problem): \(named)"
          + (rest > 0 ? " and \(rest.counted("other", "others"))" : ""),
        next: remedy(undoing: undone)),
      haveCome: lateCount > 0)
  }

  /// What puts all together.
  private func remedy(undoing undone: [EntityStep]) -> String {
    let undoing = undone.map(\.id)
    let commands = commands.commands(
      undoing: undoing, forcing: Set([step.id] + undoing),
      between: edited.isEmpty ? [] : ["put that in again"])
    return beforeUndoing + commands.joined(separator: ", then ") + " puts all of it together"
  }

  /// Notes a file that keeps steps from being undone.
  ///
  /// - Parameter steps: those that have changed it once it was edited, the last one first.
  mutating func note(edited path: RelativePath, before steps: [MigrationID]) {
    edited.append(path)
    for step in steps where !editedBefore.contains(step) { editedBefore.append(step) }
  }

  /// What makes files such that steps can be undone that have changed them.
  private var beforeUndoing: String {
    if edited.isEmpty { return "" }
    let named = edited.prefix(Self.namedCount).map(\.description).joined(separator: ", ")
    let rest = edited.count - Self.namedCount
    let files = named + (rest > 0 ? " and \(rest.counted("other file"))" : "")
    let (state, them) = edited.count == 1 ? ("it is", "it") : ("they are", "them")
    return editedBefore.map { "--undo \($0), then " }.joined()
      + "take out of \(files) what came since, so that \(state) to the byte as the steps have left "
      + "\(them), then "
  }

  /// Returns what the step would replace in an entity by what it makes of all that is there; nil if nothing.
  func replacement(in entity: ChangingEntity) -> String? {
    for name in properties(of: entity.kind) {
      let bytes = Array(name.utf8)
      guard let shown = entity.fields.value(named: bytes, of: entity.tape), shown != .null else {
        continue
      }
      let other = value(of: bytes, of: entity, by: all)
      if shown == other { continue }
      return Self.replacement(
        of: name, kinds.title(entity.kind, entity.identity), shown, by: other)
    }
    return nil
  }

  /// What would become of a total, in words.
  static func replacement(
    of name: String, _ title: String, _ shown: MigrationValue, by other: MigrationValue?
  ) -> String {
    "\(name) of \(title) is \(text(shown)), and would be \(other.map(text) ?? "absent")"
  }

  private static func text(_ value: MigrationValue) -> String {
    let text = String(decoding: value.json, as: UTF8.self)
    return text.utf8.count <= 40 ? text : String(text.prefix(40)) + "…"
  }

  /// The error that a step that is forced would put together only a part.
  ///
  /// - Parameters:
  ///   - count: how many entities of those that it has put together add nothing any more, or something else; nil
  ///     if nobody knows.
  ///   - isGone: whether some of them are not there, so that undoing the step does not bring them back.
  func partial(_ count: Int?, isGone: Bool, replacing replacement: String) -> MigrationError {
    let what = count.map { $0.counted("entity", "entities") } ?? "an unknown number"
    let state = isGone ? "gone, or as after a step" : "as after a step"
    return .step(
      step.id,
      "the step would put together only a part of what it has put together: of that, \(what) "
        + "\(count == 1 ? "is" : "are") \(state); \(replacement)",
      isGone
        ? "leave it as it is: what was deleted since is in no total that is made anew"
        : remedy(undoing: undone.isEmpty ? [step] : undone))
  }
}

/// What a step with folds has put together, and does not hold all that it should.
struct UnheldTotals: Sendable {
  /// Tells which totals these are.
  let finding: Finding
  /// Whether what they lack came later; they were compared with what is there else, before that goes.
  let haveCome: Bool
}

extension EntityStep {
  /// Whether it takes away or overwrites what a step with folds has put together, or makes more of what that puts
  /// together.
  fileprivate func changesTotals(of folding: EntityStep, _ kinds: EntityKinds) -> Bool {
    let makesMore = creations.contains { creation in
      folding.folds.contains { $0.kind.utf8.elementsEqual(creation.kind.utf8) }
    }
    if makesMore { return true }
    return kinds.all.contains { kind in
      let name = kinds.name(of: kind)
      let totals = folding.foldedProperties(of: name) + folding.foldedProperties(ofMade: name)
      return (removedProperties(of: name) + givenProperties(of: name)).contains { changed in
        totals.contains { $0.utf8.elementsEqual(changed.utf8) }
      }
    }
  }
}

extension StepStage {
  /// Whether an entity of a kind gets what folds make, or others that are made for it do.
  func givesTotals(to kind: EntityKind, _ kinds: EntityKinds) -> Bool {
    makesOthers(for: kind) || !step.foldedProperties(of: kinds.name(of: kind)).isEmpty
  }
}

extension ChangingEntity {
  /// The group of what folds make for it.
  func group(_ kinds: EntityKinds) -> MigrationText {
    FoldContribution.group(of: String(decoding: kinds.bytes(of: identity, kind), as: UTF8.self))
  }
}
