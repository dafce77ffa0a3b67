extension Document {
  /// Returns the object that a path means to a coder, or why there is none.
  ///
  /// For a map or list that is the object at the end of the path, for a value the container it is
  /// in. Containers that are missing are made if `strategy` says so. A result rather than an error:
  /// `Encoder` makes containers by methods that cannot throw.
  func retrieveObjectId(
    path: [any CodingKey], containerType: EncodingContainerType, strategy: SchemaStrategy
  ) -> Result<ObjId, CodingKeyLookupError> {
    Result { () throws(CodingKeyLookupError) in
      try object(at: path, for: containerType, strategy)
    }
  }

  private func object(
    at path: [any CodingKey], for containerType: EncodingContainerType, _ strategy: SchemaStrategy
  ) throws(CodingKeyLookupError) -> ObjId {
    if strategy == .override {
      throw .UnexpectedLookupFailure("overriding the schema of a document is not supported")
    }
    let props = path.map { AnyCodingKey($0).prop }
    guard let last = props.last else {
      if containerType == .Key { return .ROOT }
      throw .InvalidIndexLookup("the root of a document is a map")
    }
    var container = ObjId.ROOT
    for index in props.indices.dropLast() {
      let place = ValuePlace(container: container, prop: props[index])
      container = try passage(
        through: place, to: props[index + 1].container, strategy, path[...index])
    }
    let place = ValuePlace(container: container, prop: last)
    switch containerType {
    case .Key: return try self.object(.Map, at: place, strategy, path)
    case .Index: return try self.object(.List, at: place, strategy, path)
    case .Value: return container
    }
  }

  /// Returns the map or list at a place on the way, or makes one of type `next`.
  // Inlined into its caller it crashes the optimizer of Swift 6.3.
  @inline(never)
  private func passage(
    through place: ValuePlace, to next: ObjType, _ strategy: SchemaStrategy,
    _ path: ArraySlice<any CodingKey>
  ) throws(CodingKeyLookupError) -> ObjId {
    switch try reachableValue(at: place, strategy) {
    case .Object(let object, .Map), .Object(let object, .List): return object
    case .Object(_, .Text):
      throw .PathExtendsThroughText("\(path.stringPath()) is a text, which contains nothing")
    case .Scalar:
      throw .PathExtendsThroughScalar("\(path.stringPath()) is a scalar, which contains nothing")
    case nil: return try makeObject(next, at: place, isNew: isEnd(place), strategy, path)
    }
  }

  /// Returns the object of a type at a place, or makes it.
  func object(
    _ type: ObjType, at place: ValuePlace, _ strategy: SchemaStrategy,
    _ path: some Sequence<any CodingKey>
  ) throws(CodingKeyLookupError) -> ObjId {
    let value = try reachableValue(at: place, strategy)
    if case .Object(let object, type) = value { return object }
    guard value.isVacant else {
      throw .MismatchedSchema(
        "\(path.stringPath()) is \(value?.kind ?? "missing"), not a \(type.debugDescription)")
    }
    return try makeObject(type, at: place, isNew: value == nil && isEnd(place), strategy, path)
  }

  private func makeObject(
    _ type: ObjType, at place: ValuePlace, isNew: Bool, _ strategy: SchemaStrategy,
    _ path: some Sequence<any CodingKey>
  ) throws(CodingKeyLookupError) -> ObjId {
    guard strategy == .createWhenNeeded else {
      throw .SchemaMissing("there is no \(type.debugDescription) at \(path.stringPath())")
    }
    do {
      return try putObject(type, at: place, isNew: isNew)
    } catch {
      throw .AutomergeDocError(error)
    }
  }

  /// Returns what stands at a place, or nil if something could be put there.
  private func reachableValue(
    at place: ValuePlace, _ strategy: SchemaStrategy
  ) throws(CodingKeyLookupError) -> Value? {
    do {
      if let value = try value(at: place) { return value }
    } catch {
      throw .AutomergeDocError(error)
    }
    if case .Index(let index) = place.prop {
      let length = length(obj: place.container)
      if index > length {
        // The words of the second are those that users of automerge-swift compare.
        throw .IndexOutOfBounds(
          strategy == .readonly
            ? "Index value \(index) is beyond the length: \(length) and nothing may be made"
            : "Index value \(index) is too far beyond the length: \(length) to append a new item.")
      }
    }
    return nil
  }

  /// Returns the place a path leads to and what stands there, making nothing.
  func find(_ path: [any CodingKey]) throws(CodingKeyLookupError) -> (
    place: ValuePlace, value: Value?
  ) {
    let container = try object(at: path, for: .Value, .readonly)
    let prop = path.last.map { AnyCodingKey($0).prop } ?? AnyCodingKey.ROOT.prop
    let place = ValuePlace(container: container, prop: prop)
    return (place, try reachableValue(at: place, .readonly))
  }
}

extension Prop {
  /// The kind of object that has such a key or index.
  fileprivate var container: ObjType {
    switch self {
    case .Key: .Map
    case .Index: .List
    }
  }
}
