package import SafeFiles

/// Files that rows of a store name for what is too large for it, and that are not beside it.
package struct LostFiles: Hashable, Sendable {
  /// The entity of the rows.
  package var entity: String
  /// The property whose values the files hold.
  package var property: String
  /// The names of the files.
  package var names: Set<FileName>
}

extension Store {
  /// Returns the files that rows name and that are not there, property by property; looks through each
  /// table once for each property whose values may be in files.
  package func lostFiles() throws(StoreError) -> [LostFiles] {
    let there = try ExternalFiles(of: copy).names()
    var lost: [LostFiles] = []
    for entity in layout.entities where !entity.table.isEmpty {
      for property in entity.properties {
        var names: Set<FileName> = []
        for column in property.columnsOfBytes {
          names.formUnion(try fileNames(inColumn: column, of: entity))
        }
        names = names.filter { !there.contains($0.description) }
        if !names.isEmpty {
          lost.append(LostFiles(entity: entity.name, property: property.name, names: names))
        }
      }
    }
    return lost
  }

  private func fileNames(
    inColumn column: String, of entity: EntityLayout
  ) throws(StoreError) -> Set<FileName> {
    let column = Database.quoted(column)
    let cells = try database.prepare(
      "SELECT DISTINCT \(column) FROM \(Database.quoted(entity.table)) "
        + "WHERE Z_ENT = \(entity.number) AND typeof(\(column)) = 'blob' "
        + "AND length(\(column)) = \(ExternalReference.cellSize)")
    var names: Set<FileName> = []
    while try cells.step() {
      guard case .blob(let bytes) = try cells.cell(at: 0),
        let name = ExternalReference(bytes).flatMap({ FileName($0.uuid) })
      else { continue }
      names.insert(name)
    }
    return names
  }
}

extension PropertyLayout {
  /// The columns whose cells may name a file.
  fileprivate var columnsOfBytes: [String] {
    switch place {
    case .attribute(let column, let type):
      [.binary, .transformable, .undefined].contains(type) ? [column] : []
    case .composite(let parts): parts.flatMap(\.columnsOfBytes)
    case .toOne, .toMany, .links, .missing: []
    }
  }
}
