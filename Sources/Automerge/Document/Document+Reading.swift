#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension Document {
  // MARK: One value

  /// Returns the value at a key of a map, or nil.
  public func get(obj: ObjId, key: String) throws -> Value? {
    try read { try $0.value(obj, key: key, at: nil) }
  }

  /// Returns the value at an index of a list or text, or nil beyond its end.
  public func get(obj: ObjId, index: UInt64) throws -> Value? {
    try read { try $0.value(obj, index: index, at: nil) }
  }

  /// Returns all values that concurrent changes left at a key.
  public func getAll(obj: ObjId, key: String) throws -> Set<Value> {
    Set(try read { try $0.values(obj, key: key, at: nil) })
  }

  /// Returns all values that concurrent changes left at an index.
  public func getAll(obj: ObjId, index: UInt64) throws -> Set<Value> {
    Set(try read { try $0.values(obj, index: index, at: nil) })
  }

  /// Returns the value a key had at `heads`.
  public func getAt(obj: ObjId, key: String, heads: Set<ChangeHash>) throws -> Value? {
    try read(at: heads) { try $0.value(obj, key: key, at: $1) }
  }

  /// Returns the value an index had at `heads`.
  public func getAt(obj: ObjId, index: UInt64, heads: Set<ChangeHash>) throws -> Value? {
    try read(at: heads) { try $0.value(obj, index: index, at: $1) }
  }

  /// Returns all values a key had at `heads`.
  public func getAllAt(obj: ObjId, key: String, heads: Set<ChangeHash>) throws -> Set<Value> {
    Set(try read(at: heads) { try $0.values(obj, key: key, at: $1) })
  }

  /// Returns all values an index had at `heads`.
  public func getAllAt(obj: ObjId, index: UInt64, heads: Set<ChangeHash>) throws -> Set<Value> {
    Set(try read(at: heads) { try $0.values(obj, index: index, at: $1) })
  }

  // MARK: Whole objects

  /// Returns the keys of a map, ascending by their UTF-8; of a list, the ids of its elements.
  public func keys(obj: ObjId) -> [String] { read { $0.keys(obj, at: nil) } }

  /// Returns the keys a map had at `heads`.
  public func keysAt(obj: ObjId, heads: Set<ChangeHash>) -> [String] {
    read(at: heads) { $0.keys(obj, at: $1) }
  }

  /// Returns the values of a map in the order of its keys, or of a list in sequence.
  public func values(obj: ObjId) throws -> [Value] { try read { try $0.values(obj, at: nil) } }

  /// Returns the values an object had at `heads`.
  public func valuesAt(obj: ObjId, heads: Set<ChangeHash>) throws -> [Value] {
    try read(at: heads) { try $0.values(obj, at: $1) }
  }

  /// Returns the keys of a map with their values.
  public func mapEntries(obj: ObjId) throws -> [(String, Value)] {
    try read { try $0.entries(obj, at: nil) }
  }

  /// Returns the keys and values a map had at `heads`.
  public func mapEntriesAt(obj: ObjId, heads: Set<ChangeHash>) throws -> [(String, Value)] {
    try read(at: heads) { try $0.entries(obj, at: $1) }
  }

  /// Returns the number of keys, elements or text units; 0 for an unknown object.
  public func length(obj: ObjId) -> UInt64 { read { $0.length(obj, at: nil) } }

  /// Returns the length an object had at `heads`.
  public func lengthAt(obj: ObjId, heads: Set<ChangeHash>) -> UInt64 {
    read(at: heads) { $0.length(obj, at: $1) }
  }

  /// Returns the kind of an object of this document; asking for another object is a mistake.
  public func objectType(obj: ObjId) -> ObjType {
    let kind = read { $0.kind(of: obj) }
    precondition(kind != nil, "the object is not in this document")
    return kind.map(ObjType.init) ?? .Map
  }

  /// Returns a whole text.
  public func text(obj: ObjId) throws -> String { try read { try $0.text(obj, at: nil) } }

  /// Returns the text an object was at `heads`.
  public func textAt(obj: ObjId, heads: Set<ChangeHash>) throws -> String {
    try read(at: heads) { try $0.text(obj, at: $1) }
  }

  /// Returns the way from the root to an object; empty for the root.
  public func path(obj: ObjId) throws -> [PathElement] { try read { try $0.path(obj) } }
}
