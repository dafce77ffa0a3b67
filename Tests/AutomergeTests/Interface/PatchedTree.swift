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
    /// In units of the text encoding; what is no string is U+FFFC.
    case text([UInt32])
  }

  private let textEncoding: TextEncoding
  private var nodes: [ObjId: Node] = [.ROOT: .map([:])]

  /// - Parameter textEncoding: that of the patches, not grapheme clusters: where these end depends on
  ///   how a document cut the text into elements.
  init(textEncoding: TextEncoding = .unicodeScalar) { self.textEncoding = textEncoding }

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
      let replacement = values.flatMap { _ in units("\u{fffc}") }
      try edit(object) { node throws(Misfit) in
        switch node {
        case .list(var elements) where index <= elements.count:
          elements.insert(contentsOf: values, at: Int(index))
          node = .list(elements)
        case .text(var units) where index <= units.count:
          units.insert(contentsOf: replacement, at: Int(index))
          node = .text(units)
        default: throw Misfit(description: "\(patch)")
        }
      }
      values.forEach { create($0) }
    case .SpliceText(let object, let index, let value, _):
      try expect(patch.path, leadsTo: object)
      let added = units(value)
      try edit(object) { node throws(Misfit) in
        guard case .text(var units) = node, index <= units.count else {
          throw Misfit(description: "\(patch)")
        }
        units.insert(contentsOf: added, at: Int(index))
        node = .text(units)
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
        case .text(var units) where range.upperBound <= units.count && !range.isEmpty:
          units.removeSubrange(range)
          node = .text(units)
        default: throw Misfit(description: "\(patch)")
        }
      }
    case .Marks(let object, let marks):
      try expect(patch.path, leadsTo: object)
      guard case .text(let units) = nodes[object],
        marks.allSatisfy({ $0.start < $0.end && $0.end <= units.count })
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

  // MARK: Text

  private func units(_ text: String) -> [UInt32] {
    switch textEncoding {
    case .utf8: text.utf8.map(UInt32.init)
    case .utf16: text.utf16.map(UInt32.init)
    case .unicodeScalar, .graphemeCluster: text.unicodeScalars.map(\.value)
    }
  }

  private func string(_ units: [UInt32]) -> String {
    switch textEncoding {
    case .utf8:
      String(decoding: units.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    case .utf16:
      String(decoding: units.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
    case .unicodeScalar, .graphemeCluster:
      String(decoding: units, as: UTF32.self)
    }
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
    case .text(let units):
      return .object(["$text": .string(self.string(units))])
    case nil:
      return .null
    }
  }
}
