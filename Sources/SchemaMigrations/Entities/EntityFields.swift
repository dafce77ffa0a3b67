package import Folders

/// A value that a step gives, with its JSON where that is the same for every entity.
struct GivenValue {
  let value: MigrationValue
  private let json: [UInt8]?

  /// Creates a value that is written once.
  init(_ value: MigrationValue) {
    self.value = value
    json = nil
  }

  /// Creates a value that many entities get.
  init(shared value: MigrationValue) {
    self.value = value
    json = value.json
  }

  func write(to writer: inout JSONWriter) {
    if let json { writer.value(written: json.span) } else { value.write(to: &writer) }
  }
}

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
  private var values: [GivenValue] = []
  /// Types of values that neither JSON nor the profile shows, by the names of their fields and the way
  /// from there.
  private var types: [(name: [UInt8], rest: [[UInt8]], type: StreamType)] = []
  /// The types of the source.
  private var sourceTypes: Int?
  /// The names that fields had which steps have taken away or renamed.
  private var removed: [[UInt8]] = []
  /// How often something was changed since it was read.
  package private(set) var changeCount = 0
  /// Whether anything is not as it was read.
  package var isChanged: Bool { changeCount > 0 }

  /// Creates the fields of an entity that has none.
  package init() {}

  /// Takes the members of an object of a tape.
  ///
  /// - Parameter types: the types of values in it that neither JSON nor the profile shows, if it has any.
  package mutating func take(_ object: Int, types sourceTypes: Int? = nil, of tape: JSONTape) {
    self.sourceTypes = sourceTypes
    members.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    types.removeAll(keepingCapacity: true)
    removed.removeAll(keepingCapacity: true)
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
    guard !path.firstBytes.isEmpty || path.first != nil,
      let index = index(of: path.firstBytes, tape)
    else { return nil }
    let value = value(members[index].value, tape)
    return path.isMember ? value : path.rest.value(in: value)
  }

  /// Returns the value of a field; nil if there is none of that name.
  package func value(named name: [UInt8], of tape: JSONTape) -> MigrationValue? {
    index(of: name, tape).map { value(members[$0].value, tape) }
  }

  /// Returns the text of a field; nil if there is none of that name, or it is something else.
  package func text(_ name: [UInt8], of tape: JSONTape) -> String? {
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

  /// Returns the names of the fields that steps have given, taken away or renamed since they were read,
  /// each once.
  package func touched(of tape: JSONTape) -> [[UInt8]] {
    var touched: [[UInt8]] = []
    for member in members {
      switch (member.name, member.value) {
      case (.node, .node): continue
      case (.node(let node), .given): touched.append(tape.bytes(of: node))
      case (.given(let index), _): touched.append(names[index])
      }
    }
    for name in removed where !touched.contains(name) { touched.append(name) }
    return touched
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
    case .given(let index): values[index].value
    }
  }

  private func index(of name: [UInt8], _ tape: JSONTape) -> Int? {
    for (index, member) in members.enumerated() {
      let isEqual =
        switch member.name {
        case .node(let node): tape.isEqual(node, to: name.span)
        case .given(let index): names[index] == name
        }
      if isEqual { return index }
    }
    return nil
  }

  // MARK: Changing

  /// Gives a field a value.
  ///
  /// - Parameter given: the types of the value and of what is in it, by the way there, where JSON does not
  ///   show them and nobody declares them; nil if they stay what they are where the value does.
  mutating func set(
    _ name: [UInt8], to value: GivenValue,
    types given: [(rest: [[UInt8]], type: StreamType)]? = nil, of tape: JSONTape
  ) {
    let index = index(of: name, tape)
    // What is so already is no change.
    if let index, self.value(members[index].value, tape) == value.value,
      given.map({ isTyped(members[index], as: $0, tape) }) ?? true
    {
      return
    }
    let types = given ?? []
    changeCount += 1
    values.append(value)
    if !self.types.isEmpty { self.types.removeAll { $0.name == name } }
    for (rest, type) in types { self.types.append((name, rest, type)) }
    if let index {
      members[index].value = .given(values.count - 1)
    } else {
      names.append(name)
      members.append(Member(name: .given(names.count - 1), value: .given(values.count - 1)))
    }
  }

  /// Whether the types of a field, and of what is in it, are these.
  private func isTyped(
    _ member: Member, as given: [(rest: [[UInt8]], type: StreamType)], _ tape: JSONTape
  ) -> Bool {
    var known: [[UInt8]: [UInt8]] = [:]
    switch member.value {
    case .given:
      let name = Array(name(member.name, tape).utf8)
      for (rest, type) in types.lazy.filter({ $0.name == name }).map({ ($0.rest, $0.type) }) {
        known[JSONPointer(tokens: rest).text] = Array(type.name.utf8)
      }
    case .node(let value):
      guard let sourceTypes else { break }
      var pointer = sourceTypes + 1
      while pointer < tape.node(after: sourceTypes) {
        let tokens = JSONPointer(tape.bytes(of: pointer))?.tokens ?? []
        if let first = tokens.first, tape.isEqual(value - 1, to: first) {
          known[JSONPointer(tokens: Array(tokens.dropFirst())).text] = tape.bytes(of: pointer + 1)
        }
        pointer = tape.node(after: pointer + 1)
      }
    }
    var wanted: [[UInt8]: [UInt8]] = [:]
    for (rest, type) in given { wanted[JSONPointer(tokens: rest).text] = Array(type.name.utf8) }
    return known == wanted
  }

  /// Removes a field; returns whether it was there.
  package mutating func remove(_ name: [UInt8], of tape: JSONTape) -> Bool {
    guard let index = index(of: name, tape) else { return false }
    changeCount += 1
    removed.append(name)
    members.remove(at: index)
    if !types.isEmpty { types.removeAll { $0.name == name } }
    return true
  }

  /// Gives a field another name; returns false if it is not there, or the other one is.
  mutating func rename(_ name: [UInt8], to other: [UInt8], of tape: JSONTape) -> Bool {
    guard let index = index(of: name, tape) else { return true }
    guard self.index(of: other, tape) == nil else { return false }
    changeCount += 1
    removed.append(name)
    names.append(other)
    for type in types.indices where types[type].name == name { types[type].name = other }
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
