// Whose folder it is.
extension FolderInventory {
  /// A file that shows that the folder is an app's which no built-in profile describes; nil if the
  /// folder is one of a built-in profile, or holds nothing that could be data, or if somebody said
  /// which profile it has.
  package var fileOfUnknownApp: Int? {
    // A profile that was given by its name has kinds of its own.
    guard kinds === EntityKinds.minuta else { return nil }
    var unknown: Int?
    for file in indices {
      switch nominalClass(of: file) {
      case .fixedFile, .patternFile, .misplacedFile, .fixedDocument, .monthDocument,
        .entityDocument, .image:
        return nil
      case .conflictCopy where kind(of: file) != .other,
        .otherDocument where kind(of: file) != .other || liesBelowRecords(file):
        return nil
      case .otherDocument, .foreign:
        if unknown == nil, mayHoldData(file) { unknown = file }
      case .conflictCopy, .lock, .ownTemporary, .ownState, .placeholder, .symbolicLink, .special,
        .unreadable, .directory:
        continue
      }
    }
    return unknown
  }

  private func liesBelowRecords(_ file: Int) -> Bool {
    switch directoryRole(directory(of: file)) {
    case .records, .recordsYear, .recordsMonth, .belowRecords: true
    case .folder, .images, .imagesYear, .imagesMonth, .belowImages, .foreign, .declared: false
    }
  }

  private func mayHoldData(_ file: Int) -> Bool {
    let name = Array(nameBytes(of: file))
    return name.first != UInt8(ascii: ".")
      && [FolderNames.legacyExtension, FolderNames.documentExtension].contains {
        NameText.hasSuffix(name.span, ignoringCaseOf: $0)
      }
  }
}
