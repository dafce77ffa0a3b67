import SafeFiles

// What stays of a file of a declared kind when its entities are out of it: everything else, byte for
// byte. Where they were is an empty list, a map of the members that are none, or null.
extension EntityBatch {
  /// Whether the file holds no entity and nothing that should be one, but something besides: what a
  /// clean-up leaves, or an app writes before its first entity.
  package var isRest: Bool { holdsRest && isComplete && entities.isEmpty }

  /// Returns the file without its entities; nil if nothing stays of it, or if a reader would find
  /// something else in that than what stays.
  package func rest() -> [UInt8]? {
    guard holdsRest, let declared, let pointer = declared.home.content.pointer else { return nil }
    let (node, isThere) = value(at: pointer)
    guard isThere else { return nil }
    let range = tape.sourceRange(of: node)
    var rest = Array(tape.text[..<range.lowerBound])
    switch declared.home.content {
    case .elements: rest += "[]".utf8
    case .members: appendRest(ofMap: node, range, of: declared.home, to: &rest)
    case .entity, .value: rest += "null".utf8
    }
    rest += tape.text[range.upperBound..<tape.sourceByteCount]
    var check = EntityBatch(kinds: kinds)
    check.load(rest, as: declared.kind, path: .folder)
    return check.isRest ? rest : nil
  }

  /// Appends a map without its entities. What was between a member that stays and the one before it,
  /// but for the comma, stays with it.
  private func appendRest(
    ofMap map: Int, _ range: Range<Int>, of home: EntityHome, to rest: inout [UInt8]
  ) {
    rest.append(UInt8(ascii: "{"))
    var isEmpty = true
    var end = range.lowerBound + 1
    var member = map + 1
    while member < tape.node(after: map) {
      let upper = tape.sourceRange(of: member + 1).upperBound
      if home.staysInMap(tape.bytes(of: member)) {
        if !isEmpty { rest.append(UInt8(ascii: ",")) }
        let comma = tape.text[end..<tape.offset(of: member)].firstIndex(of: UInt8(ascii: ","))
        rest += tape.text[(comma.map { $0 + 1 } ?? end)..<upper]
        isEmpty = false
      }
      end = upper
      member = tape.node(after: member + 1)
    }
    rest += isEmpty ? [UInt8(ascii: "}")] : tape.text[end..<range.upperBound]
  }
}
