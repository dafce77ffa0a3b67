import Automerge
import Foundation

/// Reads a document through the public interface into the typed JSON of the golden files.
///
/// An oracle of its own: it shares nothing with the renderer of `inspect-crdt`.
struct TypedRendering {
  let document: Document
  /// The point in history to read; nil for the present.
  var heads: Set<ChangeHash>?

  func state() throws -> JSONTree { try tree(.Object(.ROOT, .Map)) }

  func tree(_ value: Value) throws -> JSONTree {
    switch value {
    case .Scalar(let scalar):
      Self.tree(scalar)
    case .Object(let object, .Map):
      .object(
        try entries(object).map { name, value in
          JSONTree.Member(name: Array(name.utf8), value: try tree(value))
        })
    case .Object(let object, .List):
      .array(try elements(object).map(tree))
    case .Object(let object, .Text):
      .object(["$text": .string(try text(object))])
    }
  }

  private func entries(_ object: ObjId) throws -> [(String, Value)] {
    if let heads { return try document.mapEntriesAt(obj: object, heads: heads) }
    return try document.mapEntries(obj: object)
  }

  private func elements(_ object: ObjId) throws -> [Value] {
    if let heads { return try document.valuesAt(obj: object, heads: heads) }
    return try document.values(obj: object)
  }

  private func text(_ object: ObjId) throws -> String {
    if let heads { return try document.textAt(obj: object, heads: heads) }
    return try document.text(obj: object)
  }

  static func tree(_ scalar: ScalarValue) -> JSONTree {
    switch scalar {
    case .Null: .null
    case .Boolean(let value): .boolean(value)
    case .String(let text): .string(text)
    case .Int(let value): .object(["$int": integer(value)])
    case .Uint(let value): .object(["$uint": integer(value)])
    case .Counter(let value): .object(["$counter": integer(value)])
    case .Timestamp(let date):
      .object(["$timestamp": integer(milliseconds(date))])
    case .F64(let value): .object(["$f64": double(value)])
    case .Bytes(let data): .object(["$bytes": .string(hexadecimal(data))])
    case .Unknown(let code, let data):
      .object([
        "$unknown": .object([
          "bytes": .string(hexadecimal(data)), "type": .integer(String(code)),
        ])
      ])
    }
  }

  /// A `Date` holds milliseconds exactly up to 2^53 of them; the ends of the range are cut off.
  private static func milliseconds(_ date: Date) -> Int64 {
    let value = (date.timeIntervalSince1970 * 1000).rounded()
    return Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }

  /// JSON numbers are exact up to 2^53 only; beyond, the golden files write strings.
  private static func integer(_ value: some BinaryInteger) -> JSONTree {
    value.magnitude <= (1 << 53) - 1 ? .integer(String(value)) : .string(String(value))
  }

  private static func double(_ value: Double) -> JSONTree {
    if value.isNaN { return .string("NaN") }
    if value.isInfinite { return .string(value < 0 ? "-Infinity" : "Infinity") }
    if value == 0, value.sign == .minus { return .string("-0") }
    return .double(value)
  }
}
