import Diagnostics

/// Reads a JSON file that a person writes: first looks whether it has its form, then gives the values.
package struct FormReader: Sendable {
  /// The file.
  package var tape = JSONTape()

  /// Creates a reader of nothing yet.
  package init() {}

  /// Reads text.
  package mutating func parse(_ bytes: [UInt8], depthLimit: Int) throws(JSONDefect) {
    try tape.parse(bytes, depthLimit: depthLimit)
  }

  /// Looks whether the whole file has a form. The first thing that is wrong is told.
  package func check(_ form: FileForm) throws(FormDefect) { try check(0, .object(form), at: []) }

  /// Looks whether a value has its form, with all that is in it.
  private func check(
    _ node: Int, _ value: FileForm.Value, at place: [FormStep]
  ) throws(FormDefect) {
    let kind = tape.kind(of: node)
    func require(_ isRight: Bool, _ expected: String) throws(FormDefect) {
      if !isRight { throw FormDefect(.wrongForm(expected: expected), at: place) }
    }
    switch value {
    case .any: break
    case .text, .fileName: try require(kind == .string, "a string")
    case .name:
      try require(kind == .string, "a string")
      if !FileForm.isName(tape.bytes(of: node)) {
        throw FormDefect(.notAName(string(node)), at: place)
      }
    case .whole(let range):
      let number = kind == .number ? Int(string(node)) : nil
      try require(
        number.map { range ~= $0 } ?? false,
        "a whole number from \(range.lowerBound.grouped) to \(range.upperBound.grouped)")
    case .flag: try require(tape.nodes[node].isBoolean, "true or false")
    case .number: try require(kind == .number, "a number")
    case .choice(let words):
      try require(
        kind == .string && words.contains { tape.isEqual(node, to: $0.utf8) },
        "one of " + words.joined(separator: ", "))
    case .object(let form):
      try require(kind == .object, "an object")
      try check(object: node, form, at: place)
    case .list(let value, let limit):
      try require(kind == .array && tape.childCount(of: node) > 0, "an array that is not empty")
      if tape.childCount(of: node) > limit {
        throw FormDefect(.tooMany("elements", limit: limit), at: place)
      }
      for (index, element) in elements(of: node).enumerated() {
        try check(element, value, at: place + [.element(index)])
      }
    case .table(let value, let limit):
      try require(kind == .object, "an object")
      if tape.childCount(of: node) > limit {
        throw FormDefect(.tooMany("members", limit: limit), at: place)
      }
      for (name, member) in members(of: node) {
        try check(member, value, at: place + [.member(tape.bytes(of: name))])
      }
    case .oneOf(let what, let forms):
      let chosen =
        kind == .object
        ? forms.first { form in
          form.members.first.map { tape.member($0.name.description, of: node) != nil } ?? false
        } : nil
      guard let chosen else {
        let words = forms.compactMap { $0.members.first?.name.description }
        return try require(false, "\(what) with one of " + words.joined(separator: ", "))
      }
      try check(object: node, chosen, at: place)
    case .defined(let definition): try check(node, definition.value(), at: place)
    }
  }

  private func check(object: Int, _ form: FileForm, at place: [FormStep]) throws(FormDefect) {
    for (name, value) in members(of: object) {
      let place = place + [.member(tape.bytes(of: name))]
      guard
        let member = (form.members + [FileForm.comment]).first(where: { member in
          tape.isEqual(name, to: member.name.description.utf8)
        })
      else {
        throw FormDefect(
          .unknownMember(string(name), known: form.members.map(\.name.description)), at: place)
      }
      try check(value, member.value, at: place)
    }
    for member in form.members where member.isRequired {
      if tape.member(member.name.description, of: object) == nil {
        throw FormDefect(.missingMember(member.name.description), at: place)
      }
    }
  }
}

// Values, which have their form.
extension FormReader {
  /// Returns a string, or the literal of a number.
  package func string(_ node: Int) -> String {
    String(decoding: tape.bytes(of: node), as: UTF8.self)
  }

  /// Returns the text of a member; nil if there is none.
  package func text(_ name: String, of object: Int) -> String? {
    tape.member(name, of: object).map(string)
  }

  /// Returns a member that is a whole number; nil if there is none.
  package func number(_ name: String, of object: Int) -> Int? {
    text(name, of: object).flatMap { Int($0) }
  }

  /// Returns whether a member is true.
  package func flag(_ name: String, of object: Int) -> Bool {
    tape.member(name, of: object).map { tape.kind(of: $0) == .true } ?? false
  }

  /// Returns the elements of a member; none if it is not there.
  package func elements(_ name: String, of object: Int) -> [Int] {
    tape.member(name, of: object).map(elements) ?? []
  }

  /// Returns the elements of an array.
  package func elements(of array: Int) -> [Int] {
    var elements: [Int] = []
    var element = array + 1
    while element < tape.node(after: array) {
      elements.append(element)
      element = tape.node(after: element)
    }
    return elements
  }

  /// Returns the members of an object, in their order.
  package func members(of object: Int) -> [(name: Int, value: Int)] {
    var names: [UInt32] = []
    tape.appendMembers(of: object, to: &names)
    return names.map { (Int($0), Int($0) + 1) }
  }
}

// Places in the text.
extension FormReader {
  /// Returns the innermost value on the way to a place that is there.
  private func node(at place: [FormStep]) -> Int {
    var node = 0
    for step in place {
      switch (step, tape.kind(of: node)) {
      case (.member(let name), .object):
        guard let found = members(of: node).first(where: { tape.isEqual($0.name, to: name) }) else {
          return node
        }
        node = found.value
      case (.element(let index), .array) where index < tape.childCount(of: node):
        node = elements(of: node)[index]
      default: return node
      }
    }
    return node
  }

  /// Returns the line and the column of a place, both counted from 1, columns in characters.
  ///
  /// - Parameter isName: whether the name of a member is meant, which stands before its value.
  package func position(
    of place: [FormStep], isName: Bool = false
  ) -> (line: Int, column: Int) {
    let node = node(at: place)
    let offset = tape.offset(of: isName && node > 0 ? node - 1 : node)
    return Self.position(of: offset, in: tape.text[..<tape.sourceByteCount])
  }

  /// Returns the line and the column of an offset in a text.
  package static func position(
    of offset: Int, in bytes: some BidirectionalCollection<UInt8>
  ) -> (line: Int, column: Int) {
    let before = bytes.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let column =
      before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count { $0 & 0xc0 != 0x80 } + 1
    return (line, column)
  }
}
