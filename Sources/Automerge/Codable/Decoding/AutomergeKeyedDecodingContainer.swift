/// Reads the keys of a map. One generic method serves for all the types that the protocol lists.
struct AutomergeKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: AutomergeDecoderImpl
  private let object: ObjId
  private let values: MapValues

  init(decoder: AutomergeDecoderImpl, object: ObjId) {
    (self.decoder, self.object) = (decoder, object)
    values = MapValues(of: object, in: decoder.document)
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { values.keys.compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool {
    // The object is a map of this document, so looking up a key cannot fail.
    (try? values.value(at: key.stringValue)) ?? nil != nil
  }

  private func element(_ key: Key) throws -> AutomergeDecoderImpl {
    let name = key.stringValue
    return decoder.child(
      key, at: ValuePlace(container: object, prop: .Key(name)), value: try values.value(at: name))
  }

  private func present(_ key: Key) throws -> AutomergeDecoderImpl {
    let element = try element(key)
    guard element.value != nil else {
      throw DecodingError.keyNotFound(
        key,
        .init(codingPath: codingPath, debugDescription: "there is no key \"\(key.stringValue)\""))
    }
    return element
  }

  func decodeNil(forKey key: Key) throws -> Bool { try present(key).isNull }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try present(key).decode(type)
  }

  /// A property that is declared as a string would be written back as one: a text is refused, so
  /// that it does not lose its history. Where the type is generic, both are read.
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    let element = try present(key)
    guard case .Scalar(.String(let string)) = element.value else { throw element.mismatch(type) }
    return string
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { try element(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try element(key).unkeyedContainer()
  }

  /// A superclass reads its properties from the same map.
  func superDecoder() -> any Decoder { decoder }

  /// A superclass reads its properties from the same map.
  func superDecoder(forKey key: Key) -> any Decoder { decoder }
}
