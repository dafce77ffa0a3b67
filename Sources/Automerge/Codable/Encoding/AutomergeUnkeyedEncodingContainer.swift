/// Writes the elements of a list: over those that are there, then behind them.
struct AutomergeUnkeyedEncodingContainer: UnkeyedEncodingContainer {
  private let encoder: AutomergeEncoderImpl
  private let object: Result<ObjId, CodingKeyLookupError>
  /// The elements that were there before.
  private let existingCount: UInt64

  init(encoder: AutomergeEncoderImpl, object: Result<ObjId, CodingKeyLookupError>) {
    self.encoder = encoder
    self.object = object
    // A list that does not exist has none; the error is thrown when something is written.
    existingCount = (try? object.get()).map { encoder.document.length(obj: $0) } ?? 0
  }

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { Int(clamping: encoder.elementsWritten) }

  private var next: UInt64 { encoder.elementsWritten }
  private var isNew: Bool { next >= existingCount }
  private var place: Result<ValuePlace, CodingKeyLookupError> {
    object.map { ValuePlace(container: $0, prop: .Index(next)) }
  }

  private func append(_ write: (EncodedElement) throws -> Void) throws {
    try write(
      EncodedElement(
        encoder: encoder, key: AnyCodingKey(next), place: try place.get(), isNew: isNew))
    encoder.elementsWritten += 1
  }

  private func child() -> AutomergeEncoderImpl {
    let child = encoder.child(
      at: place, isNew: isNew, codingPath: codingPath + [AnyCodingKey(next)])
    encoder.elementsWritten += 1
    return child
  }

  func encodeNil() throws { try append { try $0.put(.Null, as: ScalarValue.Null) } }

  func encode<T: Encodable>(_ value: T) throws { try append { try $0.write(value) } }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> { child().container(keyedBy: type) }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }

  /// A superclass writes the next element.
  func superEncoder() -> any Encoder { child() }
}
