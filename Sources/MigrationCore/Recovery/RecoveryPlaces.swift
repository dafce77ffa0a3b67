import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles

/// The paths beside a folder that a recovery writes to, and what is called by them.
struct RecoveryPlaces: Hashable, Sendable {
  /// The absolute path of the folder.
  let folder: String

  /// The directories for what is salvaged: `FOLDER-salvaged`, `FOLDER-salvaged-2` and so on. What one
  /// damage left there is never in the way of another.
  func salvaged(_ number: Int) -> String {
    "\(folder)-salvaged" + (number == 1 ? "" : "-\(number)")
  }

  /// The folder that gets the JSON of a document, to be imported once more.
  func legacy(of stem: RelativePath) -> String { "\(salvaged(1))/\(stem.text).legacy" }
}

/// What holds the JSON of a document, by the path of the document without its extension.
struct LegacyContent: Hashable, Sendable {
  /// The file, or the directory with the files, where documents have layouts; else nothing says that in
  /// one path.
  let chosen: RelativePath?
  /// The layout that such documents have.
  let layout: LayoutChoice
  /// The entities that the document holds, where there are no layouts. Those of a month that only they
  /// themselves know may be in any file of the kind.
  private let group: EntityGroup?

  init?(of stem: RelativePath, _ kinds: EntityKinds = .minuta) {
    guard kinds.hasLayouts else {
      guard let document = RelativePath(stem.bytes + Array(FolderNames.documentExtension.utf8)),
        let content = kinds.content(ofPath: document.bytes), content.isDocument
      else { return nil }
      let month =
        kinds.isGroupedByMonth(content.kind)
        ? kinds.month(ofPath: document.bytes.span, content.kind) : nil
      (chosen, layout) = (nil, .auto)
      group = EntityGroup(content.kind, month: month)
      return
    }
    group = nil
    let depth = stem.components.count
    layout =
      switch depth {
      case 1: .auto
      case 4...: .perRecord
      default: .monthly
      }
    if layout == .monthly {
      chosen = stem
    } else if let file = RelativePath(stem.bytes + Array(FolderNames.legacyExtension.utf8)) {
      chosen = file
    } else {
      return nil
    }
  }

  /// Returns the path without its extension of the document whose JSON a file is, where documents have
  /// layouts: that of a file of its own, or the directory of a month; nil if it is in neither.
  static func stem(of path: RelativePath) -> RelativePath? {
    if path == RelativePath(FolderNames.tagsFile) {
      return path.without(FolderNames.legacyExtension)
    }
    let names = path.components
    return names.count == 4 && names[0] == FolderNames.records ? path.parent : nil
  }

  /// Returns whether a path is that of a file of it.
  func holds(_ path: RelativePath, _ kinds: EntityKinds = .minuta) -> Bool {
    if let group {
      guard let content = kinds.content(ofPath: path.bytes), !content.isDocument else {
        return false
      }
      return content.kind == group.kind
        && (group.month == nil
          || kinds.month(ofPath: path.bytes.span, group.kind) == group.month)
    }
    guard let chosen else { return false }
    guard layout == .monthly else { return path == chosen }
    return path.parent == chosen && path.bytes.count > chosen.bytes.count + 6
      && path.bytes.suffix(5).elementsEqual(FolderNames.legacyExtension.utf8)
  }
}

extension RelativePath {
  /// The path as a word for a command; what is no text is shown escaped, as lists show it.
  var text: String { String(validating: bytes, as: UTF8.self) ?? description }

  /// The path that a report shows.
  init?(shownAs text: String) {
    guard text != "." else {
      self = .folder
      return
    }
    guard let bytes = DisplayText.bytes(shownAs: text) else { return nil }
    self.init(bytes)
  }

  /// The path that a file of a quarantine run had in the folder, and the path of the run; nil for a
  /// path that lies elsewhere.
  var inQuarantine: (run: RelativePath, path: RelativePath)? {
    let names = components
    guard Quarantine.path.contains(self), names.count > 3 else { return nil }
    func path(of names: ArraySlice<FileName>) -> RelativePath {
      names.reduce(.folder) { $0.appending($1) }
    }
    return (path(of: names[..<3]), path(of: names[3...]))
  }

  /// The path without an extension that it ends with; nil if it does not.
  func without(_ ending: String) -> RelativePath? {
    guard bytes.count > ending.utf8.count,
      bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8)
    else { return nil }
    return RelativePath(Array(bytes.dropLast(ending.utf8.count)))
  }
}
