public import Automerge

/// Deeper documents have no tree: describing, comparing or even releasing it would use up the stack
/// of a thread.
private let depthLimit = 128

extension Document {
  /// Returns the whole document as a tree.
  ///
  /// - Throws: If the document is more than 128 levels deep.
  public func schema() throws -> AutomergeValue { try parseToSchema(self, from: .ROOT) }

  /// Returns an object of a document, and all that is in it, as a tree.
  ///
  /// - Throws: `DocError` for an object that is not in the document; also if the document is more
  ///   than 128 levels deep.
  public func parseToSchema(_ doc: Document, from objId: ObjId) throws -> AutomergeValue {
    try doc.tree(try doc.asValue(objId), depth: 0)
  }

  private func tree(_ value: Value, depth: Int) throws -> AutomergeValue {
    guard depth <= depthLimit else { throw NestingError(depthLimit: depthLimit) }
    // Loops rather than closures, which would take most of the stack that a level needs.
    switch value {
    case .Scalar(let scalar): return .scalar(scalar)
    case .Object(let object, .Text): return .text(try text(obj: object))
    case .Object(let object, .List):
      var elements: [AutomergeValue] = []
      for value in try values(obj: object) { elements.append(try tree(value, depth: depth + 1)) }
      return .array(elements)
    case .Object(let object, .Map):
      var members: [String: AutomergeValue] = [:]
      // Two keys can be equal as strings and differ in their bytes; the later one is shown.
      for (key, value) in try mapEntries(obj: object) {
        members[key] = try tree(value, depth: depth + 1)
      }
      return .dict(members)
    }
  }

  /// Returns an object with its type.
  ///
  /// `objectType(obj:)` takes an object of another document for a mistake of the programmer; here
  /// it is an error.
  private func asValue(_ object: ObjId) throws -> Value {
    _ = try values(obj: object)
    return .Object(object, objectType(obj: object))
  }
}
