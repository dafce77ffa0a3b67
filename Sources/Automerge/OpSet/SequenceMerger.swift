/// Puts added operations into a list or text (format.md 5.5).
///
/// Elements form a tree: each was inserted after another, its parent. Children are in descending
/// order of their ids, and the sequence is the tree read depth first.
struct SequenceMerger {
  private struct Element {
    let id: OpID
    let parent: OpID
    /// The rows it has in the old list.
    let oldRows: Range<Int>
    /// Its insert operation if it is new, as an index of the added ones.
    let added: Int?
  }

  private let operations: [Operation]
  private let kind: ObjectKind
  private var elements: [Element] = []

  init(_ operations: [Operation], _ rows: Range<Int>, kind: ObjectKind) {
    self.operations = operations
    self.kind = kind
    var row = rows.lowerBound
    while row < rows.upperBound {
      var end = row + 1
      while end < rows.upperBound, !operations[end].isInsert { end += 1 }
      elements.append(
        Element(
          id: operations[row].id, parent: operations[row].element, oldRows: row..<end, added: nil))
      row = end
    }
  }

  /// Appends the merged list to `rows`.
  mutating func merge(
    _ added: [Operation], into rows: inout [Operation]
  ) throws(Misfit) {
    var updates: [Int] = []
    for (index, operation) in added.enumerated() {
      guard !operation.isMapOperation, operation.action != .mark || kind == .text else {
        throw Misfit(.wrongObjectKind, operation.id)
      }
      if operation.isInsert {
        elements.append(
          Element(id: operation.id, parent: operation.element, oldRows: 0..<0, added: index))
      } else {
        updates.append(index)
      }
    }
    let byID = elements.indices.sorted { elements[$0].id < elements[$1].id }
    updates.sort {
      added[$0].element == added[$1].element
        ? added[$0].id < added[$1].id : added[$0].element < added[$1].element
    }

    // Ascending ids, each put in front of its siblings: siblings come out descending. Index 0 is
    // the place before the first element.
    var firstChild = [Int32](repeating: -1, count: elements.count + 1)
    var nextSibling = [Int32](repeating: -1, count: elements.count)
    for index in byID {
      guard let parent = place(of: elements[index].parent, byID) else {
        throw Misfit(.unknownElement, elements[index].id)
      }
      nextSibling[index] = firstChild[parent]
      firstChild[parent] = Int32(index)
    }
    for index in updates where place(of: added[index].element, byID) == nil {
      throw Misfit(.unknownElement, added[index].id)
    }

    var pending = [firstChild[0]]
    while let top = pending.popLast() {
      guard top >= 0 else { continue }
      let index = Int(top)
      pending.append(nextSibling[index])
      pending.append(firstChild[index + 1])
      append(elements[index], updates, added, to: &rows)
    }
  }

  /// Returns 0 for the place before the first element, else one more than the element's index.
  private func place(of id: OpID, _ byID: [Int]) -> Int? {
    guard !id.isRoot else { return 0 }
    var low = 0
    var high = byID.count
    while low < high {
      let middle = (low &+ high) >> 1
      if elements[byID[middle]].id < id { low = middle &+ 1 } else { high = middle }
    }
    guard low < byID.count, elements[byID[low]].id == id else { return nil }
    return byID[low] + 1
  }

  /// Appends an element's insert and then everything done to it, ascending.
  private func append(
    _ element: Element, _ updates: [Int], _ added: [Operation], to rows: inout [Operation]
  ) {
    var old = element.oldRows.lowerBound
    if let index = element.added {
      rows.append(added[index])
    } else {
      rows.append(operations[old])
      old += 1
    }
    var low = 0
    var high = updates.count
    while low < high {
      let middle = (low &+ high) >> 1
      if added[updates[middle]].element < element.id { low = middle &+ 1 } else { high = middle }
    }
    while low < updates.count, added[updates[low]].element == element.id {
      let operation = added[updates[low]]
      while old < element.oldRows.upperBound, operations[old].id < operation.id {
        rows.append(operations[old])
        old += 1
      }
      rows.append(operation)
      low += 1
    }
    if old < element.oldRows.upperBound {
      rows.append(contentsOf: operations[old..<element.oldRows.upperBound])
    }
  }
}
