/// What a file of a data folder is, as far as its name, place and kind tell.
package enum FileClass: UInt8, CaseIterable, Hashable, Sendable {
  // Data, legacy

  /// A file under the one path that its kind has, such as `tags.json`.
  case fixedFile
  /// A file under one of the many paths that its kind has, of which the month is known if it matters.
  case patternFile
  /// A file whose place and name should say a month, and say none.
  case misplacedFile

  // Data, documents

  /// The document of all entities of a kind, or of those without a month, such as `tags.automerge`.
  case fixedDocument
  /// The document of a month, such as `MM.automerge` in a year directory.
  case monthDocument
  /// A document of one record: any in a month directory.
  case entityDocument
  /// Any other document where documents lie, such as a conflict copy.
  case otherDocument

  // Beside the data

  /// A file beside the data that an entity may name, such as an image of a record.
  case image
  /// Something whose name says that a sync service made it because of a conflict.
  case conflictCopy
  /// The app's lock.
  case lock
  /// One of our own unfinished files.
  case ownTemporary
  /// The directory of our own state, which is not entered.
  case ownState
  /// Somebody else's.
  case foreign

  // Not what its name says

  /// Known only by the placeholder of a sync service.
  case placeholder
  /// A symbolic link, which is not followed.
  case symbolicLink
  /// A named pipe, socket or device.
  case special
  /// A directory that could not be listed.
  case unreadable
  /// A directory; only as what the name of one of the four above stands for.
  case directory

  /// Whether files of this class hold entities.
  package var isData: Bool { isLegacy || isDocument }
  /// Whether files of this class are legacy files.
  package var isLegacy: Bool {
    self == .fixedFile || self == .patternFile || self == .misplacedFile
  }
  /// Whether files of this class are documents.
  package var isDocument: Bool {
    switch self {
    case .fixedDocument, .monthDocument, .entityDocument, .otherDocument: true
    default: false
    }
  }
}

/// What the name and place of a file mean.
struct FileMeaning: Hashable {
  var fileClass: FileClass
  /// What the entities in it are; `other` if nothing tells.
  var kind: EntityKind

  init(_ fileClass: FileClass, _ kind: EntityKind = .other) {
    self.fileClass = fileClass
    self.kind = kind
  }
}

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
    return ConflictCopyName.readings(of: name).contains {
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
