import Diagnostics

// The members of an entity of a declared kind.
extension EntityBatch {
  /// Looks at all members of an entity; returns whether it follows the rules, after a finding for each
  /// broken one.
  mutating func admitMembers(
    of entity: inout LegacyEntity, _ declared: DeclaredKind
  ) -> Bool {
    let properties = declared.profile.properties
    // The value of each property; 0 where there is none.
    var values: [UInt32] = []
    swap(&values, &self.values)
    defer { swap(&values, &self.values) }
    values.removeAll(keepingCapacity: true)
    values.append(contentsOf: repeatElement(0, count: properties.count))
    var looseCount = 0
    var isValid = true
    var name = entity.node + 1
    while name < tape.node(after: entity.node) {
      let value = name + 1
      if let index = property(named: name, in: properties) {
        values[index] = UInt32(truncatingIfNeeded: value)
        isValid =
          admit(index, value, to: &entity, declared, loose: &looseCount) && isValid
      } else if value != entity.idNode {
        entity.unknownMemberCount += 1
        if !tape.nodes[value].isContainer, types[value] != .text { looseCount += 1 }
        isValid = holdsValues(value, named: name) && isValid
      }
      name = tape.node(after: value)
    }
    for index in declared.required where values[index] == 0 {
      let name = DisplayText.escaping(properties[index].name.bytes)
      refuse(.missingField, "\(name) is missing", at: entity.node)
      isValid = false
    }
    let count = looseCount + declared.places.used { values[$0] == 0 }.count
    if count > ScalarPlaces.limit {
      refuse(
        .invalidValue,
        "has \(count.counted("value")) outside of lists and maps, more than "
          + ScalarPlaces.limit.grouped,
        at: entity.node)
      isValid = false
    }
    if isValid { noteUnexpected(values, of: declared) }
    return isValid
  }

  func property(named name: Int, in properties: PropertyTable) -> Int? {
    properties.index(of: tape.text.span.extracting(tape.range(of: name)))
  }

  /// Looks at the value of a declared property; returns whether the entity can be imported with it.
  private mutating func admit(
    _ index: Int, _ node: Int, to entity: inout LegacyEntity, _ declared: DeclaredKind,
    loose: inout Int
  ) -> Bool {
    let properties = declared.profile.properties
    let facts = properties.facts(at: index)
    let isOfOwnType = types[node] == nil
    if isOfOwnType, facts.form.holdsAll(tape.kind(of: node)) { return true }
    if isOfOwnType, tape.kind(of: node) == .null {
      if facts.form == .json { loose += 1 }
      guard facts.isAlwaysThere else { return true }
      refuse(
        .missingField, "\(DisplayText.escaping(properties[index].name.bytes)) is null", at: node)
      return false
    }
    let value: DeclaredValue?
    do {
      value = try DeclaredValue(
        node, as: facts.form, on: tape, types, to: declared.targets[index])
    } catch {
      return holdsValues(node, named: node - 1)
    }
    guard let value else {
      if !facts.form.isScalar, !tape.nodes[node].isContainer { loose += 1 }
      let its = types[node].map { "of type \($0.name)" } ?? describe(node)
      let name = DisplayText.escaping(properties[index].name.bytes)
      let found = "\(name) is \(its), and no \(properties[index].type.name)"
      if facts.isAlwaysThere {
        refuse(.wrongType, found, at: node)
        return false
      }
      note(.wrongType, .warning, "\(found); it is carried as it is", at: node)
      return holdsValues(node, named: node - 1)
    }
    if tape.nodes[node].isContainer { return holdsValues(node, named: node - 1) }
    if case .scalar(let scalar) = value {
      if !facts.form.isScalar { loose += 1 }
      if case .timestamp(let milliseconds) = scalar {
        noteDate(properties.name(at: index), milliseconds, at: node, of: &entity, declared)
      }
    }
    return true
  }

  private mutating func noteDate(
    _ property: PropertyName, _ milliseconds: Int64, at node: Int, of entity: inout LegacyEntity,
    _ declared: DeclaredKind
  ) {
    if case .monthly(_, of: .date(property), _) = declared.home.document {
      entity.month = Month(milliseconds: milliseconds)
    }
    if tape.kind(of: node) == .string, tape.moment(at: node)?.isPrecisionReduced == true {
      note(
        .precisionReduced, .info,
        "\(DisplayText.escaping(property.bytes)) is rounded to milliseconds: "
          + tape.displayedString(at: node), at: node)
    }
  }
}
