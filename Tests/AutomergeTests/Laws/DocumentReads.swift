import Automerge

/// The reads of a document, now or at heads, under one name each.
struct DocumentReads {
  let document: Document
  /// The point in history; nil for the present.
  var heads: Set<ChangeHash>?

  func value(_ object: ObjId, _ key: String) throws -> Value? {
    if let heads { return try document.getAt(obj: object, key: key, heads: heads) }
    return try document.get(obj: object, key: key)
  }

  func value(_ object: ObjId, _ index: Int) throws -> Value? {
    let index = UInt64(index)
    if let heads { return try document.getAt(obj: object, index: index, heads: heads) }
    return try document.get(obj: object, index: index)
  }

  func all(_ object: ObjId, _ key: String) throws -> Set<Value> {
    if let heads { return try document.getAllAt(obj: object, key: key, heads: heads) }
    return try document.getAll(obj: object, key: key)
  }

  func all(_ object: ObjId, _ index: Int) throws -> Set<Value> {
    let index = UInt64(index)
    if let heads { return try document.getAllAt(obj: object, index: index, heads: heads) }
    return try document.getAll(obj: object, index: index)
  }

  func keys(_ object: ObjId) -> [String] {
    if let heads { return document.keysAt(obj: object, heads: heads) }
    return document.keys(obj: object)
  }

  func values(_ object: ObjId) throws -> [Value] {
    if let heads { return try document.valuesAt(obj: object, heads: heads) }
    return try document.values(obj: object)
  }

  func entries(_ object: ObjId) throws -> [(String, Value)] {
    if let heads { return try document.mapEntriesAt(obj: object, heads: heads) }
    return try document.mapEntries(obj: object)
  }

  func length(_ object: ObjId) -> Int {
    if let heads { return Int(document.lengthAt(obj: object, heads: heads)) }
    return Int(document.length(obj: object))
  }

  func text(_ object: ObjId) throws -> String {
    if let heads { return try document.textAt(obj: object, heads: heads) }
    return try document.text(obj: object)
  }

  func marks(_ object: ObjId) throws -> [Mark] {
    if let heads { return try document.marksAt(obj: object, heads: heads) }
    return try document.marks(obj: object)
  }

  func cursor(_ object: ObjId, _ index: Int) throws -> Cursor {
    let index = UInt64(index)
    if let heads { return try document.cursor(obj: object, position: index, heads: heads) }
    return try document.cursor(obj: object, position: index)
  }

  func position(_ object: ObjId, _ cursor: Cursor) throws -> Int {
    if let heads {
      return Int(try document.position(obj: object, cursor: cursor, heads: heads))
    }
    return Int(try document.position(obj: object, cursor: cursor))
  }
}
