/// Writes `Encodable` values into a document.
///
/// Keyed containers become maps, unkeyed ones lists, everything else scalars; counters, texts,
/// dates, data and URLs become what documents have for them. A value is written over what is there:
/// containers are reused, equal scalars stay, and keys and elements that the value does not have
/// are deleted. Texts and counters are bound to where they were written, unless they belong to
/// another document. A failed call leaves what was written until then, and binds nothing.
public struct AutomergeEncoder {
  /// What the types that are encoded can ask for.
  public var userInfo: [CodingUserInfoKey: Any] = [:]
  /// The document that is written.
  public let doc: Document
  /// What happens if a container is missing.
  public var schemaStrategy: SchemaStrategy
  /// Whether a value that is of another type in the document is an error.
  public var cautiousWrite: Bool
  /// How much is logged; without a log on this platform it has no effect.
  public let logLevel: LogVerbosity

  /// Makes an encoder for a document.
  public init(
    doc: Document, strategy: SchemaStrategy = .createWhenNeeded, cautiousWrite: Bool = false,
    reportingLoglevel: LogVerbosity = .errorOnly
  ) {
    self.doc = doc
    schemaStrategy = strategy
    self.cautiousWrite = cautiousWrite
    logLevel = reportingLoglevel
  }

  /// Writes a value as the whole document; nil changes nothing.
  public func encode<T: Encodable>(_ value: T?) throws {
    if let value { try encode(value) }
  }

  /// Writes a value as the whole document: what encodes to a map, or a text or counter, which gets
  /// the key `value`.
  public func encode<T: Encodable>(_ value: T) throws { try encode(value, at: []) }

  /// Writes a value at a path and leaves the rest of the document alone.
  public func encode<T: Encodable>(_ value: T, at path: [any CodingKey]) throws {
    let encoder = AutomergeEncoderImpl(
      userInfo: userInfo, codingPath: path, doc: doc, strategy: schemaStrategy,
      cautiousWrite: cautiousWrite, logLevel: logLevel)
    try encoder.write(value)
    if encoder.containerType == nil {
      throw EncodingError.invalidValue(
        value, .init(codingPath: path, debugDescription: "the value encodes nothing"))
    }
    try encoder.finish()
    encoder.record.bindAll()
  }
}
