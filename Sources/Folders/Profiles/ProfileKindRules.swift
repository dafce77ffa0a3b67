/// What one kind of a profile has to keep.
struct ProfileKindRules {
  private let profile: Profile
  private let index: Int
  private var kind: EntityKindProfile { profile.kinds[index] }

  init(_ profile: Profile, _ index: Int) {
    self.profile = profile
    self.index = index
  }

  static func place(of kind: Int, _ members: String...) -> [ProfileDefect.Step] {
    [.named("kinds"), .element(kind)] + members.map(ProfileDefect.Step.named)
  }

  private func place(_ members: String...) -> [ProfileDefect.Step] {
    Self.place(of: index) + members.map(ProfileDefect.Step.named)
  }

  func check() throws(ProfileDefect) {
    try Profile.checkName(kind.name, at: place("kind"))
    // A key of a document that is no entity has this kind in streams.
    if kind.name == "other" { throw ProfileDefect(.reservedName(kind.name), at: place("kind")) }
    if profile.kinds[..<index].contains(where: { $0.name == kind.name }) {
      throw ProfileDefect(.duplicateKind(kind.name), at: place("kind"))
    }
    try checkProperties()
    if let home = kind.home {
      if home.rows == nil { try checkFiles(home) } else { try checkRows(home) }
      try checkIdentity(home)
      try checkDocument(home)
    }
    try checkAttachments()
    for (number, check) in kind.checks.enumerated() {
      try self.check(check, at: place("checks") + [.element(number)])
    }
  }

  // MARK: Properties

  private func checkProperties() throws(ProfileDefect) {
    let place = place("properties")
    guard kind.properties.count <= Profile.largestPropertyCount else {
      throw ProfileDefect(.tooMany("properties", limit: Profile.largestPropertyCount), at: place)
    }
    if kind.identity.property?.bytes.isEmpty == true {
      throw ProfileDefect(.emptyName, at: self.place("identity", "property"))
    }
    var previous: PropertyName?
    for property in kind.properties {
      let place = place + [.member(property.name.bytes)]
      if property.name.bytes.isEmpty { throw ProfileDefect(.emptyName, at: place) }
      if property.name == previous {
        throw ProfileDefect(.duplicateProperty(property.name.description), at: place)
      }
      if property.name == kind.identity.property {
        throw ProfileDefect(.identityAsProperty(property.name.description), at: place)
      }
      previous = property.name
      try checkVersions(of: property, at: place)
      if !property.nested.isEmpty, property.type != .json {
        throw ProfileDefect(
          .wrongPropertyType(
            property.name.description, type: property.type.name, expected: "json"), at: place)
      }
      if let target = property.type.target { try check(target, of: property, at: place) }
    }
  }

  private func checkVersions(
    of property: Property, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) {
    let version = profile.version
    if property.since > version {
      throw ProfileDefect(
        .sinceAboveVersion(since: property.since, version: version),
        at: place + [.named("since")])
    }
    guard let until = property.until else { return }
    if until <= property.since {
      throw ProfileDefect(
        .untilNotAboveSince(until: until, since: property.since), at: place + [.named("until")])
    }
    if until > version {
      throw ProfileDefect(
        .untilAboveVersion(until: until, version: version), at: place + [.named("until")])
    }
  }

  private func check(
    _ target: ReferenceTarget, of property: Property, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) {
    if let name = target.kind, profile.kind(named: name) == nil {
      throw ProfileDefect(.unknownKind(name), at: place + [.named("kind")])
    }
    let rulePlace = place + [.named("onDelete")]
    if target.kind == nil, target.deleteRule != .keep {
      throw ProfileDefect(.ruleWithoutKind, at: rulePlace)
    }
    switch (target.deleteRule, property.type) {
    case (.clear, .reference) where property.isRequired:
      throw ProfileDefect(.clearsRequired(property.name.description), at: rulePlace)
    case (.delete, .links): throw ProfileDefect(.deletesByLink, at: rulePlace)
    default: break
    }
  }

  // MARK: Places

  private func checkFiles(_ home: EntityHome) throws(ProfileDefect) {
    try Profile.checkCount(home.paths, "patterns", at: place("files", "paths"))
    if kind.identity == .singleton {
      guard home.paths.count == 1, home.paths[0].isOnePath else {
        throw ProfileDefect(
          .singletonOfMany(home.paths[0].description), at: place("files", "paths"))
      }
    }
    for (number, pointer) in home.stays.enumerated() {
      if !isBeside(pointer, home.content)
        || home.stays[..<number].contains(where: { earlier in
          earlier.contains(pointer) || pointer.contains(earlier)
        })
      {
        throw ProfileDefect(
          .staysNowhere(String(decoding: pointer.text, as: UTF8.self)),
          at: place("files", "stays") + [.element(number)])
      }
    }
  }

