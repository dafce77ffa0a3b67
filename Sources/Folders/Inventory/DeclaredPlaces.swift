import Diagnostics
package import SafeFiles

// Places of entities, as streams tell them: those of the frozen mapping, and places among the files of an
// app that a profile describes.
extension EntityKinds {
  /// Returns the place of an entity in a file of its kind.
  ///
  /// - Parameters:
  ///   - identity: the identity as documents have it, which is the name of a member of a map.
  ///   - element: the index in an array; nil elsewhere, and if no file holds the entity yet.
  package func place(
    of kind: EntityKind, in path: RelativePath, identity: [UInt8], element: Int?
  ) -> FilePlace {
    let month = isGroupedByMonth(kind) ? month(ofPath: path.bytes.span, kind) : nil
    switch self[kind]?.home?.content {
    case .elements(let list):
      let token = element.map { Array(String($0).utf8) } ?? FilePlace.appended
      return FilePlace(
        path: path, pointer: JSONPointer(tokens: list.tokens + [token]), month: month,
        element: element)
    case .members(let map):
      return FilePlace(
        path: path, pointer: JSONPointer(tokens: map.tokens + [identity]), month: month)
    case .entity, .value, nil:
      return FilePlace(path: path, month: month)
    }
  }

  /// Parses the place of an entity of a kind, or of what is no entity; nil if the text is none for it.
  func entityPlace(_ text: Span<UInt8>, of kind: EntityKind) -> EntityPlace? {
    guard hasLayouts else {
      let place = kind == .other ? placeOfOther(Array(text)) : place(Array(text), of: kind)
      return place.map(EntityPlace.file)
    }
    guard let place = EntityPlace(text), kind == .other || hasMonths(kind) == (place.month != nil)
    else { return nil }
    return place
  }

  /// Returns the kind whose entities have a place of that form; nil if it is one among files.
  package func kind(at place: EntityPlace) -> EntityKind? {
    if case .file = place { return nil }
    return all.first { hasMonths($0) == (place.month != nil) }
  }

  /// Parses the place of an entity of a kind; nil if the text is none, or not one of a file of the kind.
  func place(_ text: [UInt8], of kind: EntityKind) -> FilePlace? {
    if let rows = facts(about: kind)?.rows { return place(text.span, in: rows.names, rows.rule) }
    guard let home = self[kind]?.home else { return nil }
    if home.container == nil { return place(inFile: text[...], of: kind) }
    return container(ofPlace: text.span, of: kind)?.place(text.span)
  }

  /// Returns the array or object that the place of an entity of a kind is in; nil if it is in none, or the
  /// text is no place of the kind.
  func container(ofPlace text: Span<UInt8>, of kind: EntityKind) -> PlaceContainer? {
    // Most kinds have none, and what a profile says of a kind is much to copy for each line.
    guard !hasLayouts, let facts = facts(about: kind), !facts.isOneEntity, facts.rows == nil,
      let home = self[kind]?.home, let container = home.container
    else { return nil }
    // A pointer escapes slashes, so the last one is before its last token.
    let text = Array(text)
    let tail = [UInt8(ascii: "#")] + container.text
    guard let slash = text.lastIndex(of: UInt8(ascii: "/")),
      text[..<slash].suffix(tail.count) == tail[...],
      let file = place(inFile: text[..<(slash - tail.count)], of: kind)
    else { return nil }
    return PlaceContainer(kind, of: home, container, in: file, text: Array(text[...slash]))
  }

  /// Returns the place of a row of an entity.
  package func place(ofRow row: Int64?, of entity: String) -> FilePlace? {
    RelativePath(Array(entity.utf8)).map { FilePlace(path: $0, row: row) }
  }

  /// `Item/p12` or `Item`.
  private func place(
    _ text: Span<UInt8>, in names: [RelativePath], _ rows: StoreRows
  ) -> FilePlace? {
    let slash = text.position(of: UInt8(ascii: "/"))
    let name = text.extracting(0..<(slash ?? text.count))
    var known: RelativePath?
    for path in names where path.bytes.span.isEqual(to: name) {
      known = path
      break
    }
    if known == nil, rows.holds(String(decoding: Array(name), as: UTF8.self)) {
      known = RelativePath(Array(name))
    }
    guard let known else { return nil }
    guard let slash else { return FilePlace(path: known) }
    guard slash + 1 < text.count, text[slash + 1] == UInt8(ascii: "p"),
      let row = text.extracting(slash + 2..<text.count).wholeNumber
    else { return nil }
    return FilePlace(path: known, row: row)
  }

  private func place(inFile path: ArraySlice<UInt8>, of kind: EntityKind) -> FilePlace? {
    guard let path = visiblePath(Array(path)), isLegacyFile(path, of: kind) else { return nil }
    return FilePlace(
      path: path, month: isGroupedByMonth(kind) ? month(ofPath: path.bytes.span, kind) : nil)
  }

  /// Parses the place of a key that is no entity: the path of its document.
  func placeOfOther(_ text: [UInt8]) -> FilePlace? {
    visiblePath(text).map { FilePlace(path: $0) }
  }

