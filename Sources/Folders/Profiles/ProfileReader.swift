import SafeFiles

/// Turns a tape into a profile: first the form, by the table, then the values.
struct ProfileReader {
  /// A profile is seven levels deep.
  static let depthLimit = 16

  var form = FormReader()
  private var tape: JSONTape { form.tape }

  func profile() throws(ProfileDefect) -> Profile {
    do throws(FormDefect) {
      try form.check(.profile)
    } catch {
      throw ProfileDefect(.form(error.fact), at: error.place)
    }
    let lock = form.text("lock", of: 0)
    if let lock, FileName(lock) == nil {
      throw ProfileDefect(.notALock(lock), at: [.named("lock")])
    }
    let kinds = try form.elements("kinds", of: 0).enumerated().map {
      index, node throws(ProfileDefect) in
      try kind(node, at: [.named("kinds"), .element(index)])
    }
    return try Profile(
      name: form.text("profile", of: 0) ?? "", version: form.number("version", of: 0) ?? 1,
      description: form.text("description", of: 0), lock: lock.flatMap { FileName($0) },
      recognition: try paths("recognizedBy", of: 0, at: []),
      identifiers: form.elements("identifiers", of: 0).map(form.string),
      branches: form.elements("branches", of: 0).map(branch), kinds: kinds)
  }

