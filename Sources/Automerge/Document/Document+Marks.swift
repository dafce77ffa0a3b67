extension Document {
  // MARK: Marks

  /// Puts a named value on a range of a text; a null value takes it away there.
  public func mark(
    obj: ObjId, start: UInt64, end: UInt64, expand: ExpandMark, name: String, value: ScalarValue
  ) throws {
    try edit { state, author throws(DocError) in
      let text = try state.resolve(obj) { $0 == .text }
      let (start, end) = (try Int(checking: start), try Int(checking: end))
      guard start <= end else { throw DocError(reason: .invalidRange) }
      try state.mark(text, start..<end, expand: expand, name: name, value: value, by: author)
    }
  }

  /// Returns the marks of a text by name, then start.
  public func marks(obj: ObjId) throws -> [Mark] {
    try read { state throws(DocError) in
      state.marks(of: try state.resolve(obj) { $0 == .text }, at: nil)
    }
  }

  /// Returns the marks a text had at `heads`.
  public func marksAt(obj: ObjId, heads: Set<ChangeHash>) throws -> [Mark] {
    try read(at: heads) { state, view throws(DocError) in
      state.marks(of: try state.resolve(obj) { $0 == .text }, at: view)
    }
  }

  /// Returns the marks on one position of a text; each result starts and ends there.
  public func marksAt(obj: ObjId, position: Position) throws -> [Mark] {
    try marksAt(obj: obj, position: position, heads: heads())
  }

  /// Returns the marks that one position of a text had at `heads`.
  public func marksAt(
    obj: ObjId, position: Position, heads: Set<ChangeHash>
  ) throws -> [Mark] {
    try read(at: heads) { state, view throws(DocError) in
      let text = try state.resolve(obj) { $0 == .text }
      let index =
        switch position {
        case .index(let index): try Int(checking: index)
        case .cursor(let cursor): try state.position(of: cursor, in: text, at: view)
        }
      return state.marks(of: text, on: index, at: view)
    }
  }

  // MARK: Cursors

  /// Returns a cursor on a position of a list or text; beyond the end, one that stays at the end.
  public func cursor(obj: ObjId, position: UInt64) throws -> Cursor {
    try read { state throws(DocError) in
      state.cursor(
        in: try state.resolve(obj) { $0.isSequence }, at: Int(clamping: position), nil)
    }
  }

  /// Returns a cursor on a position that a list or text had at `heads`.
  public func cursor(
    obj: ObjId, position: UInt64, heads: Set<ChangeHash>
  ) throws -> Cursor {
    try read(at: heads) { state, view throws(DocError) in
      state.cursor(
        in: try state.resolve(obj) { $0.isSequence }, at: Int(clamping: position), view)
    }
  }

  /// Returns where a cursor is now.
  public func position(obj: ObjId, cursor: Cursor) throws -> UInt64 {
    try read { state throws(DocError) in
      UInt64(
        try state.position(
          of: cursor, in: try state.resolve(obj) { $0.isSequence }, at: nil))
    }
  }

  /// Returns where a cursor was at `heads`.
  public func position(
    obj: ObjId, cursor: Cursor, heads: Set<ChangeHash>
  ) throws -> UInt64 {
    try read(at: heads) { state, view throws(DocError) in
      UInt64(
        try state.position(
          of: cursor, in: try state.resolve(obj) { $0.isSequence }, at: view))
    }
  }
}
