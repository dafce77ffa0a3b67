extension DocumentState {
  /// Deletes text and inserts other text in its place (format.md 5.7).
  ///
  /// An index inside an element of several units deletes from the start of the element on, and
  /// inserts behind it if nothing is deleted.
  mutating func spliceText(
    _ object: OpID, index: Int, delete count: Int, _ text: String, by author: ActorId
  ) throws(DocError) {
    let range = try spliceRange(index: index, delete: count)
    try expectRoom(bytes: text.utf8.count)
    var index = range.lowerBound
    if !range.isEmpty, let (_, offset) = operations.winner(at: index, of: object) {
      index -= offset
      try delete(object, index: index, count: range.upperBound - index, by: author)
    }
    guard !text.isEmpty else { return }
    let point = try insertionPoint(in: object, at: index)
    var rows = textRows(text, in: object)
    _ = try insert(&rows, after: point.reference, at: point.place, by: author)
  }

  /// Makes a text equal to another with few splices, each of whole grapheme clusters.
  mutating func updateText(
    _ object: OpID, to text: String, by author: ActorId
  ) throws(DocError) {
    try expectRoom(bytes: text.utf8.count)
    var oldBytes: [UInt8] = []
    let old = tokens(of: object, &oldBytes)
    let newBytes = [UInt8](text.utf8)
    var end = 0
    let new = text.map { character in
      defer { end += character.utf8.count }
      return end..<end + character.utf8.count
    }
    // By bytes: what is canonically equivalent is not the same text.
    let difference = SequenceDifference(from: old.count, to: new.count) { left, right in
      oldBytes.compare(old[left].bytes, to: newBytes, new[right]) == 0
    }
    var shift = 0
    for edit in difference.edits {
      let deleted = old[edit.old].reduce(0) { $0 + $1.width }
      let inserted =
        edit.new.isEmpty
        ? ""
        : String(
          decoding: newBytes[
            new[edit.new.lowerBound].lowerBound..<new[edit.new.upperBound - 1].upperBound],
          as: UTF8.self)
      let start =
        edit.old.lowerBound < old.count
        ? old[edit.old.lowerBound].index : old.last.map { $0.index + $0.width } ?? 0
      let length = operations.length(of: object)
      try spliceText(object, index: start + shift, delete: deleted, inserted, by: author)
      shift += operations.length(of: object) - length
    }
  }

  /// A part of a text that consists of whole elements and of whole grapheme clusters, the smallest
  /// there is: only such parts can be replaced without touching what stands beside them.
  private struct Token {
    let bytes: Range<Int>
    /// In units of the text encoding, like `width`.
    let index: Int
    let width: Int
  }

  private func tokens(of object: OpID, _ bytes: inout [UInt8]) -> [Token] {
    var elements: [(end: Int, width: Int)] = []
    forEachWinner(of: object, at: nil) { _, winner, width in
      operations.appendText(of: winner, to: &bytes)
      elements.append((bytes.count, width))
    }
    var tokens: [Token] = []
    var element = 0
    var clusterEnd = 0
    var (tokenStart, index, width) = (0, 0, 0)
    for character in String(decoding: bytes, as: UTF8.self) {
      clusterEnd += character.utf8.count
      while element < elements.count, elements[element].end <= clusterEnd {
        width += elements[element].width
        element += 1
      }
      let reached = element > 0 ? elements[element - 1].end : 0
      guard reached == clusterEnd else { continue }
      tokens.append(Token(bytes: tokenStart..<clusterEnd, index: index, width: width))
      index += width
      width = 0
      tokenStart = clusterEnd
    }
    return tokens
  }

  /// Returns rows that insert a text, an element for each scalar or grapheme cluster.
  private mutating func textRows(_ text: String, in object: OpID) -> [Operation] {
    var start = operations.pool.count
    operations.pool.append(contentsOf: text.utf8)
    var rows: [Operation] = []
    rows.reserveCapacity(text.utf8.count)
    func append(_ byteCount: Int) {
      var row = Operation(id: .root, object: object, action: .set)
      row.valueType = .string
      row.value = PoolRange(start..<start + byteCount)
      row.width = operations.width(of: row, in: .text)
      rows.append(row)
      start += byteCount
    }
    if operations.textEncoding == .graphemeCluster {
      for character in text { append(character.utf8.count) }
    } else {
      for scalar in text.unicodeScalars { append(UTF8.width(scalar)) }
    }
    return rows
  }

  /// Returns what an insert behind an element, or at the front, refers to and where its row goes:
  /// directly behind the element, but inside or outside of marks as these ask for (format.md 5.9).
  func insertionPoint(
    in object: OpID, after element: OpSet.Group?
  ) -> (reference: OpID, place: OpSet.Place) {
    let reference = element.map { operations[$0.start].id } ?? .root
    let first = element?.end ?? operations.start(of: object)
    var candidates = [(reference: reference, place: first, begin: OpID.root)]
    var place = first
    while place.page < operations.directory.count {
      if place.slot == 0, operations.directory.markCounts[place.page] == 0,
        operations.directory.visibleCounts[place.page] == 0,
        operations.directory.objects[place.page] == object
      {
        // Nothing but tombstones.
        place = OpSet.Place(page: place.page + 1, slot: 0)
        continue
      }
      let row = operations[place]
      guard row.object == object, !row.isVisible else { break }
      let next = operations.after(place)
      if row.action == .mark {
        let isEnd = !row.flags.contains(.markName)
        if isEnd,
          let match = candidates.lastIndex(where: { $0.begin.isBegin(ofMarkEndingAt: row.id) })
        {
          candidates.removeSubrange(match...)
        } else if isEnd != row.flags.contains(.expand) {
          candidates.append((row.id, next, isEnd ? .root : row.id))
        }
      }
      place = next
    }
    let last = candidates[candidates.count - 1]
    return (last.reference, last.place)
  }
}

extension OpID {
  /// The end of a mark directly follows its begin (format.md 5.9).
  func isBegin(ofMarkEndingAt end: OpID) -> Bool {
    !isRoot && raw == end.raw &- 1 &<< 32
  }
}
