/// The JSON that an app itself writes of its data and reads again, as a value: what each member is made of.
package struct AppFormat: Sendable {
  /// A member of the whole.
  package struct Section: Sendable {
    package let name: String
    package let content: Content
  }

  /// What a section is.
  package enum Content: Sendable {
    /// The time of the export.
    case now
    /// One entity of a kind; the most characters of it that the app takes, if there is such a limit.
    case one(String, AppTemplate, limit: Int? = nil)
    /// All entities of a kind that the app would take.
    case all(String, AppTemplate, AppRule)
  }

  /// The members, in the order in which they are written.
  package let sections: [Section]

  init(_ sections: [(String, Content)]) {
    self.sections = sections.map { Section(name: $0.0, content: $0.1) }
  }
}

/// Which entities an app takes.
package struct AppRule: Sendable {
  /// The most that it takes.
  package var limit: Int
  /// A property that has to lead to an entity of a kind; others are not in the JSON.
  package var requires: (property: String, kind: String)?
  /// Dates of the entity and of the one that it leads to: the app skips what is before the day of the
  /// latter.
  package var notBefore: (date: String, start: String)?
}

/// What is written for an entity, or for a value of it.
package indirect enum AppTemplate: Sendable {
  /// The value as it is.
  case value
  /// The identity of the entity.
  case identity
  /// A date, in whole seconds.
  case date
  /// Bytes in base64.
  case bytes
  /// The identity of an entity of a kind, if there is such an entity.
  case link(String)
  /// JSON that is always the same.
  case literal(String)
  /// A member, by the first of these names that has a value.
  case member([String], AppTemplate)
  /// The first that has a value.
  case first([AppTemplate])
  /// What belongs to a text or number, of the value itself or of its member.
  case choice(of: String?, [(String, AppTemplate)], otherwise: AppTemplate?)
  /// An array of what each element is.
  case list(AppTemplate)
  case object([AppMember])

  /// A member by its own name, as it is.
  static func same(_ name: String) -> AppTemplate { .member([name], .value) }

  /// The kinds that it writes identities of.
  package var links: Set<String> {
    switch self {
    case .value, .identity, .date, .bytes, .literal: []
    case .link(let kind): [kind]
    case .member(_, let template), .list(let template): template.links
    case .first(let templates): templates.reduce(into: []) { $0.formUnion($1.links) }
    case .choice(_, let cases, let otherwise):
      cases.reduce(into: otherwise?.links ?? []) { $0.formUnion($1.1.links) }
    case .object(let members): members.reduce(into: []) { $0.formUnion($1.template.links) }
    }
  }

  /// The names of the members that it takes of an entity or object.
  package var taken: Set<String> {
    switch self {
    case .value, .identity, .date, .bytes, .link, .literal, .list: []
    case .member(let names, _): Set(names)
    case .first(let templates): templates.reduce(into: []) { $0.formUnion($1.taken) }
    case .choice(let name, let cases, let otherwise):
      cases.reduce(into: Set([name, nil].compactMap { $0 })) { $0.formUnion($1.1.taken) }
        .union(otherwise?.taken ?? [])
    case .object(let members): members.reduce(into: []) { $0.formUnion($1.template.taken) }
    }
  }
}

/// A member of an object that is written.
package struct AppMember: Sendable {
  /// What becomes of an object that has no value for it.
  package enum Absence: Sendable {
    /// The member is left out.
    case leftOut
    /// The app reads no object without it: all of it is left out.
    case refused
    /// JSON that the app itself takes then; whether that is worth telling.
    case literal(String, isTold: Bool)
  }

  package let name: String
  package let template: AppTemplate
  package let absence: Absence

  init(_ name: String, _ template: AppTemplate, _ absence: Absence = .refused) {
    (self.name, self.template, self.absence) = (name, template, absence)
  }

  /// A member by its own name, as it is.
  static func same(_ name: String, _ absence: Absence = .refused) -> AppMember {
    AppMember(name, .same(name), absence)
  }
}

extension Profile {
  /// What stands behind the name of a profile that was made of another one and of a store.
  package static let extensionSuffix = "-extended"

  /// The app's own JSON; nil if nobody has described any.
  package var appFormat: AppFormat? {
    name == "ritualist" || name == "ritualist" + Self.extensionSuffix ? .ritualist : nil
  }
}
