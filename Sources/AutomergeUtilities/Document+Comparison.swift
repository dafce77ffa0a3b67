public import Automerge

extension Document {
  /// Whether the document has no content; it may have a history.
  public func isEmpty() throws -> Bool { length(obj: .ROOT) == 0 }

  /// Whether two documents show the same content, whatever their histories and conflicts are.
  public func equivalentContents(_ anotherDoc: Document) -> Bool {
    // A stack of its own: how deep documents are is up to those who wrote them.
    var pairs: [(Value, Value)] = [(.Object(.ROOT, .Map), .Object(.ROOT, .Map))]
    while let (left, right) = pairs.popLast() {
      switch (left, right) {
      case (.Scalar(let left), .Scalar(let right)):
        if !left.isIdentical(to: right) { return false }
      case (.Object(let left, let type), .Object(let right, let other)) where type == other:
        // The objects have just been read from the documents, so reading them cannot fail.
        guard let parts = try? parts(of: left, type, and: right, in: anotherDoc) else {
          return false
        }
        pairs += parts
      default: return false
      }
    }
    return true
  }

  /// Returns the values to compare in two objects of one type, or nil if they differ already.
  private func parts(
    of left: ObjId, _ type: ObjType, and right: ObjId, in other: Document
  ) throws -> [(Value, Value)]? {
    switch type {
    case .Text:
      return try text(obj: left).utf8.elementsEqual(other.text(obj: right).utf8) ? [] : nil
    case .List:
      let (left, right) = (try values(obj: left), try other.values(obj: right))
      return left.count == right.count ? Array(zip(left, right)) : nil
    case .Map:
      let (left, right) = (try mapEntries(obj: left), try other.mapEntries(obj: right))
      let haveEqualKeys = left.elementsEqual(right) { one, two in
        one.0.utf8.elementsEqual(two.0.utf8)
      }
      return haveEqualKeys ? zip(left, right).map { one, two in (one.1, two.1) } : nil
    }
  }
}

extension ScalarValue {
  /// Whether two scalars are stored alike: equality of strings ignores how letters are composed, and
  /// not-a-number does not equal itself.
  fileprivate func isIdentical(to other: ScalarValue) -> Bool {
    switch (self, other) {
    case (.String(let left), .String(let right)): left.utf8.elementsEqual(right.utf8)
    case (.F64(let left), .F64(let right)): left.bitPattern == right.bitPattern
    default: self == other
    }
  }
}
