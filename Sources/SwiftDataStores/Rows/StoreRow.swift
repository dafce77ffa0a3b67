/// One row of an entity.
package struct StoreRow: Sendable {
  /// Its number in the entity's table.
  package let number: Int64
  /// How often it was saved, counted from 1; nil if the store does not say.
  package let version: Int64?
  /// The values of the properties that are in the table, by the properties' names.
  package let values: [(property: PropertyLayout, value: StoreValue)]

  /// Returns the value of a property; nil if the entity has none of this name in its table.
  package subscript(name: String) -> StoreValue? {
    values.first { $0.property.name == name }?.value
  }
}
