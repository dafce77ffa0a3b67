import Diagnostics

// The form of a profile file, before anything is made of it.
extension ProfileReader {
  /// Looks whether a value has its form, with all that is in it.
  func check(
    _ node: Int, _ value: ProfileForm.Value, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) {
    let kind = tape.kind(of: node)
    func require(_ isRight: Bool, _ expected: String) throws(ProfileDefect) {
      if !isRight { throw ProfileDefect(.wrongForm(expected: expected), at: place) }
    }
    switch value {
    case .text: try require(kind == .string, "a string")
    case .name:
      try require(kind == .string, "a string")
      if !Profile.isName(tape.bytes(of: node)) {
        throw ProfileDefect(.notAName(string(node)), at: place)
      }
    case .fileName: try require(kind == .string, "a string")
    case .version:
      let number = kind == .number ? Int(string(node)) : nil
      try require(
        number.map { 1...Profile.largestVersion ~= $0 } ?? false,
        "a whole number from 1 to \(Profile.largestVersion.grouped)")
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
        throw ProfileDefect(.tooMany("elements", limit: limit), at: place)
      }
      for (index, element) in elements(of: node).enumerated() {
        try check(element, value, at: place + [.element(index)])
      }
    case .table(let form):
      try require(kind == .object, "an object")
      if tape.childCount(of: node) > Profile.largestPropertyCount {
        throw ProfileDefect(.tooMany("members", limit: Profile.largestPropertyCount), at: place)
      }
      for (name, value) in members(of: node) {
        try check(value, .object(form), at: place + [.member(tape.bytes(of: name))])
      }
    }
  }

  private func check(
    object: Int, _ form: ProfileForm, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) {
    for (name, value) in members(of: object) {
      let place = place + [.member(tape.bytes(of: name))]
      guard
        let member = (form.members + [ProfileForm.comment]).first(where: { member in
          tape.isEqual(name, to: member.name.description.utf8)
        })
      else {
        throw ProfileDefect(
          .unknownMember(string(name), known: form.members.map(\.name.description)), at: place)
      }
      try check(value, member.value, at: place)
    }
    for member in form.members where member.isRequired {
      if tape.member(member.name.description, of: object) == nil {
        throw ProfileDefect(.missingMember(member.name.description), at: place)
      }
    }
  }
}
