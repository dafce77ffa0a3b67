/// What an operation does (format.md 5.2).
package enum Action: UInt8, Sendable {
  case makeMap = 0
  case set
  case makeList
  case delete
  case makeText
  case increment
  case makeTable
  case mark

  /// The kind of object the action creates, if it creates one.
  package var madeObject: ObjectKind? {
    switch self {
    case .makeMap, .makeTable: .map
    case .makeList: .list
    case .makeText: .text
    case .set, .delete, .increment, .mark: nil
    }
  }
}

/// What an object is.
package enum ObjectKind: UInt8, Sendable {
  case map
  case list
  case text

  var makeAction: Action {
    switch self {
    case .map: .makeMap
    case .list: .makeList
    case .text: .makeText
    }
  }

  package var isSequence: Bool { self != .map }
}
