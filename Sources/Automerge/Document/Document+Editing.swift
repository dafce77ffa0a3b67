extension Document {
  // MARK: Maps

  /// Sets a key of a map; nothing happens if that is its only value already.
  ///
  /// - Throws: `DocError`, as all edits do, if the object is not in the document or of another kind.
  public func put(obj: ObjId, key: String, value: ScalarValue) throws {
    try edit { state, author throws(DocError) in
      let map = try state.resolve(obj) { $0 == .map }
      try state.put(map, key: key, .scalar(value), by: author)
    }
  }

  /// Sets a key of a map to a new empty object and returns it.
  public func putObject(obj: ObjId, key: String, ty: ObjType) throws -> ObjId {
    try edit { state, author throws(DocError) in
      let map = try state.resolve(obj) { $0 == .map }
      let id = try state.put(map, key: key, .object(ty.kind), by: author)
      return state.publicID(id ?? .root)
    }
  }

  /// Deletes a key of a map; a missing one is fine.
  public func delete(obj: ObjId, key: String) throws {
    try edit { state, author throws(DocError) in
      let map = try state.resolve(obj) { $0 == .map }
      try state.delete(map, key: key, by: author)
    }
  }

  /// Adds to the counter at a key, which must be one.
  public func increment(obj: ObjId, key: String, by: Int64) throws {
    try edit { state, author throws(DocError) in
      let map = try state.resolve(obj) { $0 == .map }
      try state.increment(map, key: key, by: by, author: author)
    }
  }

  // MARK: Lists

  /// Replaces an element of a list.
  public func put(obj: ObjId, index: UInt64, value: ScalarValue) throws {
    try edit { state, author throws(DocError) in
      let list = try state.resolve(obj) { $0 == .list }
      try state.put(list, index: try Int(checking: index), .scalar(value), by: author)
    }
  }

  /// Replaces an element of a list by a new empty object and returns it.
  public func putObject(obj: ObjId, index: UInt64, ty: ObjType) throws -> ObjId {
    try edit { state, author throws(DocError) in
      let list = try state.resolve(obj) { $0 == .list }
      let id = try state.put(list, index: try Int(checking: index), .object(ty.kind), by: author)
      return state.publicID(id ?? .root)
    }
  }

  /// Inserts a value into a list, at most at its end.
  public func insert(obj: ObjId, index: UInt64, value: ScalarValue) throws {
    try edit { state, author throws(DocError) in
      let list = try state.resolve(obj) { $0 == .list }
      try state.insert(list, index: try Int(checking: index), [.scalar(value)], by: author)
    }
  }

  /// Inserts a new empty object into a list and returns it.
  public func insertObject(obj: ObjId, index: UInt64, ty: ObjType) throws -> ObjId {
    try edit { state, author throws(DocError) in
      let list = try state.resolve(obj) { $0 == .list }
      let id = try state.insert(
        list, index: try Int(checking: index), [.object(ty.kind)], by: author)
      return state.publicID(id ?? .root)
    }
  }

  /// Deletes an element of a list, or the element of a text that an index falls on.
  public func delete(obj: ObjId, index: UInt64) throws {
    try edit { state, author throws(DocError) in
      let sequence = try state.resolve(obj) { $0.isSequence }
      let index = try Int(checking: index)
      guard let (_, offset) = state.operations.winner(at: index, of: sequence) else {
        throw DocError(reason: .indexOutOfRange)
      }
      try state.delete(sequence, index: index - offset, count: 1, by: author)
    }
  }

  /// Adds to the counter that an element of a list must be.
  public func increment(obj: ObjId, index: UInt64, by: Int64) throws {
    try edit { state, author throws(DocError) in
      let list = try state.resolve(obj) { $0 == .list }
      try state.increment(list, index: try Int(checking: index), by: by, author: author)
    }
  }

  /// Deletes elements of a list and inserts others in their place; a negative number deletes
  /// backwards from `start`. Without values nothing is done beyond the end.
  public func splice(obj: ObjId, start: UInt64, delete: Int64, values: [ScalarValue]) throws {
    try edit { state, author throws(DocError) in
      let list = try state.resolve(obj) { $0 == .list }
      try state.splice(
        list, index: Int(clamping: start), delete: Int(delete), values.map { .scalar($0) },
        by: author)
    }
  }

  // MARK: Texts

  /// Deletes text and inserts other text in its place; a negative number deletes backwards from
  /// `start`. Without a value nothing is done beyond the end.
  public func spliceText(
    obj: ObjId, start: UInt64, delete: Int64, value: String? = nil
  ) throws {
    try edit { state, author throws(DocError) in
      let text = try state.resolve(obj) { $0 == .text }
      try state.spliceText(
        text, index: Int(clamping: start), delete: Int(delete), value ?? "", by: author)
    }
  }

  /// Makes a text equal to `value` by the fewest edits of grapheme clusters.
  public func updateText(obj: ObjId, value: String) throws {
    try edit { state, author throws(DocError) in
      let text = try state.resolve(obj) { $0 == .text }
      try state.updateText(text, to: value, by: author)
    }
  }
}

extension Int {
  /// An index that no array could have is beyond the end of every object.
  init(checking index: UInt64) throws(DocError) {
    guard let exact = Int(exactly: index) else { throw DocError(reason: .indexOutOfRange) }
    self = exact
  }
}
