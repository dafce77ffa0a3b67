package import Automerge
package import Runs

/// What is told about a document's state while it is walked through.
package protocol StateVisitor {
  /// Begins a map or list with that many entries.
  mutating func begin(_ kind: ObjectKind, count: Int)
  mutating func end(_ kind: ObjectKind)
  /// The key of the value that comes next, as a range of the document's pool.
  mutating func key(_ name: Range<Int>, valueCount: Int)
  /// The index of the value that comes next.
  mutating func index(_ index: Int, valueCount: Int)
  mutating func scalar(_ place: ScalarPlace)
  mutating func text(_ utf8: [UInt8])
  /// Begins what a text has beside its letters; called by walks that enter texts alone.
  mutating func beginText(_ utf8: [UInt8], _ marks: [Mark], count: Int)
  /// Says where in a text the value is that comes next.
  mutating func element(_ index: Int)
  /// Called between values, for visitors that pass their output on.
  mutating func pause() throws(MigrationError)
}

extension StateVisitor {
  package mutating func beginText(_ utf8: [UInt8], _ marks: [Mark], count: Int) { text(utf8) }
  package mutating func element(_ index: Int) {}
}

/// Walks through a document's state, depth first, with the path in an array of its own: documents
/// nest as deep as they like.
package struct StateWalk {
  package let document: DocumentState
  package let view: HistoricalView?
  /// Whether what a text has beside its letters is visited, too, between `beginText` and `end`: the
  /// elements that are no single string, each with all of its values, and so below them.
  package let entersTexts: Bool

  package init(document: DocumentState, view: HistoricalView?, entersTexts: Bool = false) {
    self.document = document
    self.view = view
    self.entersTexts = entersTexts
  }

  private struct Frame {
    let kind: ObjectKind
    let entries: [Entry]
    /// Of a text, where in it each of them is.
    var indexes: [Int] = []
    /// Whether it lies in a text, or is one.
    let isInText: Bool
    var next = 0
  }

  private struct Entry {
    /// The key's range of the pool; nil in a list.
    let name: Range<Int>?
    let value: DocumentValue
    let valueCount: Int
  }

  /// The root as a value.
  package static let root = DocumentValue(id: .root, content: .object(.map))

  /// Visits a value and everything below it that readers see.
  package func visit<Visitor: StateVisitor>(
    _ value: DocumentValue = root, with visitor: inout Visitor
  ) throws(MigrationError) {
    var stack: [Frame] = []
    open(value, &stack, &visitor)
    while let top = stack.indices.last {
      let next = stack[top].next
      guard next < stack[top].entries.count else {
        visitor.end(stack[top].kind)
        stack.removeLast()
        continue
      }
      let entry = stack[top].entries[next]
      if let name = entry.name {
        visitor.key(name, valueCount: entry.valueCount)
      } else if stack[top].kind == .text {
        visitor.element(stack[top].indexes[next])
      } else {
        visitor.index(next, valueCount: entry.valueCount)
      }
      stack[top].next += 1
      open(entry.value, &stack, &visitor)
      try visitor.pause()
    }
  }

  private func open<Visitor: StateVisitor>(
    _ value: DocumentValue, _ stack: inout [Frame], _ visitor: inout Visitor
  ) {
    switch value.content {
    case .scalar(let place):
      visitor.scalar(place)
    case .object(.text) where entersTexts:
      let (entries, indexes) = entries(ofText: value.id)
      visitor.beginText(
        document.textBytes(of: value.id, at: view), document.marks(of: value.id, at: view),
        count: entries.count)
      stack.append(Frame(kind: .text, entries: entries, indexes: indexes, isInText: true))
    case .object(.text):
      visitor.text(document.textBytes(of: value.id, at: view))
    case .object(let kind):
      let isInText = stack.last?.isInText ?? false
      let entries = entries(of: value.id, kind, withAllValues: isInText)
      visitor.begin(kind, count: entries.count)
      stack.append(Frame(kind: kind, entries: entries, isInText: isInText))
    }
  }

  /// The elements of a text that are more than a string.
  private func entries(ofText object: OpID) -> (entries: [Entry], indexes: [Int]) {
    var entries: [Entry] = []
    var indexes: [Int] = []
    var index = 0
    document.forEachElement(of: object, at: view) { _, group in
      defer { index += 1 }
      guard let (winner, count) = document.winnerAndCount(in: group, at: view) else { return }
      if count == 1, winner.isString { return }
      for value in document.values(in: group, at: view) {
        entries.append(Entry(name: nil, value: value, valueCount: count))
        indexes.append(index)
      }
    }
    return (entries, indexes)
  }

  private func entries(
    of object: OpID, _ kind: ObjectKind, withAllValues isWhole: Bool
  ) -> [Entry] {
    var entries: [Entry] = []
    func add(_ name: Range<Int>?, _ group: ValueGroup) {
      guard let (winner, count) = document.winnerAndCount(in: group, at: view) else { return }
      if entries.isEmpty { entries.reserveCapacity(8) }
      if isWhole, count > 1 {
        for value in document.values(in: group, at: view) {
          entries.append(Entry(name: name, value: value, valueCount: count))
        }
      } else {
        entries.append(Entry(name: name, value: winner, valueCount: count))
      }
    }
    if kind == .map {
      document.forEachKey(of: object) { name, group in add(name, group) }
    } else {
      document.forEachElement(of: object, at: view) { _, group in add(nil, group) }
    }
    return entries
  }
}

extension DocumentValue {
  /// Whether it is a string, as the letters of a text are.
  package var isString: Bool {
    if case .scalar(let place) = content { place.type == .string } else { false }
  }
}
