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
