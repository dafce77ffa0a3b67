@testable import Automerge
import Foundation
import Testing

/// An empty document with an encoder and a decoder for it.
struct CodableDocument {
  let document = Document()

  var encoder: AutomergeEncoder { AutomergeEncoder(doc: document) }
  var cautious: AutomergeEncoder { AutomergeEncoder(doc: document, cautiousWrite: true) }
  var decoder: AutomergeDecoder { AutomergeDecoder(doc: document) }

  /// Returns what a value is after it was written and read.
  func roundTrip<T: Codable>(_ value: T) throws -> T {
    try encoder.encode(value)
    return try decoder.decode(T.self)
  }

  func value(_ path: String) throws -> Value? {
    try document.find(AnyCodingKey.parsePath(path)).value
  }

  func scalar(_ path: String) throws -> ScalarValue? {
    if case .Scalar(let scalar) = try value(path) { scalar } else { nil }
  }

  func object(_ path: String) throws -> ObjId {
    try #require(try document.lookupPath(path: path))
  }
}

/// A value at one key, so that a single value can be the root of a document.
struct Box<T: Codable>: Codable {
  var value: T

  init(_ value: T) { self.value = value }
}

extension Box: Equatable where T: Equatable {}

/// Runs a body that must throw and returns its error as the type it must have.
func error<E: Error>(
  _ type: E.Type = E.self, sourceLocation: SourceLocation = #_sourceLocation,
  of body: () throws -> some Any
) throws -> E {
  do { _ = try body() } catch {
    return try #require(
      error as? E, "\(Swift.type(of: error)): \(error)", sourceLocation: sourceLocation)
  }
  Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  throw CancellationError()
}

extension CodingKeyLookupError {
  /// The name of the case.
  var name: String {
    Mirror(reflecting: self).children.first?.label ?? ""
  }
}

extension EncodingError {
  /// The value that was refused.
  var refused: Any? {
    if case .invalidValue(let value, _) = self { value } else { nil }
  }

  var explanation: String {
    if case .invalidValue(_, let context) = self { context.debugDescription } else { "" }
  }
}

extension DecodingError {
  /// The kind of the error and the path to the value: `typeMismatch Int .a.[2]`.
  var summary: String {
    switch self {
    case .typeMismatch(let type, let context):
      "typeMismatch \(type) \(context.codingPath.stringPath())"
    case .valueNotFound(let type, let context):
      "valueNotFound \(type) \(context.codingPath.stringPath())"
    case .keyNotFound(let key, let context):
      "keyNotFound \(key.stringValue) \(context.codingPath.stringPath())"
    case .dataCorrupted(let context): "dataCorrupted \(context.codingPath.stringPath())"
    @unknown default: "unknown"
    }
  }
}
