import SafeFiles

// Whose folder it is.
extension FolderInventory {
  /// What shows that a folder is an app's.
  package enum Evidence: Hashable, Sendable {
    /// A file by which the profile knows the folders of its app.
    case recognition
    /// Any file of a kind, which is enough for a part of a folder.
    case anyKind
  }

  /// A file that may hold data, of a folder in which nothing shows that it is the app's; nil if something
  /// does, if nothing could be data, or if somebody named the built-in profile.
  package func fileOfUnknownApp(unless evidence: Evidence = .recognition) -> Int? {
    // A profile that was given by its name has kinds of its own.
    if kinds.toldName == nil, kinds !== EntityKinds.minuta { return nil }
    return showsApp(by: evidence) ? nil : indices.first(where: mayHoldData)
  }

  /// Whether a file shows whose folder it is.
  package func showsApp(by evidence: Evidence) -> Bool {
    let patterns = recognition(by: evidence)
    return indices.contains { showsApp($0, patterns) }
  }

  /// The patterns of which a file shows it; empty: those of the kinds.
  func recognition(by evidence: Evidence) -> [PathPattern] {
    kinds.toldName == nil || evidence == .anyKind ? [] : kinds.profile.recognition
  }

  func showsApp(_ file: Int, _ patterns: [PathPattern]) -> Bool {
    if kinds.hasDirectoryRoles { return showsRoles(file) }
    switch nominalClass(of: file) {
    case .fixedDocument, .monthDocument, .entityDocument, .otherDocument:
      if kind(of: file) != .other { return true }
    case .fixedFile, .patternFile, .misplacedFile, .conflictCopy:
      if patterns.isEmpty { return kind(of: file) != .other }
    case .image, .foreign, .lock, .ownTemporary, .ownState, .placeholder, .symbolicLink, .special,
      .unreadable, .directory:
      break
    }
    if patterns.isEmpty { return false }
    let path = basePath(of: file).bytes
    return patterns.contains { $0.match(path.span) != nil }
  }

  private func showsRoles(_ file: Int) -> Bool {
    switch nominalClass(of: file) {
    case .fixedFile, .patternFile, .misplacedFile, .fixedDocument, .monthDocument, .entityDocument,
      .image:
      true
    case .conflictCopy: kind(of: file) != .other
    case .otherDocument: kind(of: file) != .other || liesBelowRecords(file)
    case .foreign, .lock, .ownTemporary, .ownState, .placeholder, .symbolicLink, .special,
      .unreadable, .directory:
      false
    }
  }

  private func liesBelowRecords(_ file: Int) -> Bool {
    switch directoryRole(directory(of: file)) {
    case .records, .recordsYear, .recordsMonth, .belowRecords: true
    case .folder, .images, .imagesYear, .imagesMonth, .belowImages, .foreign, .declared: false
    }
  }

  private func mayHoldData(_ file: Int) -> Bool {
    switch nominalClass(of: file) {
    case .lock, .ownTemporary, .ownState, .symbolicLink, .special, .unreadable, .directory:
      return false
    default:
      let name = Array(nameBytes(of: file))
      return name.first != UInt8(ascii: ".")
        && [FolderNames.legacyExtension, FolderNames.documentExtension].contains {
          NameText.hasSuffix(name.span, ignoringCaseOf: $0)
        }
    }
  }
}
