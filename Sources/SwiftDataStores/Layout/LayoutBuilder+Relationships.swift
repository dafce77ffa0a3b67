extension LayoutBuilder {
  /// Returns where the targets of a relationship are.
  func place(
    of relationship: ModelRelationship, of declaring: ModelEntity, _ index: Int
  ) -> PropertyLayout.Place {
    guard relationship.isToMany else {
      guard let column = column(for: relationship.name, of: index),
        let table = schema.tables[layout.entities[index].table.uppercased()]
      else { return .missing }
      let entityColumn = table.columns.first {
        $0.key.isNumbered("Z", "_" + relationship.name.uppercased())
      }
      return .toOne(
        column: column, entityColumn: entityColumn?.name, destination: relationship.destination)
    }
    guard let target = layout.entity(named: relationship.destination) else { return .missing }
    if let name = relationship.inverse, let inverse = inverse(named: name, of: target.name),
      !inverse.isToMany
    {
      let index = layout.entities.firstIndex { $0.number == target.number } ?? index
      guard let column = column(for: inverse.name, of: index) else { return .missing }
      return .toMany(destination: target.name, column: column)
    }
    if let links = links(of: relationship, from: declaring.name, to: target.name) { return links }
    // Without a way back, the target's table has a column with the number of the entity it leads from.
    let back = schema.tables[target.table.uppercased()]?.columns.first {
      $0.key.isNumbered("Z", relationship.name.uppercased())
    }
    return back.map { .toMany(destination: target.name, column: $0.name) } ?? .missing
  }

  private func inverse(named name: String, of entity: String) -> ModelRelationship? {
    guard let model, let entity = model.entity(named: entity) else { return nil }
    for ancestor in model.lineage(of: entity) {
      if let found = ancestor.relationships.first(where: { $0.name == name }) { return found }
    }
    return nil
  }

  /// Returns the table of pairs of a relationship: `Z_nNAME` or, made for the way back, `Z_mINVERSE`. The
  /// targets are in the column with the relationship's own name.
  private func links(
    of relationship: ModelRelationship, from source: String, to target: String
  ) -> PropertyLayout.Place? {
    let names = [relationship.name] + (relationship.inverse.map { [$0] } ?? [])
    let (from, to) = (numbers(around: source), numbers(around: target))
    for (name, numbers) in zip(names, [from, to]) {
      for number in numbers {
        guard let table = schema.tables["Z_\(number)\(name.uppercased())"] else { continue }
        let columns = table.linkColumns
        guard columns.count == 2,
          let into = columns.firstIndex(where: {
            $0.uppercased().isNumbered("Z_", relationship.name.uppercased())
          })
        else { continue }
        return .links(
          table: table.name, source: columns[1 - into], target: columns[into], destination: target)
      }
    }
    return nil
  }

  /// The numbers of an entity and of those it inherits from, any of which may have given a table its name.
  private func numbers(around name: String) -> [Int64] {
    var numbers: [Int64] = []
    var key = schema.keys.first { $0.name == name }
    while let found = key, numbers.count < 32 {
      numbers.append(found.number)
      key = found.superNumber == 0 ? nil : schema.keys.first { $0.number == found.superNumber }
    }
    return numbers
  }
}
