/// Writes one value in place of the one its encoder is for.
struct AutomergeSingleValueEncodingContainer: SingleValueEncodingContainer {
  let encoder: AutomergeEncoderImpl

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() throws { try encoder.writeNull() }

  func encode<T: Encodable>(_ value: T) throws { try encoder.write(value) }
}
