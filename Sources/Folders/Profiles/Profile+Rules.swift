import Diagnostics
import SafeFiles

// What a profile has to keep, whoever made it. The first thing that is wrong is told.
extension Profile {
  /// The most kinds, properties of a kind, and paths of one list.
  package static let largestKindCount = 64
  package static let largestPropertyCount = 1000
  package static let largestPathCount = 16
  /// The most versions of which the identifiers are listed.
  package static let largestIdentifierCount = 256
  /// The greatest version.
  package static let largestVersion = 1_000_000
  /// The most bytes that all paths and templates take: two of them are compared with each other in
  /// the time of one length times the other.
  package static let largestPathByteCount = 4096

  func checkRules() throws(ProfileDefect) {
    try Self.checkName(name, at: [.named("profile")])
    guard 1...Self.largestVersion ~= version else {
      throw ProfileDefect(
        .wrongForm(expected: "a number from 1 to \(Self.largestVersion.grouped)"),
        at: [.named("version")])
    }
    try checkLock()
    try Self.checkCount(recognition, "patterns", at: [.named("recognizedBy")], isNeeded: false)
    guard identifiers.isEmpty || identifiers.count == version else {
      throw ProfileDefect(
        .wrongForm(expected: "one for each version"), at: [.named("identifiers")])
    }
    guard !kinds.isEmpty else { throw ProfileDefect(.missingMember("kinds"), at: []) }
    guard kinds.count <= Self.largestKindCount else {
      throw ProfileDefect(.tooMany("kinds", limit: Self.largestKindCount), at: [.named("kinds")])
    }
    for index in kinds.indices { try ProfileKindRules(self, index).check() }
    try checkBranches()
    try checkPlaces()
    try checkDeletions()
  }

  /// A branch is a version with tables of kinds, each once, and with properties that they have by then.
  private func checkBranches() throws(ProfileDefect) {
    for (index, branch) in branches.enumerated() {
      let place = [ProfileDefect.Step.named("branches"), .element(index)]
      guard 1...version ~= branch.version,
        !branches[..<index].contains(where: { $0.version == branch.version })
      else {
        throw ProfileDefect(
          .wrongForm(expected: "a version of the profile that no other branch is"),
          at: place + [.named("version")])
      }
      for (number, table) in branch.tables.enumerated() {
        let place = place + [.named("tables"), .element(number)]
        guard let kind = kind(named: table.kind) else {
          throw ProfileDefect(.unknownKind(table.kind), at: place + [.named("kind")])
        }
        if branch.tables[..<number].contains(where: { $0.kind == table.kind }) {
          throw ProfileDefect(.duplicateKind(table.kind), at: place + [.named("kind")])
        }
        for (position, name) in table.properties.enumerated() {
          let place = place + [.named("properties"), .element(position)]
          guard let property = kind.properties[name] else {
            throw ProfileDefect(.unknownProperty(name.description), at: place)
          }
          if property.since > branch.version {
            throw ProfileDefect(
              .sinceAboveVersion(since: property.since, version: branch.version), at: place)
          }
        }
      }
    }
  }

  private func checkLock() throws(ProfileDefect) {
    guard let lock else { return }
    let place = [ProfileDefect.Step.named("lock")]
    if lock == FolderNames.state || FolderNames.isOwnTemporary(lock.bytes.span)
      || String(validating: lock.bytes, as: UTF8.self) == nil
    {
      throw ProfileDefect(.notALock(lock.description), at: place)
    }
    for kind in kinds {
      guard let home = kind.home else { continue }
      let isDocument = home.document.templates.contains { $0.text == lock.bytes }
      if isDocument || home.match(lock.bytes.span) != nil {
        throw ProfileDefect(.lockIsData(lock.description, kind: kind.name), at: place)
      }
    }
  }

  static func checkName(_ name: String, at place: [ProfileDefect.Step]) throws(ProfileDefect) {
    guard FileForm.isName(name.utf8) else { throw ProfileDefect(.notAName(name), at: place) }
  }

