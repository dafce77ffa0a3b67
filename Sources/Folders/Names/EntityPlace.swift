package import SafeFiles

/// Where an entity lives in a folder, whatever the format: `tags` or `records/YYYY/MM/NAME`, and for
/// other apps the place among their files.
///
/// A place says the same for a legacy file, for a document of either layout and in the interchange
/// stream. It cannot leave the folder and cannot name a hidden file.
package enum EntityPlace: Hashable, Sendable {
  /// Among all of its kind: `tags`.
  case common
  /// In a month, under a file name without its extension: `records/YYYY/MM/NAME`.
  case dated(Month, name: [UInt8])
  /// In a file of an app that a profile describes.
  indirect case file(FilePlace)

  /// Parses `tags` or `records/YYYY/MM/NAME`, and nothing else.
  ///
  /// NAME must be one visible path component: not empty, no `/`, no NUL, no dot in front.
  package init?(_ text: Span<UInt8>) {
    if NameText.isEqual(text, "tags") {
      self = .common
      return
    }
    guard text.count > 16, NameText.isEqual(text.extracting(0..<8), "records/"),
      let year = NameText.number(text, 8..<12), text[12] == UInt8(ascii: "/"),
      let month = NameText.number(text, 13..<15), text[15] == UInt8(ascii: "/"),
      let found = Month(year: year, month: month)
    else { return nil }
    let name = text.extracting(16..<text.count)
    guard EntityPlace.isName(name) else { return nil }
    self = .dated(found, name: Array(name))
  }

  /// Returns whether bytes can be the name of a record: one visible path component.
  package static func isName(_ name: Span<UInt8>) -> Bool {
    guard name.count > 0, name[0] != UInt8(ascii: ".") else { return false }
    for index in name.indices where name[index] == UInt8(ascii: "/") || name[index] == 0 {
      return false
    }
    return true
  }

  /// Appends the place as the stream writes it.
  package func append(to bytes: inout [UInt8]) {
    switch self {
    case .common: bytes.append(contentsOf: "tags".utf8)
    case .dated(let month, let name):
      EntityPlace.append(month, to: &bytes)
      bytes.append(UInt8(ascii: "/"))
      bytes.append(contentsOf: name)
    case .file(let place): place.append(to: &bytes)
    }
  }

  /// The month that the place says; nil if it says none.
  package var month: Month? {
    switch self {
    case .common: nil
    case .dated(let month, _): month
    case .file(let place): place.month
    }
  }

  /// The name in the month; nil if there is none.
  package var name: [UInt8]? { if case .dated(_, let name) = self { name } else { nil } }

  /// The path of the legacy file of this place, relative to the folder.
  package var legacyPath: RelativePath {
    if case .file(let place) = self { place.path } else { path(FolderNames.legacyExtension) }
  }

  /// Appends `records/YYYY/MM`.
  static func append(_ month: Month, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: records)
    month.append(to: &bytes)
  }

  private static let records = Array("records/".utf8)

  func path(_ suffix: String) -> RelativePath {
    var bytes: [UInt8] = []
    // "records/2024/03/" and the name: a path that grows takes twice what it needs.
    bytes.reserveCapacity(16 + (name?.count ?? 0) + suffix.utf8.count)
    append(to: &bytes)
    bytes.append(contentsOf: suffix.utf8)
    return .checked(bytes)
  }
}

extension EntityPlace: Comparable {
  /// What has no month first, then by month and name; places among files by themselves.
  package static func < (left: EntityPlace, right: EntityPlace) -> Bool {
    switch (left, right) {
    case (.dated(let month, let name), .dated(let other, let otherName)):
      month == other ? ByteOrder.precedes(name, otherName) : month < other
    case (.file(let place), .file(let other)): place < other
    case (.common, .dated), (.common, .file), (.dated, .file): true
    default: false
    }
  }
}

extension RelativePath {
  /// Creates a path from bytes that were checked, or put together from checked parts.
  static func checked(_ bytes: [UInt8]) -> RelativePath {
    guard let path = RelativePath(bytes) else { preconditionFailure("not a relative path") }
    return path
  }

  /// The identity of what a file holds whose path is its identity: the path without the extension, in
  /// normalization form C.
  package var identity: [UInt8] {
    let start = (bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
    guard let dot = bytes[start...].lastIndex(of: UInt8(ascii: ".")), dot > start else {
      return bytes.normalized
    }
    return Array(bytes[..<dot]).normalized
  }
}

/// Where the documents of a folder lie.
package enum DocumentLayout: String, CaseIterable, Hashable, Sendable {
  /// One document a month: `records/YYYY/MM.automerge`.
  case monthly
  /// One document a record: `records/YYYY/MM/NAME.automerge`.
  case perRecord = "per-record"

  /// Returns the path of the document that holds the entity of a place.
  package func documentPath(for place: EntityPlace) -> RelativePath {
    switch (place, self) {
    case (.common, _): DocumentLayout.commonDocument
    case (.dated(let month, _), .monthly): DocumentLayout.documentPath(of: month)
    case (.dated, .perRecord): place.path(FolderNames.documentExtension)
    case (.file, _): preconditionFailure("the documents of other apps have no layout")
    }
  }

  /// The path of the document of what has no month, in either layout.
  package static let commonDocument = RelativePath(FolderNames.tagsDocument)

  /// Returns the name of a record's document where its own is taken or too long: what is kept of it, and
  /// the first digits of the record's identity.
  package static func longerName(_ name: [UInt8], of identity: Identity) -> [UInt8] {
    keptName(name) + [UInt8(ascii: "_")] + identity.canonicalBytes.prefix(identityDigits)
  }

  /// The longest name of a record that its document may have.
  package static let longestName = FileName.longest - FolderNames.documentExtension.utf8.count

  /// Returns what the name of a record's document begins with in any case: all of the record's name, unless
  /// that is so long that there is no room for the digits.
  package static func keptName(_ name: [UInt8]) -> ArraySlice<UInt8> {
    FileName(name)?.prefix(longestName - identityDigits - 1) ?? name[...]
  }

  private static let identityDigits = 8

  /// Returns the path of a month's document in the monthly layout.
  package static func documentPath(of month: Month) -> RelativePath {
    var path: [UInt8] = []
    EntityPlace.append(month, to: &path)
    path.append(contentsOf: FolderNames.documentExtension.utf8)
    return .checked(path)
  }
}
