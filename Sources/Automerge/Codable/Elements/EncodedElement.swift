/// The place of one value that an encoder is about to write; all containers write through it.
struct EncodedElement {
  /// The encoder of the container, or of the value itself if that is a single value.
  let encoder: AutomergeEncoderImpl
  /// The step from the encoder to the place; nil for a single value, which is there already.
  let key: (any CodingKey)?
  let place: ValuePlace
  /// Whether the place is the end of a list.
  let isNew: Bool

  var document: Document { encoder.document }
  var codingPath: [any CodingKey] { encoder.codingPath + (key.map { [$0] } ?? []) }
  /// Whether an unkeyed container writes the value.
  var isListElement: Bool { if case .Index = place.prop { key != nil } else { false } }

  /// Returns what stands at the place, or nil.
  func existingValue() throws -> Value? { isNew ? nil : try document.value(at: place) }

  /// Writes a value: as what documents have for it, else by its own `encode(to:)`.
  func write<T: Encodable>(_ value: T) throws {
    if let value = value as? any ElementEncodable {
      try value.write(to: self)
      return
    }
    let child = child()
    try value.encode(to: child)
    // What encodes nothing is an empty map, as it is for other coders: its place must not be lost.
    if child.containerType == nil { _ = child.open(.Key) }
  }

  /// Returns an encoder for what is at the place.
  func child() -> AutomergeEncoderImpl {
    encoder.child(at: .success(place), isNew: isNew, codingPath: codingPath)
  }

  /// Writes a scalar.
  ///
  /// - Throws: `EncodingError` if the writing is cautious and something of another kind is there.
  func put(_ scalar: ScalarValue, as value: Any) throws {
    if encoder.cautiousWrite, let existing = try existingValue(),
      existing.kind != Value.Scalar(scalar).kind
    {
      throw refusal(
        of: value,
        "the Automerge document has \(existing.kind) here, not \(Value.Scalar(scalar).kind)")
    }
    try document.put(scalar, at: place, isNew: isNew)
  }

  /// Returns the object of a type at the place, making it if the encoder may.
  func object(_ type: ObjType) throws -> ObjId {
    try document.object(type, at: place, encoder.schemaStrategy, codingPath)
  }

  /// The error of a value that cannot be written.
  func refusal(of value: Any, _ reason: String) -> EncodingError {
    .invalidValue(value, .init(codingPath: codingPath, debugDescription: reason))
  }
}
