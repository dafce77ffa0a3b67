import Automerge

/// One actor's copy of a document as a plain set of changes and what it has not committed yet.
///
/// The oracle of the engine: every question is answered by looking at all operations again. It
/// follows the specification only and shares nothing with the engine.
struct ModelReplica {
  var actor: ActorId
  /// The unit of text indexes.
  var encoding: TextEncoding
  /// The changes whose dependencies are all here.
  private(set) var changes: [ModelChange.ID: ModelChange] = [:]
  /// The changes that wait for others.
  private(set) var waiting: [ModelChange.ID: ModelChange] = [:]
  /// Whether the actor uses another program, which writes what our calls do not: values and
  /// objects in the middle of texts.
  var isForeign = false
  /// No operation of this replica gets a counter up to this one.
  var counterFloor: UInt64 = 0
  /// What the actor did since the last commit.
  private(set) var pending: [ModelOperation] = []

  init(actor: ActorId, encoding: TextEncoding = .unicodeScalar) {
    self.actor = actor
    self.encoding = encoding
  }

  // MARK: Reading

  /// All operations as readers see them now.
  var view: ModelView { ModelView(changes.values.flatMap(\.operations) + pending) }

  /// The operations as they were at `heads`.
  func view(at heads: Set<ModelChange.ID>) -> ModelView {
    ModelView(ancestors(of: heads).flatMap { changes[$0]?.operations ?? [] })
  }

  /// The changes that no other builds on.
  var heads: Set<ModelChange.ID> {
    Set(changes.keys).subtracting(changes.values.flatMap(\.dependencies))
  }

  /// Returns the changes that `heads` are made of, themselves included; unknown ones are none.
  func ancestors(of heads: Set<ModelChange.ID>) -> Set<ModelChange.ID> {
    var found: Set<ModelChange.ID> = []
    var rest = Array(heads)
    while let id = rest.popLast() {
      guard let change = changes[id], found.insert(id).inserted else { continue }
      rest += change.dependencies
    }
    return found
  }

  // MARK: Committing

  /// The id of the next operation (format.md 6.1).
  var nextID: ModelOperation.ID {
    let all = changes.values.lazy.flatMap(\.operations).map(\.id.counter)
    let last = max(all.max() ?? 0, pending.last?.id.counter ?? 0, counterFloor)
    return ModelOperation.ID(counter: last + 1, actor: actor)
  }

  mutating func append(_ operation: ModelOperation) { pending.append(operation) }

  /// Makes a change of what is pending; of nothing, none unless an empty one is wanted.
  @discardableResult
  mutating func commit(
    message: String = "", time: Int64 = 0, allowingEmpty: Bool = false
  ) -> ModelChange? {
    guard allowingEmpty || !pending.isEmpty else { return nil }
    let sequence = UInt64(changes.keys.count { $0.actor == actor })
    var dependencies = heads
    // The own last change is named even if others build on it (format.md 6.1).
    if sequence > 0 { dependencies.insert(ModelChange.ID(actor: actor, sequence: sequence)) }
    let change = ModelChange(
      id: ModelChange.ID(actor: actor, sequence: sequence + 1), dependencies: dependencies,
      startCounter: (pending.first?.id ?? nextID).counter, time: time, message: message,
      operations: pending)
    changes[change.id] = change
    pending = []
    return change
  }

  // MARK: Exchange

  /// Takes changes in any order; those whose dependencies are missing wait (format.md 6.5).
  mutating func receive(_ arriving: some Sequence<ModelChange>) {
    for change in arriving where changes[change.id] == nil { waiting[change.id] = change }
    while let ready = waiting.values.first(where: { change in
      change.dependencies.allSatisfy { changes[$0] != nil }
    }) {
      changes[ready.id] = ready
      waiting[ready.id] = nil
    }
  }

  mutating func merge(_ other: ModelReplica) { receive(other.changes.values) }

  /// Returns a copy of what is committed for another actor.
  func fork(actor: ActorId) -> ModelReplica {
    var fork = self
    fork.actor = actor
    fork.pending = []
    return fork
  }

  /// Returns a copy as it was at `heads`, where nothing waits.
  func fork(at heads: Set<ModelChange.ID>, actor: ActorId) -> ModelReplica {
    var fork = ModelReplica(actor: actor, encoding: encoding)
    let wanted = ancestors(of: heads)
    fork.changes = changes.filter { wanted.contains($0.key) }
    return fork
  }
}
