package import Folders
package import SafeFiles

/// Tells what a path in an archive is, by the rules that the inventory of a folder follows.
package enum LegacyPath {
  /// Returns the class and the month of a legacy file, nil for any other path.
  package static func classify(_ path: RelativePath) -> (fileClass: FileClass, month: Month?)? {
    let names = path.components.map(\.bytes)
    guard let last = names.last, !names.contains(where: { $0.first == UInt8(ascii: ".") }) else {
      return nil
    }
    if names.count == 1 { return last == FolderNames.tagsFile.bytes ? (.tagsFile, nil) : nil }
    let first = names[0]
    guard isJSON(last), DirectoryName.isBase("records", first.span) else { return nil }
    if names.count == 4, let month = month(names[1], names[2]) { return (.recordFile, month) }
    return Month(prefixOf: last.span).map { (.recordFile, $0) } ?? (.misplacedRecordFile, nil)
  }

  private static func month(_ year: [UInt8], _ month: [UInt8]) -> Month? {
    guard let year = DirectoryName.year(year.span), let month = DirectoryName.month(month.span)
    else { return nil }
    return Month(year: year, month: month)
  }

  private static func isJSON(_ name: [UInt8]) -> Bool {
    String(decoding: name.suffix(5), as: UTF8.self).lowercased() == ".json"
  }
}
