extension Document {
  /// Returns the object at a path like `notes.[3]`, or nil if there is a scalar or nothing.
  ///
  /// - Throws: `PathParseError` for a path that cannot be read, `CodingKeyLookupError` for one that
  ///   leads through something that is missing or contains nothing.
  public func lookupPath(path: String) throws -> ObjId? {
    let keys = try AnyCodingKey.parsePath(path)
    if keys.isEmpty { return .ROOT }
    if case .Object(let object, _) = try find(keys).value { return object }
    return nil
  }
}
