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
