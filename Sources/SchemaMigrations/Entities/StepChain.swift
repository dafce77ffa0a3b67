package import Folders

/// Steps that run one behind the other over the entities of an app, each entity through all of them.
///
/// Where a step has to see all entities before it can change the first, they are read once more: so memory
/// holds one entity, what folds add up to, and the identities of kinds that steps make.
package struct StepChain {
  /// What a step says about an entity, or about all.
  package struct Remark: Sendable {
    /// The step.
    package let step: MigrationID
    /// What the entity is; nil if it is about all.
    package let kind: EntityKind?
    package let identity: Identity
    /// Whether nothing may be published.
    package let isError: Bool
    /// What is said, in words.
    package let text: String
  }

  /// What a step has replaced of what it put together before, which must stay.
  package struct Replacement {
    /// The step.
    package let step: MigrationID
    /// Who it is.
    package let kind: EntityKind
    package let identity: Identity
    package let property: String
    /// What was there, and what the step makes; nil is nothing.
    package let before: MigrationValue
    package let after: MigrationValue?
  }

  private var stages: [StepStage]
  /// The properties of each kind, by its number, that stages must not replace.
  private var kept: [Int: [[String]]] = [:]
  /// The first one that one has replaced.
  package private(set) var replacement: Replacement?
  /// Whether no step has anything to do with entities of a kind, by its number.
  private let isUntouched: [Bool]
  /// The stages that have to see all entities, in order.
  private let surveyed: [Int]
  /// The number of the pass, from 0; the last one writes.
  private var pass = 0
  /// Whether the entities of the first pass are taken in anew.
  private var isRecounting = false
  /// How many entities each step changed and made.
  package private(set) var changedCounts: [Int]
  package private(set) var madeCounts: [Int]
  /// What steps said.
  package private(set) var remarks: [Remark] = []
  /// How many more remarks there were.
  package private(set) var furtherRemarkCount = 0
  /// How many of all remarks are errors.
  package private(set) var errorCount = 0

  /// So many remarks are kept.
  private static let largestRemarkCount = 1000

  /// Creates a chain of steps.
  ///
  /// - Parameter kept: those that put together only a part, so that they must not replace what they put together
  ///   before.
  package init(
    _ steps: [EntityStep], of kinds: EntityKinds, parameters: MigrationObject,
    keepingTotalsOf kept: Set<MigrationID> = []
  ) {
    for (stage, step) in steps.enumerated() where kept.contains(step.id) {
      self.kept[stage] = kinds.all.map { step.foldedProperties(of: kinds.name(of: $0)) }
    }
    stages = steps.map { StepStage($0, of: kinds, parameters) }
    isUntouched = kinds.all.map { [stages] kind in !stages.contains { $0.concerns(kind) } }
    surveyed = stages.indices.filter { [stages] in stages[$0].needsSurvey }
    changedCounts = Array(repeating: 0, count: steps.count)
    madeCounts = Array(repeating: 0, count: steps.count)
  }

  /// How often all entities have to be read.
  package var passCount: Int { surveyed.count + 1 }

  /// Whether this pass is the last, which changes entities.
  package var isWriting: Bool { pass == surveyed.count && !isRecounting }

  /// The stages that entities go through in this pass.
  private var end: Int { pass < surveyed.count ? surveyed[pass] : stages.count }

  /// Whether steps put entities of a kind together, or make others for them: each counts once then.
  package func takesIn(_ kind: EntityKind) -> Bool { stages.contains { $0.takesIn(kind) } }

  /// Whether no step has anything to do with entities of a kind; they are written as they are.
  package func passesBy(_ kind: EntityKind) -> Bool {
    Int(kind.index) >= isUntouched.count || isUntouched[Int(kind.index)]
  }

  /// What goes through the steps.
  package enum Part {
    /// An entity.
    case entity
    /// One of several copies of an entity, which is changed, and not taken in; nothing is made for it.
    case copy
    /// What all copies of an entity are together, which is taken in, and for which others are made.
    case union
  }

  /// Takes an entity through the steps of this pass.
  ///
  /// - Parameter write: called in the last pass for the entity, unless it is a union, and for those that steps
  ///   make for it.
  package mutating func advance(
    _ entity: inout ChangingEntity, as part: Part = .entity,
    _ write: (ChangingEntity, _ isNew: Bool) -> Void
  ) {
    if part == .copy, !isWriting { return }
    var made: [(stage: Int, entity: ChangingEntity)] = []
    let isWhole = advance(&entity, as: part, from: 0, making: &made)
    if isWhole, isWriting, part != .union { write(entity, false) }
    finish(&made, write)
  }

  /// Has all entities that the first pass has seen taken in anew, because some of them are there several times,
  /// until `endRecount`: nothing is written meanwhile.
  package mutating func beginRecount() {
    for stage in stages.indices { stages[stage].restart() }
    if !isWriting { (remarks, furtherRemarkCount, errorCount) = ([], 0, 0) }
    isRecounting = true
  }

  /// Goes on with the pass.
  package mutating func endRecount() { isRecounting = false }

  /// Ends a pass; entities that are made for none come now.
  package mutating func endPass(_ write: (ChangingEntity, _ isNew: Bool) -> Void) {
    let end = end
    for stage in 0..<end {
      if stages[stage].surveysOnTheWay { stages[stage].endSurvey() }
      var made: [(stage: Int, entity: ChangingEntity)] = []
      do throws(StepDefect) {
        for entity in try stages[stage].creations() { made.append((stage, entity)) }
      } catch {
        if isWriting { remark(stage, nil, "\(error.property): \(error.problem)") }
      }
      finish(&made, write)
    }
    guard !isWriting else { return noteBrokenCounts() }
    for stage in 0..<end where stages[stage].surveysOnTheWay { stages[stage].restart() }
    stages[surveyed[pass]].endSurvey()
    pass += 1
  }

  private mutating func noteBrokenCounts() {
    for stage in stages.indices {
      for (promise, problem) in stages[stage].brokenCounts {
        remark(stage, nil, problem, isError: !promise.isWarning)
      }
    }
  }

  /// Takes made entities through the steps behind those that made them.
  private mutating func finish(
    _ made: inout [(stage: Int, entity: ChangingEntity)],
    _ write: (ChangingEntity, _ isNew: Bool) -> Void
  ) {
    var next = 0
    while next < made.count {
      var (stage, created) = made[next]
      next += 1
      if isWriting {
        guard stages[stage].claim(created) else {
          remark(stage, created, "it is there already")
          continue
        }
        madeCounts[stage] += 1
        check(created, stage)
      }
      if advance(&created, as: .entity, from: stage + 1, making: &made), isWriting {
        write(created, true)
      }
    }
  }

  /// Takes an entity through the steps from one on; returns false if one of them failed.
  private mutating func advance(
    _ entity: inout ChangingEntity, as part: Part, from start: Int,
    making made: inout [(stage: Int, entity: ChangingEntity)]
  ) -> Bool {
    let end = end
    guard start < stages.count else { return true }
    for stage in start..<max(start, end) {
      if stages[stage].surveysOnTheWay, part != .copy { survey(entity, stage) }
      do throws(StepDefect) {
        let created = part == .copy ? [] : try stages[stage].creations(for: entity)
        let changeCount = entity.fields.changeCount
        try apply(stage, to: &entity, isMade: start > 0)
        for entity in created { made.append((stage, entity)) }
        if isWriting, part != .union {
          if entity.fields.changeCount > changeCount { changedCounts[stage] += 1 }
          check(entity, stage)
        }
      } catch {
        // The last pass meets it again, and tells.
        if isWriting { fail(entity, as: part, at: stage, "\(error.property): \(error.problem)") }
        return false
      }
    }
    if !isWriting, start <= end, end < stages.count { survey(entity, end) }
    return true
  }

  private mutating func apply(
    _ stage: Int, to entity: inout ChangingEntity, isMade: Bool
  ) throws(StepDefect) {
    guard isWriting, !isMade, let names = kept[stage]?[Int(entity.kind.index)] else {
      return try stages[stage].apply(to: &entity)
    }
    let before = names.map { entity.fields.value(named: Array($0.utf8), of: entity.tape) }
    try stages[stage].apply(to: &entity)
    for (name, before) in zip(names, before) where replacement == nil {
      guard let before, before != .null else { continue }
      let after = entity.fields.value(named: Array(name.utf8), of: entity.tape)
      if after == before { continue }
      replacement = Replacement(
        step: stages[stage].step.id, kind: entity.kind, identity: entity.identity, property: name,
        before: before, after: after)
    }
  }

  private mutating func survey(_ entity: ChangingEntity, _ stage: Int) {
    do throws(ConversionDefect) {
      try stages[stage].survey(entity)
    } catch {
      // What is taken in on the way is taken in again in the last pass.
      if isWriting || !stages[stage].surveysOnTheWay { remark(stage, entity, error.description) }
    }
  }

  private mutating func check(_ entity: ChangingEntity, _ stage: Int) {
    do throws(ConversionDefect) {
      for number in try stages[stage].check(entity) {
        let promise = stages[stage].step.promises[number]
        remark(stage, entity, promise.problem, isError: !promise.isWarning)
      }
    } catch {
      remark(stage, entity, error.description)
    }
  }

  private mutating func fail(
    _ entity: ChangingEntity, as part: Part, at stage: Int, _ problem: String
  ) {
    if part == .union {
      // Nothing of it is lost that is not in its copies, or these have told it.
      guard stages[stage...].contains(where: { $0.takesIn(entity.kind) }) else { return }
      let isTold = remarks.contains { remark in
        remark.step == stages[stage].step.id && remark.kind == entity.kind
          && remark.identity == entity.identity && remark.text == problem
      }
      if isTold { return }
    }
    remark(stage, entity, problem)
  }

  private mutating func remark(
    _ stage: Int, _ entity: ChangingEntity?, _ text: String, isError: Bool = true
  ) {
    if isError { errorCount += 1 }
    guard remarks.count < Self.largestRemarkCount else {
      furtherRemarkCount += 1
      return
    }
    var kind: EntityKind?
    var identity = Identity(high: 0, low: 0)
    if let entity { (kind, identity) = (entity.kind, entity.identity) }
    remarks.append(
      Remark(
        step: stages[stage].step.id, kind: kind, identity: identity, isError: isError, text: text))
  }
}
