package import Diagnostics
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
    /// The number of the directory it lies in, its own for the folder itself.
    var parent = 0
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
    /// What the entities of the file are, by its nominal class.
    var kind: EntityKind
  }

  /// What kinds of entity the folder has.
  package let kinds: EntityKinds
  /// The path of the folder, as it is shown.
  var folderPath = ""
  var pool: [UInt8] = []
  var directories: [DirectoryRecord] = []
  var files: [FileRecord] = []
  var monthDirectories: [Month: [Int]] = [:]
  /// Whether some name stands for another one as a placeholder.
  var hasPlaceholders = false

  /// The groups that have legacy files, ascending.
  package internal(set) var legacyGroups: [EntityGroup] = []
  /// Where the legacy files of each group are in `groupedFiles`.
  var groupRanges: [EntityGroup: Range<Int>] = [:]
  /// The numbers of all legacy files that belong to a group, by group, then by path.
  var groupedFiles: [UInt32] = []
  /// Whether kinds whose entities are dated are grouped by the months of their dates.
  var kindsGroupedByDates: [EntityKind] = []
  /// The numbers of all documents, ascending by path.
  package internal(set) var documents: [UInt32] = []
  /// The files that are conflict copies by the one rule for that, by their numbers.
  package internal(set) var copies: [Int: ConflictCopy] = [:]
  /// How many threads list directories.
  var threadCount = 1
  /// By what it is looked for a file that shows whose folder it is; nil where all files are listed.
  var sought: [PathPattern]?
  /// Whether that was found, and nothing more is listed.
  var isFound = false

  /// Files that were read already, for those who read them once more to work on what was in them then.
  private(set) var kept: KeptFiles?

  /// Keeps files that were read.
  package mutating func keep(_ files: KeptFiles) { kept = files }

  /// The inventory of an empty folder.
  package init(kinds: EntityKinds = .minuta) { self.kinds = kinds }

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

  /// Returns what the entities of a legacy file or of a document are by its place; `other` if its place
  /// does not tell.
  package func kind(of file: Int) -> EntityKind { files[file].kind }

  /// Returns the legacy files of a group, ascending by path.
  package func legacyFiles(of group: EntityGroup) -> [Int] {
    groupRanges[group].map { groupedFiles[$0].map(Int.init) } ?? []
  }

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
    .checked(pathBytes(of: file))
  }

  private func pathBytes(of file: Int) -> [UInt8] {
    Array(pool[directories[directory(of: file)].path]) + nameBytes(of: file)
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

  /// Returns the number of the directory that a directory lies in, and its name there; nil for the folder
  /// itself.
  func location(ofDirectory number: Int) -> (parent: Int, name: FileName)? {
    let directory = directories[number]
    let start = directory.path.lowerBound + directories[directory.parent].path.count
    guard number != 0, let name = FileName(Array(pool[start..<directory.path.upperBound - 1]))
    else {
      return nil
    }
    return (directory.parent, name)
  }

  /// Returns what a directory is for.
  package func directoryRole(_ directory: Int) -> DirectoryRole { directories[directory].role }

  /// Returns the month a file belongs to, as its place and its name say it.
  package func month(of file: Int) -> Month? {
    guard kinds.hasDirectoryRoles else {
      return kinds.month(ofPath: basePath(of: file).bytes.span, kind(of: file))
    }
    return directories[directory(of: file)].role.month(
      ofFile: pool.span.extracting(nameRange(of: file)), files[file].nominalClass)
  }

  /// Whether the folder holds legacy files, readable or not.
  package var hasLegacyFiles: Bool { files.contains { $0.nominalClass.isLegacy } }

  /// The kinds of which the folder holds documents, readable or not.
  package var kindsOfDocuments: Set<EntityKind> {
    Set(files.lazy.filter { $0.nominalClass.isDocument }.map(\.kind))
  }

  func nameRange(of file: Int) -> Range<Int> {
    let start = Int(files[file].nameStart)
    return start..<start + Int(files[file].nameLength)
  }
}

