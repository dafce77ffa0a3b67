import SafeFiles

// The file form of a profile, written: one form for one value, which reads as the same value.
extension Profile {
  /// The profile as a file: members in the order of `FileForm.profile`, without those that say nothing,
  /// properties by the bytes of their names.
  package var file: [UInt8] { file(with: ProfileComments()) }

  /// The same with comments, which its reader passes over.
  package func file(with comments: ProfileComments) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("profile", name)
    writer.name("version")
    writer.number(version)
    writer.member("description", description)
    writer.member("lock", lock.map { String(decoding: $0.bytes, as: UTF8.self) })
    writer.member("recognizedBy", recognition.map(\.text))
    writer.member("identifiers", identifiers.map { Array($0.utf8) })
    write(branches, to: &writer)
    writer.name("kinds")
    writer.beginArray()
    for (index, kind) in kinds.enumerated() {
      kind.write(to: &writer, index < comments.kinds.count ? comments.kinds[index] : .init())
    }
    writer.endArray()
    writer.member("comment", comments.profile)
    writer.endObject()
    return JSONIndentation.lines(of: writer.bytes)
  }

  private func write(_ branches: [VersionBranch], to writer: inout JSONWriter) {
    guard !branches.isEmpty else { return }
    writer.name("branches")
    writer.beginArray()
    for branch in branches {
      writer.beginObject()
      writer.name("version")
      writer.number(branch.version)
      writer.member("name", branch.name)
      writer.name("tables")
      writer.beginArray()
      for table in branch.tables {
        writer.beginObject()
        writer.member("kind", table.kind)
        writer.member("properties", table.properties.map { Array($0.bytes) })
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
  }
}

/// Remarks on the parts of a profile, for who reads its file.
package struct ProfileComments: Hashable, Sendable {
  /// Remarks on a kind and on what it has one of.
  package struct Kind: Hashable, Sendable {
    package var kind: String?
    package var identity: String?
    package var files: String?
    package var document: String?
    package var properties: [PropertyName: String] = [:]

    /// Creates none.
    package init() {}
  }

  /// On the whole.
  package var profile: String?
  /// On the kinds, in their order.
  package var kinds: [Kind] = []

  /// Creates none.
  package init() {}
}

extension EntityKindProfile {
  fileprivate func write(to writer: inout JSONWriter, _ comments: ProfileComments.Kind) {
    writer.beginObject()
    writer.member("kind", name)
    writer.member("description", description)
    writer.member("private", isPrivate)
    writer.name("identity")
    writer.beginObject()
    writer.member("type", identity.typeName)
    writer.member("property", identity.property)
    writer.member("comment", comments.identity)
    writer.endObject()
    home?.write(to: &writer, comments)
    writer.name("properties")
    writer.beginObject()
    for property in properties {
      property.write(to: &writer, comment: comments.properties[property.name])
    }
    writer.endObject()
    writer.list("attachments", attachments) { $0.write(to: &$1) }
    writer.list("checks", checks) { $0.write(to: &$1) }
    writer.member("comment", comments.kind)
    writer.endObject()
  }
}

extension EntityHome {
  fileprivate func write(to writer: inout JSONWriter, _ comments: ProfileComments.Kind) {
    if let rows {
      rows.write(to: &writer, comment: comments.files)
    } else {
      writeFiles(to: &writer, comment: comments.files)
    }
    writeDocument(to: &writer, comment: comments.document)
  }

  private func writeFiles(to writer: inout JSONWriter, comment: String?) {
    writer.name("files")
    writer.beginObject()
    writer.member("paths", paths.map(\.text))
    switch content {
    case .entity: break
    case .value(let pointer): writer.member("value", pointer.text)
    case .elements(let pointer): writer.member("elements", pointer.text)
    case .members(let pointer): writer.member("members", pointer.text)
    }
    writer.member("stays", stays.map(\.text))
    writer.member("comment", comment)
    writer.endObject()
  }

  private func writeDocument(to writer: inout JSONWriter, comment: String?) {
    writer.name("document")
    writer.beginObject()
    switch document {
    case .one(let template): writer.member("path", template.text)
    case .monthly(let template, let source, let undated):
      writer.member("path", template.text)
      if case .date(let name) = source { writer.member("month", name) }
      if let undated { writer.member("undated", undated.text) }
    }
    writer.member("comment", comment)
    writer.endObject()
  }
}

extension StoreRows {
  fileprivate func write(to writer: inout JSONWriter, comment: String?) {
    writer.name("rows")
    writer.beginObject()
    writer.member("names", names.map { Array($0.utf8) })
    if let uniqueUntil {
      writer.name("uniqueUntil")
      writer.number(uniqueUntil)
    }
    writer.member("preferences", preferenceKeys)
    writer.member("single", isSingle)
    writer.member("key", key)
    writer.member("comment", comment)
    writer.endObject()
  }
}

extension Property {
  fileprivate func write(to writer: inout JSONWriter, comment: String?) {
    writer.name(name.bytes.span)
    writer.beginObject()
    writer.member("type", type.name)
    writer.member("kind", type.target?.kind)
    if let rule = type.target?.deleteRule, rule != .keep {
      writer.member("onDelete", rule.rawValue)
    }
    writer.member("required", isRequired)
    if since != 1 {
      writer.name("since")
      writer.number(since)
    }
    if let until {
      writer.name("until")
      writer.number(until)
    }
    writer.member("dates", nested.dates.map(\.text))
    writer.member("sets", nested.sets.map(\.text))
    writer.member("description", description)
    writer.member("comment", comment)
    writer.endObject()
  }
}

extension Attachment {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("property", property)
    writer.member("directories", directories.map(\.text))
    writer.endObject()
  }
}