  /// Returns the place of a key that is no entity of a document.
  package func placeOfOther(in document: RelativePath) -> FilePlace { FilePlace(path: document) }

  /// Readers of a folder see no file that is hidden, or lies in a hidden directory.
  private func visiblePath(_ bytes: [UInt8]) -> RelativePath? {
    Self.isVisible(bytes.span) ? RelativePath(bytes) : nil
  }

  private static func isVisible(_ path: Span<UInt8>) -> Bool {
    var isStart = true
    for index in path.indices {
      if isStart, path[index] == UInt8(ascii: ".") { return false }
      isStart = path[index] == UInt8(ascii: "/")
    }
    return true
  }

  /// What the places of a kind look like, for messages.
  func placeForm(of kind: EntityKind) -> String {
    if hasLayouts { return "tags or records/YYYY/MM/NAME as the kind requires" }
    guard let profile = self[kind] else { return "the path of a document" }
    guard let home = profile.home else { return "a file, and the profile describes none" }
    if let rows = home.rows { return "\(rows.names.joined(separator: " or ")), then /pNUMBER" }
    let paths = home.paths.map(\.description).joined(separator: " or ")
    guard let container = home.container else { return paths }
    let token = if case .elements = home.content { "INDEX" } else { "NAME" }
    return "\(paths), then #\(DisplayText.escaping(container.text))/\(token)"
  }
}

// What the path of a file means that lies in no folder, such as one of a backup.
extension EntityKinds {
  /// Returns what the entities of a legacy file are, and the month that its path says; nil if no reader
  /// of a folder would read it.
  package func legacyGroup(ofPath path: RelativePath) -> EntityGroup? {
    guard Self.isVisible(path.bytes.span) else { return nil }
    if hasDirectoryRoles {
      let (meaning, month) = DirectoryRole.meaning(ofPath: path.bytes.span)
      guard meaning.fileClass.isLegacy else { return nil }
      return EntityGroup(meaning.kind, month: isGroupedByMonth(meaning.kind) ? month : nil)
    }
    let meaning = meaning(ofPath: path.bytes)
    guard meaning.fileClass.isLegacy else { return nil }
    let month = isGroupedByMonth(meaning.kind) ? month(ofPath: path.bytes.span, meaning.kind) : nil
    return EntityGroup(meaning.kind, month: month)
  }

  /// Returns what the entities of a document are, and the month that its path says; nil if it is none
  /// of a kind.
  package func documentGroup(ofPath path: RelativePath) -> EntityGroup? {
    guard let path = visiblePath(path.bytes) else { return nil }
    let meaning = meaning(ofPath: path.bytes)
    guard meaning.fileClass.isDocument, meaning.kind != .other else { return nil }
    return EntityGroup(meaning.kind, month: month(ofPath: path.bytes.span, meaning.kind))
  }
}

// A document that is read by itself.
extension EntityKinds {
  /// Returns what the entities of a document are that lies anywhere, by the end of its path: its name,
  /// or that of what it is a copy of, and as many directories before it as are needed; nil if that
  /// tells no kind, or several.
  package func documentGroup(ofPathEnd path: [UInt8]) -> EntityGroup? {
    let parts = path.split(separator: UInt8(ascii: "/")).map(Array.init)
    guard let name = parts.last else { return nil }
    let names = [name] + ConflictCopyName.readings(of: name.span).map(\.base)
    for name in names {
      // The more of a path is looked at, the fewer kinds it may be of.
      for count in (0..<parts.count).reversed() {
        let end = parts.dropLast().suffix(count) + [name]
        let groups = all.compactMap { group(of: $0, ofPathEnd: Array(end)) }
        if groups.count == 1 { return groups[0] }
        if groups.count > 1 { return nil }
      }
    }
    return all.count == 1 ? EntityGroup(all[0]) : nil
  }

  /// The directories that are not there are taken from the template, unless they say the month.
  private func group(of kind: EntityKind, ofPathEnd end: [[UInt8]]) -> EntityGroup? {
    for template in self[kind]?.home?.document.templates ?? [] {
      let parts = template.text.split(separator: UInt8(ascii: "/")).map(Array.init)
      guard parts.count >= end.count else { continue }
      let path = parts.dropLast(end.count) + end
      let text = Array(path.joined(separator: [UInt8(ascii: "/")]))
      if let match = template.pattern?.match(text.span) {
        return EntityGroup(kind, month: match.month)
      }
    }
    return nil
  }
}

extension EntityHome {
  /// Whether a member of the map of entities is none and stays in the file.
  package func staysInMap(_ name: [UInt8]) -> Bool {
    guard case .members(let map) = content else { return false }
    return stays.contains(JSONPointer(tokens: map.tokens + [name]))
  }

  /// The array or object that holds entities; nil if a file holds one.
  var container: JSONPointer? {
    switch content {
    case .entity, .value: nil
    case .elements(let pointer), .members(let pointer): pointer
    }
  }
}
