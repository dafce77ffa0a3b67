/// Where a value stands in a document: a key of a map or an index of a list.
struct ValuePlace: Equatable, Sendable {
  let container: ObjId
  let prop: Prop
}

extension Document {
  /// Returns what stands at a place, or nil.
  func value(at place: ValuePlace) throws -> Value? {
    switch place.prop {
    case .Key(let key): try get(obj: place.container, key: key)
    case .Index(let index): try get(obj: place.container, index: index)
    }
  }

  /// Writes a scalar; `isNew` says that the place is the end of a list.
  func put(_ scalar: ScalarValue, at place: ValuePlace, isNew: Bool) throws {
    switch place.prop {
    case .Key(let key): try put(obj: place.container, key: key, value: scalar)
    case .Index(let index) where isNew:
      try insert(obj: place.container, index: index, value: scalar)
    case .Index(let index): try put(obj: place.container, index: index, value: scalar)
    }
  }

  /// Makes an empty object; `isNew` says that the place is the end of a list.
  func putObject(_ type: ObjType, at place: ValuePlace, isNew: Bool) throws -> ObjId {
    switch place.prop {
    case .Key(let key): try putObject(obj: place.container, key: key, ty: type)
    case .Index(let index) where isNew:
      try insertObject(obj: place.container, index: index, ty: type)
    case .Index(let index): try putObject(obj: place.container, index: index, ty: type)
    }
  }

  /// Adds to the counter at a place.
  func increment(at place: ValuePlace, by amount: Int64) throws {
    switch place.prop {
    case .Key(let key): try increment(obj: place.container, key: key, by: amount)
    case .Index(let index): try increment(obj: place.container, index: index, by: amount)
    }
  }

  /// Whether a place is the end of its list, where a value is inserted rather than replaced.
  func isEnd(_ place: ValuePlace) -> Bool {
    if case .Index(let index) = place.prop { index >= length(obj: place.container) } else { false }
  }
}