  private func kind(
    _ node: Int, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> EntityKindProfile {
    var properties: [Property] = []
    for (name, value) in form.members(of: tape.member("properties", of: node) ?? node) {
      properties.append(
        try property(
          value, name, at: place + [.named("properties"), .member(tape.bytes(of: name))]))
    }
    return EntityKindProfile(
      form.text("kind", of: node) ?? "", description: form.text("description", of: node),
      isPrivate: form.flag("private", of: node),
      identity: try identity(tape.member("identity", of: node), at: place + [.named("identity")]),
      home: try home(node, at: place), properties: PropertyTable(properties),
      attachments: try attachments(node, at: place), checks: try checks(node, at: place))
  }

  private func identity(
    _ node: Int?, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> IdentityRule {
    guard let node else { throw ProfileDefect(.missingMember("identity"), at: place) }
    let type = form.text("type", of: node) ?? ""
    let property = name("property", of: node)
    switch (type, property) {
    case ("uuid", let property?): return .uuid(property)
    case ("string", let property?): return .string(property)
    case ("uuid", nil), ("string", nil):
      throw ProfileDefect(.identityWithoutProperty(type), at: place)
    case (_, _?): throw ProfileDefect(.identityWithProperty(type), at: place + [.named("property")])
    case ("member", nil): return .member
    case ("file", nil): return .file
    case ("row", nil): return .row
    default: return .singleton
    }
  }

  private func property(
    _ node: Int, _ name: Int, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> Property {
    let typeName = form.text("type", of: node) ?? ""
    let target = ReferenceTarget(
      form.text("kind", of: node),
      onDelete: form.text("onDelete", of: node).flatMap(ReferenceTarget.DeleteRule.init) ?? .keep)
    var type = PropertyType.names.first { $0.name == typeName }?.type ?? .json
    switch type {
    case .reference: type = .reference(target)
    case .links: type = .links(target)
    default:
      for member in ["kind", "onDelete"] where tape.member(member, of: node) != nil {
        throw ProfileDefect(.targetOfOther(type: typeName), at: place + [.named(member)])
      }
    }
    return Property(
      PropertyName(tape.bytes(of: name)), type, isRequired: form.flag("required", of: node),
      since: form.number("since", of: node) ?? 1, until: form.number("until", of: node),
      nested: NestedMeaning(
        dates: try pointers("dates", of: node, at: place),
        sets: try pointers("sets", of: node, at: place)),
      description: form.text("description", of: node))
  }

  private func pointers(
    _ name: String, of object: Int, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> [JSONPointer] {
    try form.elements(name, of: object).enumerated().map { index, node throws(ProfileDefect) in
      try pointer(node, at: place + [.named(name), .element(index)])
    }
  }

  // MARK: Places

  private func home(
    _ kind: Int, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> EntityHome? {
    let filesPlace = place + [.named("files")]
    let (files, rows) = (tape.member("files", of: kind), tape.member("rows", of: kind))
    guard files != nil || rows != nil else {
      if tape.member("document", of: kind) == nil { return nil }
      throw ProfileDefect(.documentWithoutFiles, at: place + [.named("document")])
    }
    guard let document = tape.member("document", of: kind) else {
      throw ProfileDefect(
        .filesWithoutDocument, at: files == nil ? place + [.named("rows")] : filesPlace)
    }
    guard let files else {
      return EntityHome(
        paths: [], rows: rows.map(self.rows),
        document: try self.document(document, at: place + [.named("document")]))
    }
    if rows != nil { throw ProfileDefect(.filesAndRows, at: place + [.named("rows")]) }
    var content = EntityHome.Content.entity
    for name in ["value", "elements", "members"] {
      guard let node = tape.member(name, of: files) else { continue }
      if content != .entity {
        throw ProfileDefect(.severalContents, at: filesPlace + [.named(name)])
      }
      let pointer = try pointer(node, at: filesPlace + [.named(name)])
      content =
        switch name {
        case "value": .value(pointer)
        case "elements": .elements(pointer)
        default: .members(pointer)
        }
    }
    return EntityHome(
      paths: try paths("paths", of: files, at: filesPlace), content: content,
      stays: try pointers("stays", of: files, at: filesPlace),
      document: try self.document(document, at: place + [.named("document")]))
  }

  private func rows(_ node: Int) -> StoreRows {
    StoreRows(
      form.elements("names", of: node).map(form.string),
      uniqueUntil: form.number("uniqueUntil", of: node),
      preferenceKeys: form.text("preferences", of: node),
      isSingle: form.flag("single", of: node), key: name("key", of: node))
  }

  private func branch(_ node: Int) -> VersionBranch {
    VersionBranch(
      version: form.number("version", of: node) ?? 1, name: form.text("name", of: node) ?? "",
      tables: form.elements("tables", of: node).map { table in
        .init(
          kind: form.text("kind", of: table) ?? "",
          properties: form.elements("properties", of: table).map {
            PropertyName(tape.bytes(of: $0))
          })
      })
  }

  private func document(
    _ node: Int, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> DocumentPlace {
    let path = try template(tape.member("path", of: node), at: place + [.named("path")])
    let month = name("month", of: node)
    let undated = tape.member("undated", of: node)
    guard path.hasMonth else {
      if month != nil { throw ProfileDefect(.monthNotUsed, at: place + [.named("month")]) }
      if undated != nil { throw ProfileDefect(.undatedNotUsed, at: place + [.named("undated")]) }
      return .one(path)
    }
    return .monthly(
      path, of: month.map { .date($0) } ?? .path,
      undated: undated == nil ? nil : try template(undated, at: place + [.named("undated")]))
  }

  private func template(
    _ node: Int?, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> PathTemplate {
    try path(node ?? 0, at: place) { bytes throws(PathDefect) in
      try PathTemplate(ofDocument: bytes)
    }
  }

  private func paths(
    _ name: String, of object: Int, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> [PathPattern] {
    try form.elements(name, of: object).enumerated().map { index, node throws(ProfileDefect) in
      try path(node, at: place + [.named(name), .element(index)]) { bytes throws(PathDefect) in
        try PathPattern(bytes)
      }
    }
  }

  private func path<Path>(
    _ node: Int, at place: [ProfileDefect.Step], _ make: ([UInt8]) throws(PathDefect) -> Path
  ) throws(ProfileDefect) -> Path {
    do throws(PathDefect) {
      return try make(tape.bytes(of: node))
    } catch {
      throw ProfileDefect(.path(error, form.string(node)), at: place)
    }
  }

  private func pointer(
    _ node: Int, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> JSONPointer {
    guard let pointer = JSONPointer(tape.bytes(of: node)) else {
      throw ProfileDefect(.notAPointer(form.string(node)), at: place)
    }
    return pointer
  }

  // MARK: Attachments and checks

  private func attachments(
    _ kind: Int, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> [Attachment] {
    try form.elements("attachments", of: kind).enumerated().map {
      index, node throws(ProfileDefect) in
      let place = place + [.named("attachments"), .element(index), .named("directories")]
      var directories: [PathTemplate] = []
      for (number, directory) in form.elements("directories", of: node).enumerated() {
        directories.append(
          try path(directory, at: place + [.element(number)]) { bytes throws(PathDefect) in
            try PathTemplate(ofDirectory: bytes)
          })
      }
      return Attachment(name("property", of: node) ?? "", in: directories)
    }
  }

  private func checks(
    _ kind: Int, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> [PropertyCheck] {
    try form.elements("checks", of: kind).enumerated().map { index, node throws(ProfileDefect) in
      try check(node, at: place + [.named("checks"), .element(index)])
    }
  }

  private func check(
    _ node: Int, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> PropertyCheck {
    let property = name("property", of: node) ?? ""
    let minimum = try decimal("minimum", of: node, at: place)
    let maximum = try decimal("maximum", of: node, at: place)
    var checks: [PropertyCheck] = []
    if let inner = tape.member("at", of: node) {
      let pointer = try pointer(inner, at: place + [.named("at")])
      checks.append(.nested(property, pointer, minimum: minimum, maximum: maximum))
    } else if minimum != nil || maximum != nil {
      checks.append(.range(property, minimum: minimum, maximum: maximum))
    }
    if let pattern = tape.member("pattern", of: node) {
      guard let made = TextPattern(form.string(pattern)) else {
        throw ProfileDefect(.notATextPattern(form.string(pattern)), at: place + [.named("pattern")])
      }
      checks.append(.pattern(property, made))
    }
    if let other = name("notAfter", of: node) {
      checks.append(.order(property, notAfter: other))
    }
    if let other = name("atMost", of: node) { checks.append(.atMost(property, other)) }
    if let count = form.number("maximumLength", of: node) {
      checks.append(.length(property, maximum: count))
    }
    if let count = form.number("maximumCount", of: node) {
      checks.append(.count(property, maximum: count))
    }
    if let other = name("sameAs", of: node) { checks.append(.same(property, as: other)) }
    if form.flag("notBlank", of: node) { checks.append(.notBlank(property)) }
    if form.flag("past", of: node) { checks.append(.past(property)) }
    if form.flag("timeZone", of: node) { checks.append(.timeZone(property)) }
    let condition = name("when", of: node)
    if form.flag("present", of: node) { checks.append(.presence(property, when: condition)) }
    guard checks.count == 1, condition == nil || checks[0].other == condition else {
      throw ProfileDefect(.severalChecks, at: place)
    }
    return checks[0]
  }

  private func decimal(
    _ name: String, of object: Int, at place: [ProfileDefect.Step]
  ) throws(ProfileDefect) -> ExactDecimal? {
    guard let node = tape.member(name, of: object) else { return nil }
    guard let decimal = ExactDecimal(tape.text.span.extracting(tape.range(of: node))) else {
      throw ProfileDefect(.notADecimal(form.string(node)), at: place + [.named(name)])
    }
    return decimal
  }

  private func name(_ name: String, of object: Int) -> PropertyName? {
    tape.member(name, of: object).map { PropertyName(tape.bytes(of: $0)) }
  }
}
