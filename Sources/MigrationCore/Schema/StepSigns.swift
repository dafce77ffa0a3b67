import Automerge
import FolderDocuments
import Folders
import SchemaMigrations

/// What shows in an entity that a step has not seen it: a property is there that the step takes away, or
/// none is of those that it gives. Where it rewrites properties in their places only their values show it.
struct StepSigns: Sendable {
  private struct Sign: Sendable {
    /// What is taken away: that shows an entity that the step has not seen, unless it puts it together with others.
    var taken: [[UInt8]] = []
    var gone: [[UInt8]] = []
    /// Likewise what entities have that the step, or one behind it, makes.
    var goneUnlessMade: [[UInt8]] = []
    var given: [[UInt8]] = []
    var rewritten: [[UInt8]] = []
  }

  private let steps: [EntityStep]
  private let kinds: EntityKinds
  /// The steps that were done: one that runs behind another may have written what that one would change.
  private var done: Set<MigrationID> = []
  /// By the step's number, then by the kind's.
  private let signs: [[Sign]]
  /// The steps that make entities, in order, by the number of their kind.
  private let makers: [[(place: Int, id: String)]]
  /// The identities of all entities that steps make of a kind, by its number; nil if one of them is not
  /// written in the plan.
  private let madeIdentities: [Set<Identity>?]

  /// Looks at steps. What a later one gives again, or takes away, says nothing of an earlier one.
  init(_ steps: [EntityStep], of kinds: EntityKinds) {
    (self.steps, self.kinds) = (steps, kinds)
    let names = kinds.all.map { kinds.name(of: $0) }
    makers = names.map { kind in
      steps.enumerated().filter { _, step in
        step.creations.contains { $0.kind.utf8.elementsEqual(kind.utf8) }
      }.map { ($0, $1.id.rawValue) }
    }
    madeIdentities = kinds.all.map { kind in
      let name = kinds.name(of: kind)
      let creations = steps.flatMap(\.creations).filter {
        $0.kind.utf8.elementsEqual(name.utf8)
      }
      let identities = creations.map { creation -> Identity? in
        guard case .constant(let value) = creation.identity, let text = value.text else {
          return nil
        }
        return kinds.identity(Array(text.utf8).span, of: kind)
      }
      return identities.contains(nil) ? nil : Set(identities.compactMap(\.self))
    }
    signs = steps.indices.map { number in
      names.map { kind in
        let taken = steps.goneProperties(after: number, of: kind).map { Array($0.utf8) }
        // What is put together of many needs all of them.
        guard steps[number].folds.isEmpty else { return Sign(taken: taken) }
        let given = steps[number].givenProperties(of: kind).filter { name in
          !steps[(number + 1)...].contains { $0.removedProperties(of: kind).contains(name) }
        }
        let isMade = { (name: [UInt8]) in
          steps[number...].contains { $0.makes(String(decoding: name, as: UTF8.self), of: kind) }
        }
        return Sign(
          taken: taken, gone: taken.filter { !isMade($0) }, goneUnlessMade: taken.filter(isMade),
          given: given.map { Array($0.utf8) },
          rewritten: steps[number].rewrittenProperties(of: kind).map { Array($0.utf8) })
      }
    }
  }

  /// The same, where some steps were done.
  func knowing(_ done: some Sequence<MigrationID>) -> StepSigns {
    var signs = self
    signs.done = Set(done)
    return signs
  }

  /// The names of the steps before a step.
  func ids(before step: Int) -> Set<String> { Set(steps[..<step].map(\.id.rawValue)) }

  /// Whether a step, or one behind it that was done, may have written a value that it would change.
  func mayHaveWritten(
    _ value: MigrationValue, to property: [UInt8], of kind: EntityKind, by step: Int
  ) -> Bool {
    let name = kinds.name(of: kind)
    return steps.indices[step...].contains { other in
      (other == step || done.contains(steps[other].id))
        && steps[other].mayHaveGiven(value, to: property, of: name, isBehind: other > step)
    }
  }

