/// A type that documents have values for, whatever its `Encodable` conformance writes elsewhere.
protocol ElementEncodable: Encodable {
  func write(to element: EncodedElement) throws
}

/// A type that documents have values for, whatever its `Decodable` conformance reads elsewhere.
protocol ElementDecodable: Decodable {
  static func read(from element: AutomergeDecoderImpl) throws -> Self
}

/// A type that is a map with the key `value` for coders of other formats, and so as a whole document,
/// whose root can be nothing but a map.
protocol RootEncodable: ElementEncodable {}

/// The same for reading.
protocol RootDecodable: ElementDecodable {}

/// The key of a value that is the whole document.
enum RootKey: String, CodingKey {
  case value
}

/// A type that is one scalar in a document.
protocol ScalarCodable: ElementEncodable, ElementDecodable, ScalarValueRepresentable {}

extension ScalarCodable {
  func write(to element: EncodedElement) throws {
    try element.put(toScalarValue(), as: self)
  }

  static func read(from element: AutomergeDecoderImpl) throws -> Self {
    let scalar = try element.scalar(as: Self.self)
    switch fromScalarValue(scalar) {
    case .success(let value): return value
    case .failure(let error): throw element.mismatch(Self.self, error)
    }
  }
}
