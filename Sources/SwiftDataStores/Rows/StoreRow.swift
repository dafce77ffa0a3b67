/// One row of an entity.
package struct StoreRow: Sendable {
  /// Its number in the entity's table.
  package let number: Int64
  /// How often it was saved, counted from 1; nil if the store does not say.
  package let version: Int64?
  /// The properties that are in the table, by their names: the same for all rows.
  package let properties: [PropertyLayout]
  /// The value of each of them.
  package let values: [StoreValue]

  /// Returns the value of a property; nil if the entity has none of this name in its table.
  package subscript(name: String) -> StoreValue? {
    properties.firstIndex { $0.name == name }.map { values[$0] }
  }
}
