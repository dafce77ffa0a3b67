package import Automerge
package import Folders

/// Compares a JSON value, with everything in it, with a value of a document.
///
/// One value of this type compares value after value and keeps its storage.
package struct ValueComparison {
  /// The point of history to read at; nil is now.
  package var view: HistoricalView?

  /// The name nodes of the objects on the way to the value that is compared.
  private var names: [UInt32] = []

  package init() {}

  /// Returns whether readers of a value of a document see what a node says, its type included.
  ///
  /// It calls itself once for each level of the tape, which is limited.
  ///
  /// - Parameter declaredType: the type that a stream names for a node; nil if its JSON shows it.
  package mutating func isEqual(
    _ node: Int, on tape: JSONTape, _ value: DocumentValue, _ document: DocumentState,
    _ declaredType: (Int) -> StreamType? = { _ in nil }
  ) -> Bool {
    switch value.content {
    case .object(.map): isEqualMap(node, on: tape, value.id, document, declaredType)
    case .object(.list): isEqualList(node, on: tape, value.id, document, declaredType)
    case .object(.text):
      declaredType(node) == .text && isEqualText(node, on: tape, value.id, document)
    case .scalar(let place):
      ScalarComparison.isEqual(node, on: tape, as: declaredType(node), place, document)
    }
  }

  /// Returns whether a node is the string that a text object holds.
  package func isEqualText(
    _ node: Int, on tape: JSONTape, _ text: OpID, _ document: DocumentState
  ) -> Bool {
    tape.kind(of: node) == .string
      && tape.text.span.extracting(tape.range(of: node)).isEqual(
        to: document.textBytes(of: text, at: view).span)
  }

  private mutating func isEqualMap(
    _ node: Int, on tape: JSONTape, _ map: OpID, _ document: DocumentState,
    _ declaredType: (Int) -> StreamType?
  ) -> Bool {
    guard tape.kind(of: node) == .object else { return false }
    let first = names.count
    tape.appendSortedMembers(of: node, to: &names)
    let end = names.count
    var next = first
    var isEqual = true
    let pool = document.pool
    document.forEachKey(of: map) { key, group in
      guard isEqual, let value = document.winner(in: group, at: view) else { return }
      guard next < end,
        tape.text.span.extracting(tape.range(of: Int(names[next]))).isEqual(
          to: pool.span.extracting(key)),
        self.isEqual(Int(names[next]) + 1, on: tape, value, document, declaredType)
      else {
        isEqual = false
        return
      }
      next += 1
    }
    names.removeLast(names.count - first)
    return isEqual && next == end
  }

  private mutating func isEqualList(
    _ node: Int, on tape: JSONTape, _ list: OpID, _ document: DocumentState,
    _ declaredType: (Int) -> StreamType?
  ) -> Bool {
    guard tape.kind(of: node) == .array else { return false }
    var element = node + 1
    let end = tape.node(after: node)
    var isEqual = true
    document.forEachElement(of: list, at: view) { _, group in
      guard isEqual, element < end, let value = document.winner(in: group, at: view),
        self.isEqual(element, on: tape, value, document, declaredType)
      else {
        isEqual = false
        return
      }
      element = tape.node(after: element)
    }
    return isEqual && element == end
  }
}
