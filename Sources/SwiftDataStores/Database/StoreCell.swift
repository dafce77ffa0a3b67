/// What one cell of a table holds, in one of the five ways in which SQLite stores values, whatever its
/// column is declared to hold.
package enum StoreCell: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  /// The bytes of a text, which need not be valid UTF-8.
  case text([UInt8])
  case blob([UInt8])

  /// The text, if it is one and valid.
  package var string: String? {
    if case .text(let bytes) = self { String(validating: bytes, as: UTF8.self) } else { nil }
  }

  /// The whole number, if it is one.
  package var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }
}
