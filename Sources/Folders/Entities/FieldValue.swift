/// A value inside an unknown field as the Automerge value it becomes.
///
/// A string's bytes, an array's elements and an object's members stay on the tape.
package enum FieldValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case int(Int64)
  case uint(UInt64)
  case double(Double)
  case string
  case list
  case map

  // Only where an interchange stream's `types` say so.

  case text
  case timestamp(Int64)
  case counter(Int64)
  case bytes([UInt8])
  case unknown(code: UInt8, bytes: [UInt8])
}
