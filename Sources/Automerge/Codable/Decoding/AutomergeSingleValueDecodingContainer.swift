/// Reads one value, whose numbers must have the type that is stored.
struct AutomergeSingleValueDecodingContainer: SingleValueDecodingContainer {
  let decoder: AutomergeDecoderImpl

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.isNull }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
}
