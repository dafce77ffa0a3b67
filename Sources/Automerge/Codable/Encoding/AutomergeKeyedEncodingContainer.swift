/// Writes the keys of a map. One generic method serves for all the types that the protocol lists.
struct AutomergeKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: AutomergeEncoderImpl
  let object: Result<ObjId, CodingKeyLookupError>

  var codingPath: [any CodingKey] { encoder.codingPath }

  private func place(of key: Key) -> Result<ValuePlace, CodingKeyLookupError> {
    encoder.mapKeysWritten.append(key.stringValue)
    return object.map { ValuePlace(container: $0, prop: .Key(key.stringValue)) }
  }

  private func element(_ key: Key) throws -> EncodedElement {
    EncodedElement(
      encoder: encoder, key: key, place: try place(of: key).get(), isNew: false)
  }

  private func child(_ key: Key) -> AutomergeEncoderImpl {
    encoder.child(at: place(of: key), isNew: false, codingPath: codingPath + [key])
  }

  func encodeNil(forKey key: Key) throws { try element(key).put(.Null, as: ScalarValue.Null) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try element(key).write(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> { child(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    child(key).unkeyedContainer()
  }

  /// A superclass writes its properties into the same map.
  func superEncoder() -> any Encoder { encoder }

  /// A superclass writes its properties into the same map.
  func superEncoder(forKey key: Key) -> any Encoder { encoder }
}