  static func checkCount<Item>(
    _ items: [Item], _ noun: String, at place: [ProfileDefect.Step], isNeeded: Bool = true
  ) throws(ProfileDefect) {
    if items.isEmpty, isNeeded {
      throw ProfileDefect(.wrongForm(expected: "at least one"), at: place)
    }
    if items.count > largestPathCount {
      throw ProfileDefect(.tooMany(noun, limit: largestPathCount), at: place)
    }
  }

  // MARK: Between kinds

  /// A file is of one kind, a document is of one kind, and no document is a file of the app.
  private func checkPlaces() throws(ProfileDefect) {
    let homes = kinds.indices.compactMap { index in kinds[index].home.map { (index, $0) } }
    if let first = homes.first, homes.count < kinds.count {
      throw ProfileDefect(
        .homeInPart(kind: kinds[first.0].name), at: [.named("kinds"), .element(first.0)])
    }
    var byteCount = recognition.reduce(0) { $0 + $1.text.count }
    for (index, home) in homes {
      byteCount += home.paths.reduce(0) { $0 + $1.text.count }
      byteCount += home.document.templates.reduce(0) { $0 + $1.text.count }
      byteCount += kinds[index].attachments.flatMap(\.directories).reduce(0) { $0 + $1.text.count }
      if byteCount > Self.largestPathByteCount {
        throw ProfileDefect(
          .pathsTooLong(limit: Self.largestPathByteCount), at: [.named("kinds"), .element(index)])
      }
    }
    for (index, home) in homes {
      for (other, its) in homes where other < index {
        try checkFiles(of: index, home, against: its, of: other)
        try checkDocuments(of: index, home, against: its, of: other)
      }
      for (other, its) in homes { try checkDocuments(of: index, home, areNoFiles: its, of: other) }
    }
  }

  private func checkFiles(
    of index: Int, _ home: EntityHome, against other: EntityHome, of otherIndex: Int
  ) throws(ProfileDefect) {
    for (number, path) in home.paths.enumerated() {
      guard let shared = other.paths.first(where: path.overlaps) else { continue }
      throw ProfileDefect(
        .sharedFiles(
          path.description, other: shared.description, kind: kinds[otherIndex].name),
        at: ProfileKindRules.place(of: index, "files", "paths") + [.element(number)])
    }
  }

  private func checkDocuments(
    of index: Int, _ home: EntityHome, against other: EntityHome, of otherIndex: Int
  ) throws(ProfileDefect) {
    for template in home.document.templates {
      guard let shared = other.document.templates.first(where: template.overlaps) else { continue }
      throw ProfileDefect(
        .sharedDocument(
          template.description, other: shared.description, kind: kinds[otherIndex].name),
        at: ProfileKindRules.place(of: index, "document"))
    }
  }

  private func checkDocuments(
    of index: Int, _ home: EntityHome, areNoFiles other: EntityHome, of otherIndex: Int
  ) throws(ProfileDefect) {
    for pattern in home.document.templates.compactMap(\.pattern) {
      guard let shared = other.paths.first(where: pattern.overlaps) else { continue }
      throw ProfileDefect(
        .documentAmongFiles(
          pattern.description, pattern: shared.description, kind: kinds[otherIndex].name),
        at: ProfileKindRules.place(of: index, "document"))
    }
  }

  /// A deletion that deletes others ends: kinds that delete each other would not. Within one kind, as
  /// in a tree of folders, it goes from entity to entity, each once.
  private func checkDeletions() throws(ProfileDefect) {
    var state = Array(repeating: 0, count: kinds.count)
    var way: [Int] = []
    func visit(_ index: Int) throws(ProfileDefect) {
      state[index] = 1
      way.append(index)
      for property in kinds[index].properties {
        guard let target = property.type.target, target.deleteRule == .delete,
          let name = target.kind, let next = kinds.firstIndex(where: { $0.name == name }),
          next != index
        else { continue }
        if state[next] == 1, let start = way.firstIndex(of: next) {
          throw ProfileDefect(
            .deletionsChase((way[start...] + [next]).map { kinds[$0].name }),
            at: ProfileKindRules.place(of: index, "properties")
              + [.member(property.name.bytes), .named("onDelete")])
        }
        if state[next] == 0 { try visit(next) }
      }
      way.removeLast()
      state[index] = 2
    }
    for index in kinds.indices where state[index] == 0 { try visit(index) }
  }
}
