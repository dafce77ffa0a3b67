import Folders
import SwiftDataStores

// What leads from a row to others.
extension RowWriter {
  /// The entity of the store that a property leads to, as the profile says.
  func target(of type: PropertyType) -> String? {
    guard let name = type.target?.kind else { return nil }
    let rows = kinds.profile.kind(named: name)?.home?.rows
    return store.layout.entities.first { rows?.holds($0.name) ?? false }?.name
  }

  mutating func write(
    _ row: Int64, _ number: Int64?, _ column: StoreEntity.Column, to json: inout JSONWriter
  ) throws(StoreError) {
    let name =
      column.layout.destination ?? number.flatMap { store.layout.entity(numbered: $0)?.name }
      ?? target(of: column.type)
    guard let name else {
      // Nobody says where it leads.
      return json.number(row)
    }
    try write(row, of: name, number, column, to: &json)
  }

  mutating func write(
    _ targets: [StoreCell], _ column: StoreEntity.Column, to json: inout JSONWriter
  ) throws(StoreError) {
    json.beginArray()
    for target in targets {
      // Other pairs are counted with what no row says.
      guard case .integer(let row) = target, let name = column.layout.destination else { continue }
      try write(row, of: name, nil, column, to: &json)
    }
    json.endArray()
  }

  mutating func write(
    _ row: Int64, of name: String, _ number: Int64?, _ column: StoreEntity.Column,
    to json: inout JSONWriter
  ) throws(StoreError) {
    if let found = try identities.identity(ofRow: row, of: name, entity: number) {
      if found.isOfOther { note(.otherEntity, column, "\(name)/p\(row)") }
      return json.string(found.bytes.span)
    }
    note(.danglingReference, column, "\(name)/p\(row)")
    json.string("\(name)/p\(row)")
  }
}

extension PropertyLayout {
  /// The entity that it leads to.
  fileprivate var destination: String? {
    switch place {
    case .toOne(_, _, let destination), .links(_, _, _, let destination): destination
    case .toMany(let destination, _): destination
    case .attribute, .composite, .missing: nil
    }
  }
}