extension PropertyCheck {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("property", property)
    switch self {
    case .range(_, let minimum, let maximum):
      writer.member("minimum", minimum)
      writer.member("maximum", maximum)
    case .pattern(_, let pattern): writer.member("pattern", pattern.text)
    case .order(_, let other): writer.member("notAfter", other)
    case .atMost(_, let other): writer.member("atMost", other)
    case .length(_, let maximum):
      writer.name("maximumLength")
      writer.number(maximum)
    case .timeZone: writer.member("timeZone", true)
    case .notBlank: writer.member("notBlank", true)
    case .past: writer.member("past", true)
    case .count(_, let maximum):
      writer.name("maximumCount")
      writer.number(maximum)
    case .nested(_, let pointer, let minimum, let maximum):
      writer.member("at", pointer.text)
      writer.member("minimum", minimum)
      writer.member("maximum", maximum)
    case .same(_, let other): writer.member("sameAs", other)
    case .presence(_, let condition):
      writer.member("present", true)
      writer.member("when", condition)
    }
    writer.endObject()
  }
}

// Members that are left out where they say nothing.
extension JSONWriter {
  fileprivate mutating func member(_ name: StaticString, _ text: String?) {
    if let text { member(name, Array(text.utf8)) }
  }

  fileprivate mutating func member(_ name: StaticString, _ property: PropertyName?) {
    if let property { member(name, property.bytes) }
  }

  fileprivate mutating func member(_ name: StaticString, _ text: [UInt8]) {
    self.name(name)
    string(text.span)
  }

  fileprivate mutating func member(_ name: StaticString, _ flag: Bool) {
    if flag {
      self.name(name)
      bool(true)
    }
  }

  fileprivate mutating func member(_ name: StaticString, _ number: ExactDecimal?) {
    guard let number else { return }
    var literal: [UInt8] = []
    number.append(to: &literal)
    self.name(name)
    self.number(literal: literal.span)
  }

  fileprivate mutating func member(_ name: StaticString, _ texts: [[UInt8]]) {
    list(name, texts) { $1.string($0.span) }
  }

  fileprivate mutating func list<Element>(
    _ name: StaticString, _ elements: [Element], _ write: (Element, inout JSONWriter) -> Void
  ) {
    if elements.isEmpty { return }
    self.name(name)
    beginArray()
    for element in elements { write(element, &self) }
    endArray()
  }
}
