/// One value of a document on its way to a Swift type; all containers read through it.
struct AutomergeDecoderImpl: Decoder {
  /// Deeper documents are refused: decoding uses some kilobytes of the stack a level, and anyone may
  /// have written them.
  private static let depthLimit = 128

  let document: Document
  let userInfo: [CodingUserInfoKey: Any]
  let codingPath: [any CodingKey]
  /// Where the value stands; nil for the root.
  let place: ValuePlace?
  /// The value; nil if nothing is there.
  let value: Value?
  /// Whether numbers are converted if nothing is lost; else their type must be the stored one.
  var takesAnyNumber = false

  /// Returns the value as a type: as what documents have for it, else by its own `init(from:)`.
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if place == nil, type is any RootDecodable.Type {
      return try container(keyedBy: RootKey.self).decode(type, forKey: .value)
    }
    if let type = type as? any ElementDecodable.Type, let result = try type.read(from: self) as? T {
      return result
    }
    var decoder = self
    decoder.takesAnyNumber = false
    return try T(from: decoder)
  }

  /// Returns the decoder of what is in this value.
  func child(_ key: any CodingKey, at place: ValuePlace, value: Value?) -> AutomergeDecoderImpl {
    AutomergeDecoderImpl(
      document: document, userInfo: userInfo, codingPath: codingPath + [key], place: place,
      value: value, takesAnyNumber: true)
  }

  // MARK: Scalars and errors

  var isNull: Bool { value.isVacant }

  /// Returns the scalar that the value is.
  func scalar(as type: Any.Type) throws -> ScalarValue {
    if case .Scalar(let scalar) = value, scalar != .Null { return scalar }
    throw mismatch(type)
  }

  /// The error of a value that is no `type`.
  func mismatch(_ type: Any.Type, _ error: (any Error)? = nil) -> DecodingError {
    if isNull {
      return .valueNotFound(type, context("expected \(type), found \(value?.kind ?? "nothing")"))
    }
    return .typeMismatch(
      type, context("expected \(type), found \(value?.kind ?? "nothing")", error))
  }

  /// The error of a number that does not fit in `type`.
  func overflow(_ type: Any.Type) -> DecodingError {
    .dataCorrupted(context("the number does not fit in \(type)"))
  }

  private func context(_ text: String, _ error: (any Error)? = nil) -> DecodingError.Context {
    .init(codingPath: codingPath, debugDescription: text, underlyingError: error)
  }

  /// Returns the object of a type that the value is.
  private func object(_ type: ObjType) throws -> ObjId {
    guard codingPath.count <= Self.depthLimit else {
      throw DecodingError.dataCorrupted(context("more than \(Self.depthLimit) levels deep"))
    }
    switch value {
    case .Object(let object, type): return object
    case nil:
      throw CodingKeyLookupError.SchemaMissing(
        "there is no \(type.debugDescription) at \(codingPath.stringPath())")
    case .some(let value) where place == nil:
      throw CodingKeyLookupError.InvalidIndexLookup("the root of a document is \(value.kind)")
    case .some(let value):
      throw CodingKeyLookupError.MismatchedSchema(
        "\(codingPath.stringPath()) is \(value.kind), not a \(type.debugDescription)")
    }
  }

  // MARK: Decoder

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(
      AutomergeKeyedDecodingContainer(decoder: self, object: try object(.Map)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let list = try object(.List)
    return AutomergeUnkeyedDecodingContainer(
      decoder: self, object: list, elements: try document.values(obj: list))
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    AutomergeSingleValueDecodingContainer(decoder: self)
  }
}
