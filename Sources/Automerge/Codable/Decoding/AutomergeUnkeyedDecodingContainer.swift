/// Reads the elements of a list one after another, as they were when the container was made.
struct AutomergeUnkeyedDecodingContainer: UnkeyedDecodingContainer {
  private let decoder: AutomergeDecoderImpl
  private let object: ObjId
  private let elements: [Value]
  private(set) var currentIndex = 0

  init(decoder: AutomergeDecoderImpl, object: ObjId, elements: [Value]) {
    self.decoder = decoder
    self.object = object
    self.elements = elements
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  /// Reads the next element, and stays before it if that fails.
  private mutating func next<T>(
    _ type: Any.Type, _ read: (AutomergeDecoderImpl) throws -> T
  ) throws -> T {
    let key = AnyCodingKey(UInt64(currentIndex))
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        .init(
          codingPath: codingPath + [key],
          debugDescription: "the list has no more than \(elements.count) elements"))
    }
    let place = ValuePlace(container: object, prop: key.prop)
    let result = try read(decoder.child(key, at: place, value: elements[currentIndex]))
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    let isNull = try next(Never.self, \.isNull)
    // Only a null has been read; anything else is still to be decoded.
    if !isNull { currentIndex -= 1 }
    return isNull
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try next(type) { try $0.decode(type) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next(KeyedDecodingContainer<NestedKey>.self) { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
  }

  /// A superclass reads the next element.
  mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }
}
