import Automerge

/// An element of a list or text, seen or not, or one edge of a mark.
struct ModelElement {
  let insert: ModelOperation
  /// The visible operations on the element, ascending: the last one wins.
  let values: [ModelOperation]

  var id: ModelOperation.ID { insert.id }
  var isPresent: Bool { !values.isEmpty }

  /// The text the element contributes (format.md 5.7).
  var text: [UInt8] {
    guard let winner = values.last else { return [] }
    let isString = winner.action == .set && winner.value.isString
    return isString ? winner.value.bytes : Array("\u{fffc}".utf8)
  }

  /// How many units the element takes: nil counts elements, as lists do.
  func width(in encoding: TextEncoding?) -> Int {
    guard isPresent else { return 0 }
    guard let encoding else { return 1 }
    let text = String(decoding: text, as: UTF8.self)
    return switch encoding {
    case .unicodeScalar: text.unicodeScalars.count
    case .utf8: text.utf8.count
    case .utf16: text.utf16.count
    case .graphemeCluster: text.count
    }
  }
}
