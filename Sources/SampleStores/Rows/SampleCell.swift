/// What one property of a row is to hold.
enum SampleCell: Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  /// A row, by its entity and its place among the rows of that.
  case row(String, Int)
  /// Bytes that may be in a file of their own: they are if there are many.
  case data([UInt8])

  static func boolean(_ value: Bool) -> SampleCell { .integer(value ? 1 : 0) }

  static func number(_ value: Int) -> SampleCell { .integer(Int64(value)) }
}

/// The rows of an app, each a function of its entity and its place.
protocol SampleRows {
  /// The entities that have rows, those that others lead to first, the one with most rows last.
  var entities: [String] { get }
  /// How many rows an entity has.
  func count(of entity: String) -> Int
  /// The values of a row by the names of its properties, in all versions of the app.
  func row(_ index: Int, of entity: String) -> [String: SampleCell]
  /// The pairs of a relationship with any number of rows on both sides, by places.
  func links(of key: String) -> [(Int, Int)]
}

extension SampleRows {
  func links(of key: String) -> [(Int, Int)] { [] }
}
