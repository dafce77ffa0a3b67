import SafeFiles

/// What a directory of a data folder is for, which the names above it decide, never its content.
package enum DirectoryRole: Hashable, Sendable {
  /// The folder itself.
  case folder
  /// `records`, or a copy `records N`.
  case records
  /// A year directly below `records`.
  case recordsYear(Int)
  /// A month directly below such a year.
  case recordsMonth(Month)
  /// Anything else below `records`.
  case belowRecords
  /// `images`, or a copy of it.
  case images
  /// A year directly below `images`.
  case imagesYear(Int)
  /// A month directly below such a year.
  case imagesMonth(Month)
  /// Anything else below `images`.
  case belowImages
  /// Somebody else's directory.
  case foreign
  /// Any directory of a folder whose profile says by patterns where what lies.
  case declared

  /// Returns the role of the directory `name` inside this one.
  func child(_ name: Span<UInt8>) -> DirectoryRole {
    switch self {
    case .folder:
      if DirectoryName.isBase("records", name) { return .records }
      return DirectoryName.isBase("images", name) ? .images : .foreign
    case .records:
      return DirectoryName.year(name).map(Self.recordsYear) ?? .belowRecords
    case .recordsYear(let year):
      let month = DirectoryName.month(name).flatMap { Month(year: year, month: $0) }
      return month.map(Self.recordsMonth) ?? .belowRecords
    case .recordsMonth, .belowRecords:
      return .belowRecords
    case .images:
      return DirectoryName.year(name).map(Self.imagesYear) ?? .belowImages
    case .imagesYear(let year):
      let month = DirectoryName.month(name).flatMap { Month(year: year, month: $0) }
      return month.map(Self.imagesMonth) ?? .belowImages
    case .imagesMonth, .belowImages:
      return .belowImages
    case .foreign, .declared:
      return self
    }
  }

  /// Whether records may lie in this directory or below it.
  var holdsRecords: Bool {
    switch self {
    case .records, .recordsYear, .recordsMonth, .belowRecords: true
    default: false
    }
  }

  /// The month that files directly in this directory belong to.
  package var month: Month? {
    switch self {
    case .recordsMonth(let month), .imagesMonth(let month): month
    default: nil
    }
  }

  /// Returns what the name of a regular file in this directory says it is.
  ///
  /// The name does not begin with a dot.
  func meaning(of name: Span<UInt8>) -> FileMeaning {
    let fileClass = fileClass(name)
    let kind: EntityKind =
      switch (fileClass, self) {
      case (.fixedFile, _), (.fixedDocument, _): .tag
      // A copy of the tags is known by how its name begins.
      case (.otherDocument, .folder):
        name.count >= 4 && NameText.isEqual(name.extracting(0..<4), "tags") ? .tag : .other
      case (let data, _) where data.isData: .record
      default: .other
      }
    return FileMeaning(fileClass, kind)
  }

  private func fileClass(_ name: Span<UInt8>) -> FileClass {
    if IgnoredName.matches(name) { return .foreign }
    if NameText.hasSuffix(name, ignoringCaseOf: ".json") { return jsonClass(name) }
    if isDocumentName(name) { return documentClass(name) }
    switch self {
    case .folder, .foreign, .declared:
      return ConflictCopyName.isLikely(name) ? .conflictCopy : .foreign
    default:
      if ImageName.isImage(name) { return .image }
      return ConflictCopyName.isLikely(name) ? .conflictCopy : .foreign
    }
  }

  private func jsonClass(_ name: Span<UInt8>) -> FileClass {
    switch self {
    case .folder:
      if NameText.isEqual(name, "tags.json") { return .fixedFile }
      let isTagsCopy = name.count > 4 && NameText.isEqual(name.extracting(0..<4), "tags")
      return isTagsCopy && ConflictCopyName.isLikely(name) ? .conflictCopy : .foreign
    case .recordsMonth:
      return .patternFile
    case .records, .recordsYear, .belowRecords:
      return Month(prefixOf: name) == nil ? .misplacedFile : .patternFile
    default:
      return .foreign
    }
  }

  /// `NAME.automerge`, and the forms in which some services hide the extension.
  private func isDocumentName(_ name: Span<UInt8>) -> Bool {
    if NameText.hasSuffix(name, ignoringCaseOf: ".automerge") { return true }
    // What is left of a name when parts of a copy's are taken off stands in it as it is.
    return NameText.contains(name, ignoringCaseOf: ".automerge")
      && ConflictCopyName.readings(of: name).contains {
        NameText.hasSuffix($0.base.span, ignoringCaseOf: ".automerge")
      }
  }

  private func documentClass(_ name: Span<UInt8>) -> FileClass {
    let isPlain = NameText.hasSuffix(name, ".automerge")
    let stem = name.extracting(0..<max(0, name.count - 10))
    switch self {
    case .folder:
      return NameText.isEqual(name, "tags.automerge") ? .fixedDocument : .otherDocument
    case .recordsYear:
      let isMonth =
        isPlain && DirectoryName.lengthWithoutCopyNumber(stem) == stem.count
        && DirectoryName.month(stem) != nil
      return isMonth ? .monthDocument : .otherDocument
    case .recordsMonth: return .entityDocument
    case .records, .belowRecords: return .otherDocument
    default: return .foreign
    }
  }
}

// What the path of a file means where the names of directories say it.
extension DirectoryRole {
  /// Returns what a regular file of that path is, and its month; no part of it begins with a dot.
  static func meaning(ofPath path: Span<UInt8>) -> (file: FileMeaning, month: Month?) {
    var directory = DirectoryRole.folder
    var start = 0
    for index in path.indices where path[index] == UInt8(ascii: "/") {
      directory = directory.child(path.extracting(start..<index))
      start = index + 1
    }
    let name = path.extracting(start..<path.count)
    let meaning = directory.meaning(of: name)
    return (meaning, directory.month(ofFile: name, meaning.fileClass))
  }

  /// Returns the month of a file in a directory of this role.
  ///
  /// It is that of the directory; for a month's document that of its name; for a legacy file anywhere else
  /// below `records` that of the first seven characters of its name.
  func month(ofFile name: Span<UInt8>, _ fileClass: FileClass) -> Month? {
    if let month { return month }
    switch (fileClass, self) {
    case (.monthDocument, .recordsYear(let year)):
      let start = name[0] == UInt8(ascii: ".") ? 1 : 0
      let length = name.count > start + 1 && name[start + 1] &- UInt8(ascii: "0") < 10 ? 2 : 1
      return DirectoryName.month(name.extracting(start..<start + length))
        .flatMap { Month(year: year, month: $0) }
    case (.patternFile, _):
      return Month(
        prefixOf: name[0] == UInt8(ascii: ".") ? name.extracting(1..<name.count) : name)
    default: return nil
    }
  }
}

extension EntityKinds {
  /// Whether a file of that path may lie among those that entities name, by where it lies: it need not end
  /// as images do.
  func mayBeAttachment(_ path: RelativePath) -> Bool {
    let bytes = path.bytes.span
    var end = 0
    while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end += 1 }
    let (images, records) = (FolderNames.images.bytes, FolderNames.records.bytes)
    let place = bytes.extracting(0..<end)
    guard place.isEqual(to: images.span) || place.isEqual(to: records.span),
      !NameText.hasSuffix(bytes, FolderNames.legacyExtension)
    else { return false }
    return !NameText.contains(bytes, FolderNames.documentExtension)
  }
}