  /// A store's entity is of one kind.
  private func checkRows(_ home: EntityHome) throws(ProfileDefect) {
    guard let rows = home.rows else { return }
    try Profile.checkCount(rows.names, "names", at: place("rows", "names"))
    for (number, name) in rows.names.enumerated() {
      let place = place("rows", "names") + [.element(number)]
      guard StoreRows.isName(name) else { throw ProfileDefect(.notARowName(name), at: place) }
      let earlier = profile.kinds[..<index].flatMap { $0.home?.rows?.names ?? [] }
      if (earlier + rows.names[..<number]).contains(name) {
        throw ProfileDefect(.sharedRows(name), at: place)
      }
    }
    if rows.preferenceKeys != nil, kind.identity.property == nil {
      throw ProfileDefect(
        .identityDoesNotFit(kind.identity.typeName, expected: "uuid or string"),
        at: place("identity"))
    }
    if let until = rows.uniqueUntil, until > profile.version {
      throw ProfileDefect(
        .untilAboveVersion(until: until, version: profile.version),
        at: place("rows", "uniqueUntil"))
    }
    if let key = rows.key { try checkKey(key) }
  }

  /// A key is a value that an identity can be made of: the text that it is, or an integer.
  private func checkKey(_ key: PropertyName) throws(ProfileDefect) {
    switch kind.identity {
    case .row:
      try property(key, "integer", at: place("rows", "key"), where: { $0 == .integer })
    case .string(key): return
    case .string: throw ProfileDefect(.unknownProperty(key.description), at: place("rows", "key"))
    default:
      throw ProfileDefect(
        .identityDoesNotFit(kind.identity.typeName, expected: "string or row"),
        at: place("identity"))
    }
  }

  /// Whether what a pointer names holds no entity and is none; of the members of a map some may be none.
  private func isBeside(_ pointer: JSONPointer, _ content: EntityHome.Content) -> Bool {
    switch content {
    case .entity: false
    case .members(let entities) where entities.contains(pointer):
      pointer.tokens.count == entities.tokens.count + 1
    case .value(let entities), .elements(let entities), .members(let entities):
      !entities.contains(pointer) && !pointer.contains(entities)
    }
  }

  private func checkIdentity(_ home: EntityHome) throws(ProfileDefect) {
    let expected: String? =
      switch (home.content, kind.identity) {
      case (_, .file) where home.rows != nil, (_, .member) where home.rows != nil:
        "uuid, string, row or singleton"
      case (_, .row): home.rows == nil ? "uuid, string, file or singleton" : nil
      case (.entity, .member): "uuid, string, file or singleton"
      case (.value, .singleton), (.members, .member), (.entity, _): nil
      case (.elements, .uuid), (.elements, .string): nil
      case (.value, _): "singleton"
      case (.members, _): "member"
      case (.elements, _): "uuid or string"
      }
    guard let expected else { return }
    throw ProfileDefect(
      .identityDoesNotFit(kind.identity.typeName, expected: expected), at: place("identity"))
  }

  private func checkDocument(_ home: EntityHome) throws(ProfileDefect) {
    switch home.document {
    case .one(let template):
      if template.hasMonth { throw ProfileDefect(.undatedMissing, at: place("document")) }
    case .monthly(let template, let source, let undated):
      guard template.hasMonth else { throw ProfileDefect(.monthNotUsed, at: place("document")) }
      let isAlwaysKnown: Bool
      switch source {
      case .path:
        if let rows = home.rows {
          throw ProfileDefect(.noMonth(rows.names[0]), at: place("document", "path"))
        }
        isAlwaysKnown = home.paths.allSatisfy(\.hasMonth)
        if !home.paths.contains(where: \.hasMonth) {
          throw ProfileDefect(.noMonth(home.paths[0].description), at: place("files", "paths"))
        }
      case .date(let name):
        isAlwaysKnown = try property(
          name, "date", at: place("document", "month"), where: { $0 == .date }
        ).isAlwaysThere
      }
      try checkUndated(undated, isNeeded: !isAlwaysKnown, beside: template)
    }
  }

