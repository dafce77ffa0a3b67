/// What a file of a data folder is, as far as its name, place and kind tell.
package enum FileClass: UInt8, CaseIterable, Hashable, Sendable {
  // Data, legacy

  /// `tags.json`.
  case tagsFile
  /// A `.json` file whose month is known.
  case recordFile
  /// A `.json` file below `records` whose place and name say no month.
  case misplacedRecordFile

  // Data, documents

  /// `tags.automerge`.
  case tagsDocument
  /// `MM.automerge` in a year directory.
  case monthDocument
  /// Any document in a month directory.
  case recordDocument
  /// Any other document at the top or below `records`, such as a conflict copy.
  case otherDocument

  // Beside the data

  /// An image of a record.
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
    self == .tagsFile || self == .recordFile || self == .misplacedRecordFile
  }
  /// Whether files of this class are documents.
  package var isDocument: Bool {
    switch self {
    case .tagsDocument, .monthDocument, .recordDocument, .otherDocument: true
    default: false
    }
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
    case .foreign:
      return .foreign
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
  func fileClass(_ name: Span<UInt8>) -> FileClass {
    if IgnoredName.matches(name) { return .foreign }
    if NameText.hasSuffix(name, ignoringCaseOf: ".json") { return jsonClass(name) }
    if isDocumentName(name) { return documentClass(name) }
    switch self {
    case .folder, .foreign:
      return ConflictCopyName.isLikely(name) ? .conflictCopy : .foreign
    default:
      if ImageName.isImage(name) { return .image }
      return ConflictCopyName.isLikely(name) ? .conflictCopy : .foreign
    }
  }

  private func jsonClass(_ name: Span<UInt8>) -> FileClass {
    switch self {
    case .folder:
      if NameText.isEqual(name, "tags.json") { return .tagsFile }
      let isTagsCopy = name.count > 4 && NameText.isEqual(name.extracting(0..<4), "tags")
      return isTagsCopy && ConflictCopyName.isLikely(name) ? .conflictCopy : .foreign
    case .recordsMonth:
      return .recordFile
    case .records, .recordsYear, .belowRecords:
      return Month(prefixOf: name) == nil ? .misplacedRecordFile : .recordFile
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
      return NameText.isEqual(name, "tags.automerge") ? .tagsDocument : .otherDocument
    case .recordsYear:
      let isMonth =
        isPlain && DirectoryName.lengthWithoutCopyNumber(stem) == stem.count
        && DirectoryName.month(stem) != nil
      return isMonth ? .monthDocument : .otherDocument
    case .recordsMonth: return .recordDocument
    case .records, .belowRecords: return .otherDocument
    default: return .foreign
    }
  }
}
