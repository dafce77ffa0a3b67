public import Automerge

/// Deeper documents have no tree: even releasing one would use up the stack.
private let depthLimit = 512

extension Document {
  /// Returns the whole document as a tree.
  ///
  /// - Throws: If the document is more than 512 levels deep.
  public func schema() throws -> AutomergeValue { try parseToSchema(self, from: .ROOT) }

  /// Returns an object of a document, and all that is in it, as a tree.
  ///
  /// - Throws: `DocError` for an object that is not in the document; also if the document is more
  ///   than 512 levels deep.
  public func parseToSchema(_ doc: Document, from objId: ObjId) throws -> AutomergeValue {
    try doc.tree(try doc.asValue(objId), depth: 0)
  }

  private func tree(_ value: Value, depth: Int) throws -> AutomergeValue {
    guard depth <= depthLimit else { throw NestingError(depthLimit: depthLimit) }
    switch value {
    case .Scalar(let scalar): return .scalar(scalar)
    case .Object(let object, .Text): return .text(try text(obj: object))
    case .Object(let object, .List):
      return .array(try values(obj: object).map { try tree($0, depth: depth + 1) })
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