  private func checkUndated(
    _ undated: PathTemplate?, isNeeded: Bool, beside template: PathTemplate
  ) throws(ProfileDefect) {
    guard let undated else {
      if isNeeded { throw ProfileDefect(.undatedMissing, at: place("document")) }
      return
    }
    let place = place("document", "undated")
    if !isNeeded { throw ProfileDefect(.undatedNotUsed, at: place) }
    if undated.hasMonth { throw ProfileDefect(.undatedHasMonth, at: place) }
    if undated.overlaps(template) {
      throw ProfileDefect(
        .sharedDocument(undated.description, other: template.description, kind: kind.name),
        at: place)
    }
  }

  // MARK: Attachments and checks

  private func checkAttachments() throws(ProfileDefect) {
    for (number, attachment) in kind.attachments.enumerated() {
      let place = place("attachments") + [.element(number)]
      try property(
        attachment.property, "string or list", at: place + [.named("property")],
        where: { $0 == .string || $0 == .list })
      if kind.attachments[..<number].contains(where: { $0.property == attachment.property }) {
        throw ProfileDefect(.duplicateAttachment(attachment.property.description), at: place)
      }
      let directories = place + [.named("directories")]
      try Profile.checkCount(attachment.directories, "directories", at: directories)
      var hasMonths = false
      if case .monthly = kind.home?.document { hasMonths = true }
      if !hasMonths, attachment.directories.contains(where: \.hasMonth) {
        throw ProfileDefect(.monthNotUsed, at: directories)
      }
    }
  }

  private func check(
    _ check: PropertyCheck, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) {
    let propertyPlace = place + [.named("property")]
    func isNumber(_ type: PropertyType) -> Bool {
      [.integer, .number, .double, .decimal].contains(type)
    }
    let numbers = "integer, number, double or decimal"
    switch check {
    case .range(let name, let minimum, let maximum):
      try property(name, numbers, at: propertyPlace, where: isNumber)
      if minimum == nil, maximum == nil { throw ProfileDefect(.severalChecks, at: place) }
      if let minimum, let maximum, minimum > maximum {
        throw ProfileDefect(.emptyRange, at: place + [.named("minimum")])
      }
    case .atMost(let name, let other):
      try property(name, numbers, at: propertyPlace, where: isNumber)
      try property(other, numbers, at: place + [.named("atMost")], where: isNumber)
    case .presence(let name, let condition):
      try property(name, "any", at: propertyPlace, where: { _ in true })
      if let condition {
        try property(condition, "boolean", at: place + [.named("when")], where: { $0 == .boolean })
      }
    case .nested(let name, _, let minimum, let maximum):
      try property(name, "json", at: propertyPlace, where: { $0 == .json })
      if minimum == nil, maximum == nil { throw ProfileDefect(.severalChecks, at: place) }
      if let minimum, let maximum, minimum > maximum {
        throw ProfileDefect(.emptyRange, at: place + [.named("minimum")])
      }
    case .count(let name, _):
      try property(
        name, "json, list or links", at: propertyPlace,
        where: { [.json, .list].contains($0) || $0.name == "links" })
    case .same(let name, let other):
      let first = try property(
        name, "reference", at: propertyPlace, where: { $0.name == "reference" })
      try property(
        other, "reference to the same", at: place + [.named("sameAs")],
        where: { $0.name == "reference" && $0.target?.kind == first.type.target?.kind })
      if name == other {
        throw ProfileDefect(.orderOfOne(name.description), at: place + [.named("sameAs")])
      }
    case .past(let name):
      try property(name, "date", at: propertyPlace, where: { $0 == .date })
    case .pattern(let name, _), .length(let name, _), .timeZone(let name), .notBlank(let name):
      try property(
        name, "string or text", at: propertyPlace, where: { $0 == .string || $0 == .text })
    case .order(let name, let other):
      try property(name, "date", at: propertyPlace, where: { $0 == .date })
      try property(other, "date", at: place + [.named("notAfter")], where: { $0 == .date })
      if name == other {
        throw ProfileDefect(.orderOfOne(name.description), at: place + [.named("notAfter")])
      }
    }
  }

  @discardableResult
  private func property(
    _ name: PropertyName, _ expected: String, at place: [ProfileDefect.Step],
    where isOfType: (PropertyType) -> Bool
  ) throws(ProfileDefect) -> Property {
    guard let property = kind.properties[name] else {
      throw ProfileDefect(.unknownProperty(name.description), at: place)
    }
    guard isOfType(property.type) else {
      throw ProfileDefect(
        .wrongPropertyType(name.description, type: property.type.name, expected: expected),
        at: place)
    }
    return property
  }
}
