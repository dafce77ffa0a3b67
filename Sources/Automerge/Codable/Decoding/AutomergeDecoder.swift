/// Reads `Decodable` values from a document.
///
/// Maps are keyed containers, lists unkeyed ones. Counters and texts are read as instances that are
/// bound to the document.
public struct AutomergeDecoder {
  /// What the types that are decoded can ask for.
  public var userInfo: [CodingUserInfoKey: Any] = [:]
  /// The document that is read.
  public let doc: Document

  /// Makes a decoder for a document.
  public init(doc: Document) { self.doc = doc }

  /// Returns the whole document as a value.
  ///
  /// - Throws: `DecodingError` or `CodingKeyLookupError` if the document has another shape.
  public func decode<T: Decodable>(_: T.Type) throws -> T {
    let root = AutomergeDecoderImpl(
      document: doc, userInfo: userInfo, codingPath: [], place: nil, value: .Object(.ROOT, .Map))
    return try root.decode(T.self)
  }

  /// Returns what is at a path as a value; nothing there reads as nil.
  public func decode<T: Decodable>(_ type: T.Type, from path: [any CodingKey]) throws -> T {
    if path.isEmpty { return try decode(type) }
    let found = try doc.find(path)
    let element = AutomergeDecoderImpl(
      document: doc, userInfo: userInfo, codingPath: path, place: found.place, value: found.value)
    return try element.decode(T.self)
  }
}
