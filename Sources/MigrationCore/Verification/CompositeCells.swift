import Folders
import SwiftDataStores

/// The cells of a composite value, which has no column of its own: where each part is.
struct CompositeCells {
  /// A cell, or a composite in the composite.
  enum Content {
    case cell(CellColumn)
    case composite([CompositeCells])
  }

  /// The name of the property or of the part.
  let name: [UInt8]
  let content: Content

  /// Finds the cells; nil for a property that has a column of its own, and where one is not there.
  ///
  /// - Parameter names: the names of the columns of the table, in upper case.
  init?(_ column: StoreEntity.Column, among names: [String]) {
    guard case .composite(let parts) = column.layout.place else { return nil }
    self.init(named: column.name, parts, among: names)
  }

  private init?(named name: [UInt8], _ parts: [PropertyLayout], among names: [String]) {
    self.name = name
    var found: [CompositeCells] = []
    for part in parts {
      let name = Array(part.name.utf8)
      switch part.place {
      case .attribute(let column, let type):
        guard let position = names.firstIndex(of: column.uppercased()) else { return nil }
        let property = Property(PropertyName(name), PropertyType(type))
        found.append(
          CompositeCells(
            name,
            .cell(CellColumn(name: name, position: position, property: property, target: nil))))
      case .composite(let parts):
        guard let cells = CompositeCells(named: name, parts, among: names) else { return nil }
        found.append(cells)
      case .toOne, .toMany, .links, .missing: return nil
      }
    }
    content = .composite(found)
  }

  private init(_ name: [UInt8], _ content: Content) { (self.name, self.content) = (name, content) }
}
