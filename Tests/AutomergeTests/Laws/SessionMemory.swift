import Automerge

/// Heads of the past with what the document read at the time.
struct SessionMemory {
  var heads: Set<ModelChange.ID>
  var replica: Int
  /// The unit the text was counted in.
  var encoding: TextEncoding
  var reads: [String]
}

/// A cursor of the past with what it was put on.
struct SessionCursor {
  var object: ModelOperation.ID
  var element: ModelOperation.ID
  /// The operation that was the value of the element at the time.
  var operation: ModelOperation.ID
  var cursor: Cursor
}
