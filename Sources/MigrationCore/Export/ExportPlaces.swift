import Diagnostics
package import Runs

/// Where the legacy files of several folders go: below one directory, by the names of the folders.
package struct ExportPlaces {
  private let directory: String
  /// The folders that have got a place, by its name.
  private var folders: [String: String] = [:]

  /// Creates the places below a directory.
  package init(below directory: String) { self.directory = directory }

  /// Returns the place of a folder, which no other has.
  ///
  /// Throws if another one has the same name, because the files of two would be mixed there, or if the
  /// path has none at its end.
  package mutating func place(of folder: String) throws(MigrationError) -> String {
    let name = folder.split(separator: "/").last.map(String.init) ?? ""
    guard !["", ".", ".."].contains(name) else {
      throw Self.refusal(folder, "has no name at its end, so its files have no place below --to")
    }
    if let other = folders.updateValue(folder, forKey: name), other != folder {
      folders[name] = other
      throw Self.refusal(
        folder, "has the same name as \(DisplayText.subject(other)), whose files go there")
    }
    return "\(directory)/\(name)"
  }

  private static func refusal(_ folder: String, _ problem: String) -> MigrationError {
    .underlying(
      Diagnostic(
        .conflictsWithData, subject: folder, problem: problem,
        remedy: "export it alone, to a directory of its own"))
  }
}