extension FolderInventory {
  /// Whether a run that died or failed has left files that it had not finished.
  package var holdsOwnTemporaries: Bool {
    indices.contains { nominalClass(of: $0) == .ownTemporary }
  }
}

extension FolderInventory {
  /// The layout that documents already in the folder show.
  package enum LayoutEvidence: Hashable, Sendable {
    /// There are no documents of records.
    case none
    /// All of them follow one layout.
    case only(DocumentLayout)
    /// Both layouts occur.
    case mixed
  }

  /// Which layout the documents in the folder show, those not downloaded included.
  package var layoutEvidence: LayoutEvidence {
    let isMonthly = files.contains { $0.nominalClass == .monthDocument }
    let isPerRecord = files.contains { $0.nominalClass == .entityDocument }
    switch (isMonthly, isPerRecord) {
    case (false, false): return .none
    case (true, false): return .only(.monthly)
    case (false, true): return .only(.perRecord)
    case (true, true): return .mixed
    }
  }

  /// What `--layout auto` means here: the layout that is there, else monthly.
  ///
  /// In a mixture new documents are monthly, the layout that readers of both prefer.
  package var automaticLayout: DocumentLayout {
    if case .only(let layout) = layoutEvidence { layout } else { .monthly }
  }

  /// Returns the documents of one record beside a document of their month, each as if it was a copy of
  /// that: an import in both layouts makes both, of the same changes. Ascending by month, then by path.
  package func recordsBesideMonths() -> [ConflictCopy] {
    var months: [Month: Int] = [:]
    for file in documents.map(Int.init) where fileClass(of: file) == .monthDocument {
      if let month = month(of: file) { months[month] = file }
    }
    if months.isEmpty { return [] }
    let records = documents.map(Int.init).compactMap { file -> ConflictCopy? in
      guard fileClass(of: file) == .entityDocument, copies[file] == nil,
        let base = month(of: file).flatMap({ months[$0] })
      else { return nil }
      return ConflictCopy(
        file: file, base: path(of: base), baseClass: .monthDocument, kind: kind(of: base),
        baseFile: base, service: .unknown, strength: .weak)
    }
    return records.sorted { $0.base == $1.base ? $0.file < $1.file : $0.base < $1.base }
  }
}

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
      message: "is read, but no app looks for a document of this name", next: remedy(for: file),
      command: command(for: file))
  }

  /// Returns a command about the folder; nil if its path is none that a command takes.
  package func command(_ name: NextCommand.Name, _ options: [String] = []) -> NextCommand? {
    DisplayText.word(shownAs: folderPath).map {
      NextCommand(name, options + kinds.options + [$0])
    }
  }

  /// Returns how messages say what merges the copies of the folder.
  package func merging(_ options: [String] = []) -> String {
    NextCommand(.mergeConflicts, ["FOLDER"] + options + kinds.options).shellText
  }

  /// Returns the command that `remedy(for:)` tells of; nil if somebody has to do something else first.
  package func command(for file: Int) -> NextCommand? {
    copies[file] == nil ? nil : command(.mergeConflicts)
  }

  /// Returns what brings the content of one of `besidesBases` to where readers look for it.
  package func remedy(for file: Int) -> String {
    if copies[file] != nil { return "run \(merging())" }
    return "if it is a copy, name it like one, as in \"\(exampleOfCopy(of: file))\", "
      + "and run \(NextCommand(.mergeConflicts, kinds.options).shellText); else move it out of the "
      + "folder"
  }

  /// The name of a copy of what a misnamed document may be a copy of.
  private func exampleOfCopy(of file: Int) -> String {
    guard kinds.hasDirectoryRoles else { return "NAME 2\(FolderNames.documentExtension)" }
    let isTags = directoryRole(directory(of: file)) == .folder
    return "\(isTags ? "tags" : "01") 2.automerge"
  }
}
