package import SafeFiles

/// Everything that lies in a data folder, found in one pass over its directories.
///
/// Files are numbered ascending by the bytes of their relative paths, so comparing two numbers
/// compares two paths. The inventory is flat arrays and one pool of names: 100,000 files take about
/// four megabytes. Only directory listings are read; no file is opened.
package struct FolderInventory: Sendable {
  /// One directory that was listed.
  struct DirectoryRecord {
    var role: DirectoryRole
    /// Its path with a `/` at the end, empty for the folder itself.
    var path: Range<Int>
    /// The files in it and below it.
    var files: Range<Int>
  }

  /// One file, or one thing that was not looked into.
  struct FileRecord {
    var nameStart: UInt32
    var nameLength: UInt16
    var fileClass: FileClass
    var nominalClass: FileClass
    var directory: UInt32
  }

  /// The legacy record files of one month, wherever they lie.
  package struct RecordGroup: Sendable {
    /// The month.
    package let month: Month
    /// The positions of its files in `recordFiles`.
    package let range: Range<Int>
  }

  var pool: [UInt8] = []
  var directories: [DirectoryRecord] = []
  var files: [FileRecord] = []
  var monthDirectories: [Month: [Int]] = [:]

  /// The numbers of all legacy record files with a month, by month, then by path.
  package internal(set) var recordFiles: [UInt32] = []
  /// The months that have legacy record files, ascending.
  package internal(set) var recordGroups: [RecordGroup] = []
  /// The numbers of all documents, ascending by path.
  package internal(set) var documents: [UInt32] = []
  /// The files that are conflict copies by the one rule for that, by their numbers.
  package internal(set) var copies: [Int: ConflictCopy] = [:]
  /// The number of `tags.json`, if it is there and a regular file.
  package internal(set) var tagsFile: Int?

  /// The inventory of an empty folder.
  package init() {}

  /// The number of files.
  package var count: Int { files.count }

  /// The numbers of all files, which are ascending by path.
  package var indices: Range<Int> { files.indices }

  /// Returns what a file is.
  package func fileClass(of file: Int) -> FileClass { files[file].fileClass }

  /// Returns what a file would be if it were a regular, present file of its name.
  ///
  /// This differs from `fileClass(of:)` for placeholders, links, special and unreadable files.
  package func nominalClass(of file: Int) -> FileClass { files[file].nominalClass }

  /// Returns the bytes of a file's name.
  package func nameBytes(of file: Int) -> ArraySlice<UInt8> { pool[nameRange(of: file)] }

  /// Returns a file's name.
  package func name(of file: Int) -> FileName {
    guard let name = FileName(Array(nameBytes(of: file))) else {
      preconditionFailure("a directory listing gives file names")
    }
    return name
  }

  /// Returns a file's path, relative to the folder.
  package func path(of file: Int) -> RelativePath {
    .checked(Array(pool[directories[directory(of: file)].path]) + nameBytes(of: file))
  }

  /// Returns a file's path without its last extension, as `EntityPlace` and documents use it.
  package func stem(of file: Int) -> [UInt8] {
    let name = nameBytes(of: file)
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return Array(name)
    }
    return Array(name[..<dot])
  }

  /// Returns the number of the directory a file lies in.
  package func directory(of file: Int) -> Int { Int(files[file].directory) }

  /// Returns the path of a directory, relative to the folder.
  package func directoryPath(_ directory: Int) -> RelativePath {
    let path = pool[directories[directory].path]
    return path.isEmpty ? .folder : .checked(Array(path.dropLast()))
  }

  /// Returns what a directory is for.
  package func directoryRole(_ directory: Int) -> DirectoryRole { directories[directory].role }

  /// Returns the month a file belongs to.
  ///
  /// It is that of the directory the file was found in; for a month's document that of its name;
  /// for a legacy file anywhere else below `records` that of the first seven characters of its name.
  package func month(of file: Int) -> Month? {
    let role = directories[directory(of: file)].role
    if let month = role.month { return month }
    let name = pool.span.extracting(nameRange(of: file))
    switch (files[file].nominalClass, role) {
    case (.monthDocument, .recordsYear(let year)):
      let start = name[0] == UInt8(ascii: ".") ? 1 : 0
      let length = name.count > start + 1 && name[start + 1] &- UInt8(ascii: "0") < 10 ? 2 : 1
      return DirectoryName.month(name.extracting(start..<start + length))
        .flatMap { Month(year: year, month: $0) }
    case (.recordFile, _):
      return Month(
        prefixOf: name[0] == UInt8(ascii: ".") ? name.extracting(1..<name.count) : name)
    default: return nil
    }
  }

  /// Whether the folder holds legacy files, readable or not.
  package var hasLegacyFiles: Bool { files.contains { $0.nominalClass.isLegacy } }

  func nameRange(of file: Int) -> Range<Int> {
    let start = Int(files[file].nameStart)
    return start..<start + Int(files[file].nameLength)
  }
}
