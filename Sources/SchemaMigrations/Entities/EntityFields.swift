package import Folders

/// The fields of an entity while steps change them: what nobody touches stays where it was read.
package struct EntityFields {
  /// A field: where its name and its value are, on the tape, or among those that were given.
  private struct Member {
    var name: Place
    var value: Place
  }

  private enum Place {
    case node(Int)
    case given(Int)
  }

  private var members: [Member] = []
  private var names: [[UInt8]] = []
  private var values: [MigrationValue] = []
  /// Types of values that neither JSON nor the profile shows, by the names of their fields and the way
  /// from there.
  private var types: [(name: [UInt8], rest: [[UInt8]], type: StreamType)] = []
  /// How often something was changed since it was read.
  private(set) var changeCount = 0
  /// Whether anything is not as it was read.
  package var isChanged: Bool { changeCount > 0 }

  /// Creates the fields of an entity that has none.
  package init() {}

  /// Takes the members of an object of a tape.
  package mutating func take(_ object: Int, of tape: JSONTape) {
    members.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    types.removeAll(keepingCapacity: true)
    changeCount = 0
    var name = object + 1
    let end = tape.node(after: object)
    while name < end {
      members.append(Member(name: .node(name), value: .node(name + 1)))
      name = tape.node(after: name + 1)
    }
  }

  // MARK: Reading

  /// Returns what is at a path; nil if nothing is.
  func value(at path: ValuePath, of tape: JSONTape) -> MigrationValue? {
    guard let first = path.first, let index = index(of: first.utf8, tape) else { return nil }
    let value = value(members[index].value, tape)
    return path.isMember ? value : path.rest.value(in: value)
  }

  /// Returns the value of a field; nil if there is none of that name.
  package func value(named name: String, of tape: JSONTape) -> MigrationValue? {
    index(of: name.utf8, tape).map { value(members[$0].value, tape) }
  }

  /// Returns the text of a field; nil if there is none of that name, or it is something else.
  package func text(_ name: String, of tape: JSONTape) -> String? {
    value(named: name, of: tape)?.text
  }

  /// Returns the fields that are different from those of an object, with both values; nil is absent.
  ///
  /// - Parameter object: nil for an entity that was not there.
  package func differences(
    from object: Int?, of tape: JSONTape
  ) -> [(name: String, before: MigrationValue?, after: MigrationValue?)] {
    var known: Set<Int> = []
    var differences: [(name: String, before: MigrationValue?, after: MigrationValue?)] = []
    for member in members {
      let name = name(member.name, tape)
      let before = object.flatMap { tape.member(Array(name.utf8), of: $0) }
      if let before { known.insert(before) }
      if case .node(let node) = member.value, node == before { continue }
      differences.append(
        (name, before.map { MigrationValue($0, of: tape) }, value(member.value, tape)))
    }
    guard let object else { return differences }
    var name = object + 1
    while name < tape.node(after: object) {
      if !known.contains(name + 1) {
        differences.append(
          (
            String(decoding: tape.bytes(of: name), as: UTF8.self),
            MigrationValue(name + 1, of: tape), nil
          ))
      }
      name = tape.node(after: name + 1)
    }
    return differences
  }

  private func name(_ place: Place, _ tape: JSONTape) -> String {
    switch place {
    case .node(let node): String(decoding: tape.bytes(of: node), as: UTF8.self)
    case .given(let index): String(decoding: names[index], as: UTF8.self)
    }
  }

  private func value(_ place: Place, _ tape: JSONTape) -> MigrationValue {
    switch place {
    case .node(let node): MigrationValue(node, of: tape)
    case .given(let index): values[index]
    }
  }

  private func index(of name: String.UTF8View, _ tape: JSONTape) -> Int? {
    members.firstIndex { member in
      switch member.name {
      case .node(let node): tape.isEqual(node, to: name)
      case .given(let index): names[index].elementsEqual(name)
      }
    }
  }

  // MARK: Changing

  /// Gives a field a value.
  ///
  /// - Parameter types: the types of the value and of what is in it, by the way there, where JSON does not
  ///   show them and nobody declares them.
  mutating func set(
    _ name: String, to value: MigrationValue, types: [(rest: [[UInt8]], type: StreamType)] = [],
    of tape: JSONTape
  ) {
    let index = index(of: name.utf8, tape)
    // What is so already is no change.
    if let index, self.value(members[index].value, tape) == value { return }
    changeCount += 1
    values.append(value)
    self.types.removeAll { $0.name.elementsEqual(name.utf8) }
    for (rest, type) in types { self.types.append((Array(name.utf8), rest, type)) }
    if let index {
      members[index].value = .given(values.count - 1)
    } else {
      names.append(Array(name.utf8))
      members.append(Member(name: .given(names.count - 1), value: .given(values.count - 1)))
    }
  }

  /// Removes a field; returns whether it was there.
  mutating func remove(_ name: String, of tape: JSONTape) -> Bool {
    guard let index = index(of: name.utf8, tape) else { return false }
    changeCount += 1
    members.remove(at: index)
    types.removeAll { $0.name.elementsEqual(name.utf8) }
    return true
  }

  /// Gives a field another name; returns false if it is not there, or the other one is.
  mutating func rename(_ name: String, to other: String, of tape: JSONTape) -> Bool {
    guard let index = index(of: name.utf8, tape) else { return true }
    guard self.index(of: other.utf8, tape) == nil else { return false }
    changeCount += 1
    names.append(Array(other.utf8))
    for type in types.indices where types[type].name.elementsEqual(name.utf8) {
      types[type].name = Array(other.utf8)
    }
    members[index].name = .given(names.count - 1)
    return true
  }

  // MARK: Writing

  /// Writes the fields as an object.
  package func write(to writer: inout JSONWriter, of tape: JSONTape) {
    writer.beginObject()
    for member in members {
      switch member.name {
      case .node(let node):
        let range = tape.range(of: node)
        writer.name(tape.text.span.extracting(range))
      case .given(let index):
        let name = names[index]
        writer.name(name.span)
      }
      switch member.value {
      case .node(let node): writer.value(node, of: tape)
      case .given(let index): values[index].write(to: &writer)
      }
    }
    writer.endObject()
  }

  /// Writes the types that JSON does not show: those of the source that are still about something, by
  /// the names that fields have now, and those of new values.
  ///
  /// - Parameter node: the types of the source; nil if it has none.
  package func writeTypes(_ node: Int?, to writer: inout JSONWriter, of tape: JSONTape) {
    var known: [(pointer: [UInt8], type: [UInt8])] = types.map { name, rest, type in
      (JSONPointer(tokens: [name] + rest).text, Array(type.name.utf8))
    }
    if let node {
      var pointer = node + 1
      while pointer < tape.node(after: node) {
        if let moved = moved(pointer, tape) { known.append((moved, tape.bytes(of: pointer + 1))) }
        pointer = tape.node(after: pointer + 1)
      }
    }
    guard !known.isEmpty else { return }
    writer.name("types")
    writer.beginObject()
    for (pointer, type) in known {
      writer.name(pointer.span)
      writer.string(type.span)
    }
    writer.endObject()
  }

  /// Where a pointer of the source leads now; nil if what it led to is not there any more.
  private func moved(_ node: Int, _ tape: JSONTape) -> [UInt8]? {
    guard let pointer = JSONPointer(tape.bytes(of: node)), let first = pointer.tokens.first else {
      return nil
    }
    for member in members {
      guard case .node(let value) = member.value, tape.isEqual(value - 1, to: first) else {
        continue
      }
      switch member.name {
      case .node: return pointer.text
      case .given(let index):
        return JSONPointer(tokens: [names[index]] + pointer.tokens.dropFirst()).text
      }
    }
    return nil
  }
}