  /// Whether an entity of a document shows that a step has not seen it.
  ///
  /// - Parameter isMade: whether a step has made it, which gave it what it has.
  func show(
    _ map: OpID, of kind: EntityKind, notSeenBy step: Int, isMade: Bool,
    in document: DocumentState
  ) -> Bool {
    let sign = signs[step][Int(kind.index)]
    let isNull = { document.value(of: map, key: $0).map(\.isNull) }
    if Self.holdsAny(sign.gone, isNull) { return true }
    return !isMade
      && (Self.holdsAny(sign.goneUnlessMade, isNull) || Self.lacksAll(sign.given, isNull))
  }

  /// What an entity of a file shows of a step that would change it.
  enum Evidence: Hashable {
    case none
    /// The step has not seen it.
    case shown
    /// It has what the step takes away, beside what the step gives, if that gives anything: the step has not seen
    /// it, or somebody wrote that again.
    case again
    /// The step would change the values of these properties once and not again, and has not written all of them
    /// itself.
    case values([[UInt8]])
    /// Likewise, but it may have written all of them.
    case own([[UInt8]])
  }

  /// Returns what an entity of a file shows of a step that has not seen it, and would change it.
  func evidence(
    in entity: ChangingEntity, notSeenBy step: Int, _ stage: StepStage
  ) -> Evidence {
    let sign = signs[step][Int(entity.kind.index)]
    let isNull = { entity.fields.value(named: $0, of: entity.tape).map { $0 == .null } }
    var shown: Evidence =
      Self.holdsAny(sign.gone + sign.goneUnlessMade, isNull) ? .again : .none
    if Self.lacksAll(sign.given, isNull) { shown = .shown }
    if shown != .shown {
      switch rewriting(of: entity, by: step, stage) {
      case .types: shown = .shown
      case .values(let names) where shown == .none: return .values(names)
      case .own(let names) where shown == .none: return .own(names)
      case .none, .values, .own: break
      }
    }
    return shown != .none && entity.isChangedInJSON(by: stage) ? shown : .none
  }

  /// Whether a step may make an entity of this identity; nil if no plan writes the identities.
  func mayMake(_ identity: Identity, of kind: EntityKind) -> Bool? {
    madeIdentities[Int(kind.index)]?.contains(identity)
  }

  /// The names of the steps that make entities of a kind, from a step on: what one before it makes is not
  /// as after it.
  func makers(of kind: EntityKind, from step: Int) -> Set<String> {
    Set(makers[Int(kind.index)].lazy.filter { $0.place >= step }.map(\.id))
  }

  /// The names of the steps before a step that make entities of a kind.
  func makers(of kind: EntityKind, before step: Int) -> Set<String> {
    Set(makers[Int(kind.index)].lazy.filter { $0.place < step }.map(\.id))
  }

  /// The properties of a kind that steps before a step give, or rewrite in their places.
  func written(of kind: EntityKind, before step: Int) -> [[UInt8]] {
    signs[..<step].flatMap { $0[Int(kind.index)].given + $0[Int(kind.index)].rewritten }
  }

  /// The properties of a kind that a step rewrites in their places.
  func rewritten(of kind: EntityKind, by step: Int) -> [[UInt8]] {
    signs[step][Int(kind.index)].rewritten
  }

  /// Whether an entity of a document has a property that a step takes away.
  func show(_ map: OpID, of kind: EntityKind, whatIsGoneAfter step: Int, in document: DocumentState)
    -> Bool
  {
    Self.holdsAny(signs[step][Int(kind.index)].taken) {
      document.value(of: map, key: $0).map(\.isNull)
    }
  }

  /// Whether one of some properties is there, and not null.
  ///
  /// - Parameter isNull: says whether the value of one is null; nil if it is absent.
  private static func holdsAny(_ names: [[UInt8]], _ isNull: ([UInt8]) -> Bool?) -> Bool {
    names.contains { isNull($0) == false }
  }

  /// Whether there are such properties, and none is there, null or not.
  private static func lacksAll(_ names: [[UInt8]], _ isNull: ([UInt8]) -> Bool?) -> Bool {
    !names.isEmpty && names.allSatisfy { isNull($0) == nil }
  }
}
