import Automerge

/// One operation as the specification describes it (format.md 5).
struct ModelOperation: Hashable {
  /// `counter@actor`; compared by the counter first.
  struct ID: Hashable, Comparable {
    var counter: UInt64
    var actor: ActorId

    static func < (left: ID, right: ID) -> Bool {
      if left.counter != right.counter { return left.counter < right.counter }
      return left.actor.bytes.lexicographicallyPrecedes(right.actor.bytes)
    }
  }

  enum Key: Hashable {
    /// A key of a map, by its bytes.
    case name([UInt8])
    /// The element acted on; of an insert, the element it goes after, nil for the front.
    case element(ID?)
  }

  enum Action: UInt8 {
    case makeMap, set, makeList, delete, makeText, increment, makeTable, mark

    var madeKind: ObjType? {
      switch self {
      case .makeMap, .makeTable: .Map
      case .makeList: .List
      case .makeText: .Text
      case .set, .delete, .increment, .mark: nil
      }
    }
  }

  var id: ID
  /// nil for the root.
  var object: ID?
  var key: Key
  var isInsert = false
  var action: Action
  var value = ModelScalar.null
  var predecessors: [ID] = []
  var expands = false
  /// Of the beginning of a mark; its end has none.
  var markName: [UInt8]?
}

extension ModelOperation.ID: CustomStringConvertible {
  var description: String { "\(counter)@\(hexadecimal(actor.bytes))" }
}

extension ModelOperation: CustomStringConvertible {
  var description: String {
    let place =
      switch key {
      case .name(let name): String(decoding: name, as: UTF8.self).debugDescription
      case .element(let element): element.map(\.description) ?? "head"
      }
    var text =
      "\(id) \(isInsert ? "insert " : "")\(action) in \(object.map(\.description) ?? "root")"
    text += " at \(place)"
    if action == .set || action == .increment || action == .mark { text += " \(value)" }
    if let markName { text += " named \(String(decoding: markName, as: UTF8.self))" }
    if expands { text += " expanding" }
    if !predecessors.isEmpty { text += " over \(predecessors)" }
    return text
  }
}
