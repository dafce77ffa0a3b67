/// Finds the nodes that JSON Pointers (RFC 6901) name on one tape.
///
/// Pointers that come in the order of the text cost no more than a walk over it: the resolver goes
/// on in each container where it was. Others cost more, up to a limit.
struct JSONPointerResolver {
  /// The number of nodes that may be looked at for all pointers of one tape.
  static let stepLimit = 1 << 26

  private struct Place {
    var child: Int
    var index: Int
  }

  private var places: [Int: Place] = [:]
  private var steps = 0

  /// Returns the value that `pointer`, a string node, names below `root`; `nil` if there is none.
  mutating func resolve(_ pointer: Int, below root: Int, on tape: JSONTape) -> Int? {
    var node = root
    let text = tape.bytes(of: pointer)
    guard text.first ?? UInt8(ascii: "/") == UInt8(ascii: "/") else { return nil }
    for token in text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .dropFirst()
    {
      guard let token = JSONPointer.unescape(token), let child = child(token, of: node, on: tape)
      else {
        return nil
      }
      node = child
    }
    return node
  }

  private mutating func child(_ token: [UInt8], of node: Int, on tape: JSONTape) -> Int? {
    switch tape.kind(of: node) {
    case .array: element(token, of: node, on: tape)
    case .object: member(token, of: node, on: tape)
    default: nil
    }
  }

  private mutating func element(_ token: [UInt8], of array: Int, on tape: JSONTape) -> Int? {
    guard token == [UInt8(ascii: "0")] || token.first != UInt8(ascii: "0"),
      let index = NameText.number(token.span, 0..<token.count), index < tape.childCount(of: array)
    else { return nil }
    var place = places[array] ?? Place(child: array + 1, index: 0)
    if place.index > index { place = Place(child: array + 1, index: 0) }
    while place.index < index {
      guard countStep() else { return nil }
      place.child = tape.node(after: place.child)
      place.index += 1
    }
    places[array] = place
    return place.child
  }

  private mutating func member(_ token: [UInt8], of object: Int, on tape: JSONTape) -> Int? {
    let end = tape.node(after: object)
    let start = places[object]?.child ?? object + 1
    var member = start
    for _ in 0..<tape.childCount(of: object) {
      guard countStep() else { return nil }
      if tape.isEqual(member, to: token) {
        places[object] = Place(child: member, index: 0)
        return member + 1
      }
      member = tape.node(after: member + 1)
      if member == end { member = object + 1 }
    }
    return nil
  }

  private mutating func countStep() -> Bool {
    steps += 1
    return steps <= Self.stepLimit
  }
}
