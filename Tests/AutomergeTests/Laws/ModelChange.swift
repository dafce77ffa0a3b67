import Automerge

/// One change: who made it, what it builds on, what it does.
struct ModelChange: Equatable {
  /// An actor numbers its changes from 1, so this names a change in every replica.
  struct ID: Hashable, CustomStringConvertible {
    var actor: ActorId
    var sequence: UInt64

    var description: String { "change \(sequence) of \(actor)" }
  }

  var id: ID
  var dependencies: Set<ID>
  var startCounter: UInt64
  var time: Int64 = 0
  var message = ""
  var operations: [ModelOperation]

  /// Swift's strings are equal if they look alike; messages only if their bytes are.
  static func == (left: ModelChange, right: ModelChange) -> Bool {
    left.id == right.id && left.dependencies == right.dependencies
      && left.startCounter == right.startCounter && left.time == right.time
      && left.message.utf8.elementsEqual(right.message.utf8)
      && left.operations == right.operations
  }
}
