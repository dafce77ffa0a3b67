import Diagnostics
import FolderDocuments
import Folders
import Runs
import SchemaMigrations

/// What a step that was done has put together, beside what is there now: whether that holds what came later.
struct FoldedTotals {
  /// The step over what came later alone, over nothing, and over all that is there.
  private var (late, none, all): (StepStage, StepStage, StepStage)
  private let kinds: EntityKinds
  /// Whether a step that was done takes away or overwrites what is put together.
  let isConsumed: Bool
  /// How many entities came later.
  private var lateCount = 0
  /// What does not hold them, as it is told.
  private var unheld: [String] = []
  private var step: EntityStep { all.step }

  /// - Parameters:
  ///   - number: the number of the step among those of the plans.
  ///   - stages: all steps, which have seen nothing.
  init(
    of number: Int, among stages: [StepStage], _ kinds: EntityKinds,
    where isDone: (EntityStep) -> Bool
  ) {
    (late, none, all) = (stages[number], stages[number], stages[number])
    self.kinds = kinds
    let folds = stages[number].step.folds
    isConsumed = stages[number...].contains { stage in
      isDone(stage.step) && folds.contains(where: stage.step.consumes)
    }
  }

  /// The properties of a kind that hold what is put together.
  func properties(of kind: EntityKind) -> [String] {
    step.foldedProperties(of: kinds.name(of: kind))
  }

  /// Whether an entity of a kind gets what is put together, or others that are made for it do.
  func concernsOwners(of kind: EntityKind) -> Bool {
    all.makesOthers(for: kind) || !properties(of: kind).isEmpty
  }

  // MARK: Taking in

  /// Takes in an entity that is put together with others.
  mutating func take(_ entity: ChangingEntity, isLate: Bool) {
    do throws(ConversionDefect) {
      try all.survey(entity)
      guard isLate, !late.contributions(of: entity).isEmpty else { return }
      try late.survey(entity)
      lateCount += 1
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
      if !isConsumed, shown == whole { return false }
      return value(of: bytes, of: entity, by: late) != value(of: bytes, of: entity, by: none)
        && isOurs(bytes)
    }
    if names.isEmpty { return }
    if isLate { lateCount += 1 }
    note(entity, names)
  }

  /// Returns the entities that are made for one, or for none, of which totals would not hold what came later: as
  /// all that is there makes them, with the names of these.
  func made(for entity: ChangingEntity?) -> [(entity: ChangingEntity, names: [String])] {
    do throws(StepDefect) {
      func made(by stage: StepStage) throws(StepDefect) -> [ChangingEntity] {
        if let entity { try stage.creations(for: entity) } else { try stage.creations() }
      }
      let (with, without) = (try made(by: late), try made(by: none))
      return try made(by: all).compactMap { whole in
        func isSame(_ other: ChangingEntity) -> Bool {
          other.kind == whole.kind && other.identity == whole.identity
        }
        let (one, other) = (with.first(where: isSame), without.first(where: isSame))
        let names = step.creations.filter { kinds.name(of: whole.kind) == $0.kind }
          .flatMap(\.fields).filter(\.isFolded).map(\.property)
        let changed = names.filter { name in
          let bytes = Array(name.utf8)
          return one?.fields.value(named: bytes, of: JSONTape())
            != other?.fields.value(named: bytes, of: JSONTape())
        }
        return changed.isEmpty ? nil : (whole, changed)
      }
    } catch {
      // Making them tells why they are not made.
      return []
    }
  }

  /// Looks at an entity that the step has made.
  ///
  /// - Parameter whole: as it would be made of all that is there.
  mutating func look(
    at entity: ChangingEntity, madeAs whole: ChangingEntity, _ names: [String],
    where isOurs: ([UInt8]) -> Bool = { _ in true }
  ) {
    let names = names.filter { name in
      let bytes = Array(name.utf8)
      let isWhole =
        entity.fields.value(named: bytes, of: entity.tape)
        == whole.fields.value(named: bytes, of: whole.tape)
      return (isConsumed || !isWhole) && isOurs(bytes)
    }
    if !names.isEmpty { note(entity, names) }
  }

  private mutating func note(_ entity: ChangingEntity, _ names: [String]) {
    unheld.append("\(kinds.title(entity.kind, entity.identity)) (\(names.listed))")
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

  /// Tells which totals do not hold what came later; nil if all do.
  var finding: Finding? {
    if unheld.isEmpty { return nil }
    let named = unheld.sorted().prefix(Self.namedCount).joined(separator: ", ")
    let rest = unheld.count - Self.namedCount
    return Finding(
      .editedSince, .warning,
      message: "\(step.id): \(lateCount.counted("entity", "entities")) came since, and what the "
        + "step put together does not hold \(lateCount == 1 ? "it" : "them"): \(named)"
        + (rest > 0 ? " and \(rest.counted("other", "others"))" : ""),
      next: isConsumed || !step.creations.isEmpty
        ? "--undo \(step.id), then --force \(step.id) puts all of it together"
        : "--force \(step.id) puts all of it together")
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
      return "\(name) of \(kinds.title(entity.kind, entity.identity)) is \(Self.text(shown)), and "
        + "would be \(other.map(Self.text) ?? "absent")"
    }
    return nil
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
        : "--undo \(step.id) gives back what it was made of, then --force \(step.id) puts all of it "
          + "together")
  }
}
