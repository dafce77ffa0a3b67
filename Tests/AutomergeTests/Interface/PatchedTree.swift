import Automerge
import Foundation

/// A document as a tree that patches are applied to, one after another; knows nothing of operations.
struct PatchedTree {
  /// A patch that does not fit the tree.
  struct Misfit: Error, CustomStringConvertible {
    let description: String
  }

  private enum Node {
    /// By the bytes of the keys.
    case map([[UInt8]: Value])
    case list([Value])
    /// An element for each scalar; what is no text is an object or U+FFFC.
    case text([Unicode.Scalar])
  }

  private var nodes: [ObjId: Node] = [.ROOT: .map([:])]

  init() {}

  mutating func apply(_ patches: [Patch]) throws {
    for patch in patches { try apply(patch) }
  }

  private mutating func apply(_ patch: Patch) throws {
    switch patch.action {
    case .Put(let object, let prop, let value):
      try expect(patch.path, leadsTo: object)
      try edit(object) { node throws(Misfit) in
        switch (node, prop) {
        case (.map(var entries), .Key(let key)):
          entries[Array(key.utf8)] = value
          node = .map(entries)
        case (.list(var elements), .Index(let index)) where index < elements.count:
          elements[Int(index)] = value
          node = .list(elements)
        default: throw Misfit(description: "\(patch)")
        }
      }
      create(value)
    case .Insert(let object, let index, let values):
      try expect(patch.path, leadsTo: object)
      try edit(object) { node throws(Misfit) in
        switch node {
        case .list(var elements) where index <= elements.count:
          elements.insert(contentsOf: values, at: Int(index))
          node = .list(elements)
        case .text(var scalars) where index <= scalars.count:
          scalars.insert(contentsOf: values.map { _ in "\u{fffc}" }, at: Int(index))
          node = .text(scalars)
        default: throw Misfit(description: "\(patch)")
        }
      }
      values.forEach { create($0) }
    case .SpliceText(let object, let index, let value, _):
      try expect(patch.path, leadsTo: object)
      try edit(object) { node throws(Misfit) in
        guard case .text(var scalars) = node, index <= scalars.count else {
          throw Misfit(description: "\(patch)")
        }
        scalars.insert(contentsOf: Array(value.unicodeScalars), at: Int(index))
        node = .text(scalars)
      }
    case .Increment(let object, let prop, let amount):
      try expect(patch.path, leadsTo: object)
      try edit(object) { node throws(Misfit) in
        switch (node, prop) {
        case (.map(var entries), .Key(let key)):
          entries[Array(key.utf8)] = try Self.increment(entries[Array(key.utf8)], by: amount)
          node = .map(entries)
        case (.list(var elements), .Index(let index)) where index < elements.count:
          elements[Int(index)] = try Self.increment(elements[Int(index)], by: amount)
          node = .list(elements)
        default: throw Misfit(description: "\(patch)")
        }
      }
    case .DeleteMap(let object, let key):
      try expect(patch.path, leadsTo: object)
      try edit(object) { node throws(Misfit) in
        guard case .map(var entries) = node, entries.removeValue(forKey: Array(key.utf8)) != nil
        else { throw Misfit(description: "\(patch)") }
        node = .map(entries)
      }
    case .DeleteSeq(let gone):
      try expect(patch.path, leadsTo: gone.obj)
      try edit(gone.obj) { node throws(Misfit) in
        let range = Int(gone.index)..<Int(gone.index + gone.length)
        switch node {
        case .list(var elements) where range.upperBound <= elements.count && !range.isEmpty:
          elements.removeSubrange(range)
          node = .list(elements)
        case .text(var scalars) where range.upperBound <= scalars.count && !range.isEmpty:
          scalars.removeSubrange(range)
          node = .text(scalars)
        default: throw Misfit(description: "\(patch)")
        }
      }
    case .Marks(let object, let marks):
      try expect(patch.path, leadsTo: object)
      guard case .text(let scalars) = nodes[object],
        marks.allSatisfy({ $0.start < $0.end && $0.end <= scalars.count })
      else { throw Misfit(description: "\(patch)") }
    case .Conflict(let object, _):
      try expect(patch.path, leadsTo: object)
    }
  }

  private static func increment(_ value: Value?, by amount: Int64) throws(Misfit) -> Value {
    guard case .Scalar(.Counter(let count)) = value else {
      throw Misfit(description: "\(amount) is added to what is no counter")
    }
    return .Scalar(.Counter(count &+ amount))
  }

  /// Makes an object that a value is; one that was there before starts anew.
  private mutating func create(_ value: Value) {
    guard case .Object(let object, let kind) = value else { return }
    switch kind {
    case .Map: nodes[object] = .map([:])
    case .List: nodes[object] = .list([])
    case .Text: nodes[object] = .text([])
    }
  }

  private mutating func edit(
    _ object: ObjId, _ body: (inout Node) throws(Misfit) -> Void
  ) throws {
    guard var node = nodes[object] else {
      throw Misfit(description: "\(object) was never announced")
    }
    try body(&node)
    nodes[object] = node
  }

  /// Expects that a path begins at the root and that each of its containers exists. The values it
  /// passes are not checked: its indexes are those of the end.
  private func expect(_ path: [PathElement], leadsTo object: ObjId) throws {
    guard path.first?.obj ?? .ROOT == .ROOT, path.isEmpty == (object == .ROOT),
      path.allSatisfy({ nodes[$0.obj] != nil })
    else { throw Misfit(description: "\(path) does not lead to \(object)") }
  }

  // MARK: Rendering

  func state() -> JSONTree { tree(.Object(.ROOT, .Map)) }

  private func tree(_ value: Value) -> JSONTree {
    guard case .Object(let object, _) = value else { return TypedRendering.tree(value.scalar) }
    switch nodes[object] {
    case .map(let entries):
      return .object(
        entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
          .map { JSONTree.Member(name: $0.key, value: tree($0.value)) })
    case .list(let elements):
      return .array(elements.map(tree))
    case .text(let scalars):
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      return .object(["$text": .string(String(text))])
    case nil:
      return .null
    }
  }
}
