package import Diagnostics
package import SafeFiles

// Which files readers do not look for under their names.
extension FolderInventory {
  /// Returns the numbers of the files that are no base: conflict copies, and documents under a name
  /// that no app looks for. An image beside its base does not count: it may well be one of its own.
  package func besidesBases() -> Set<Int> {
    var files: Set<Int> = []
    for (file, copy) in copies {
      let isBesideBase = copy.base.parent == directoryPath(directory(of: file))
      if nominalClass(of: file) != .image || !isBesideBase { files.insert(file) }
    }
    for file in indices where nominalClass(of: file) == .otherDocument { files.insert(file) }
    return files
  }

  /// Returns the path of what a file is a copy of, directly or as a copy of a copy; its own if it is
  /// none.
  package func basePath(of file: Int) -> RelativePath {
    var file = file
    while let copy = copies[file] {
      guard let base = copy.baseFile else { return copy.base }
      file = base
    }
    return path(of: file)
  }

  /// Returns what is told about documents that are no conflict copies and have no name that an app
  /// looks for, ascending by path.
  package func misnamedDocuments() -> [Finding] {
    documents.map(Int.init)
      .filter { fileClass(of: $0) == .otherDocument && copies[$0] == nil }
      .map { file in
        var finding = misnamed(file)
        finding.path = path(of: file).description
        return finding
      }
  }

  /// Returns what is told about such a document, without its path.
  func misnamed(_ file: Int) -> Finding {
    Finding(
      .misnamedDocument, .warning,
      message: "is read, but no app looks for a document of this name", next: remedy(for: file))
  }

  /// Returns what brings the content of one of `besidesBases` to where readers look for it.
  package func remedy(for file: Int) -> String {
    if copies[file] != nil { return "run merge-conflicts FOLDER" }
    let isTags = directoryRole(directory(of: file)) == .folder
    return "if it is a copy, name it like one, as in \"\(isTags ? "tags" : "01") 2.automerge\", "
      + "and run merge-conflicts; else move it out of the folder"
  }
}
