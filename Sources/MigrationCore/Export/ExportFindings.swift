import Diagnostics
import FolderDocuments
import Folders
import SafeFiles

// What exports of all profiles tell.
extension Finding {
  /// Readers see one value of several, which is all that JSON can hold; nil if nothing is left out.
  static func losingValues(_ count: Int, path: String) -> Finding? {
    guard count > 0 else { return nil }
    return Finding(
      .notExported, .warning, path: path,
      message: count.counted(
        "losing value of conflicts is not exported",
        "losing values of conflicts are not exported"),
      next: "look at them with inspect-crdt --conflicts")
  }

  /// A legacy file is of an entity that a document held and holds no more.
  static func staysDeleted(_ title: String, path: String) -> Finding {
    Finding(
      .deleted, .info, path: path,
      message: "\(title) was deleted in a document and is not exported")
  }

  /// An entity was exported from the document of another month.
  static func ofEarlierMonth(_ title: String, path: String) -> Finding {
    Finding(
      .notExported, .warning, path: path,
      message: "\(title) is in the document of an earlier month, too; this one is not exported",
      next: "look at both with inspect-crdt, and delete one of them with the app")
  }
}

extension FolderInventory {
  /// An entity was exported from another document of its group.
  func notExported(_ title: String, in file: Int, besides other: Int) -> Finding {
    Finding(
      .notExported, .warning, path: path(of: file).description,
      message: "\(title) is exported from \(path(of: other)), and this one is not",
      next: remedy(for: file, besides: other), command: command(for: file, besides: other))
  }
}
