package import Diagnostics
package import SafeFiles

extension FolderInventory {
  /// How deep directories are followed below the folder.
  static let deepestLevel = 64
  /// Down to where several threads list directories: each level has some open that are not entered yet.
  private static let deepestSharedLevel = 4
  /// From how many files on: those of a small folder are listed before a thread has begun.
  private static let leastSharedCount = 2048

  /// Lists a folder.
  ///
  /// Directories whose name starts with a dot are not entered, links are not followed. A directory
  /// that cannot be listed becomes an entry of class `unreadable` and, as nobody may take it for
  /// empty, a finding of severity error; only the folder itself throws.
  ///
  /// - Parameter threads: how many list directories at once.
  package static func scan(
    _ folder: Directory, as kinds: EntityKinds = .minuta, threads: Int = 1,
    noting findings: inout [Finding]
  ) throws(FileError) -> FolderInventory {
    var inventory = FolderInventory(kinds: kinds)
    inventory.threadCount = threads
    inventory.folderPath = folder.path
    inventory.directories.append(
      DirectoryRecord(
        role: kinds.hasDirectoryRoles ? .folder : .declared, path: 0..<0, files: 0..<0))
    inventory.list(try folder.entries(), of: folder, 0, level: 1, noting: &findings)
    inventory.index()
    for copy in inventory.conflictCopies(threads: threads) { inventory.copies[copy.file] = copy }
    return inventory
  }

  /// Whether something in a folder shows that it is the app's; lists no more of it than that takes.
  ///
  /// - Parameter findings: gets what could not be listed on the way.
  package static func showsApp(
    _ folder: Directory, as kinds: EntityKinds, noting findings: inout [Finding]
  ) throws(FileError) -> Bool {
    var inventory = FolderInventory(kinds: kinds)
    inventory.sought = inventory.recognition(by: .recognition)
    inventory.directories.append(
      DirectoryRecord(
        role: kinds.hasDirectoryRoles ? .folder : .declared, path: 0..<0, files: 0..<0))
    inventory.list(try folder.entries(), of: folder, 0, level: 1, noting: &findings)
    return inventory.isFound
  }

  private mutating func list(
    _ entries: [DirectoryEntry], of directory: Directory, _ number: Int, level: Int,
    noting findings: inout [Finding]
  ) {
    let firstFile = files.count
    let entries = Self.inPathOrder(entries)
    let isShared =
      threadCount > 1 && level <= Self.deepestSharedLevel && files.count >= Self.leastSharedCount
    let inner = isShared ? entries.filter(Self.isEntered).map(\.name) : []
    if inner.count > 1 {
      let ahead = Self.listings(of: inner, in: directory, threads: threadCount)
      ahead.whileMaking(threads: threadCount) {
        list(entries, to: number, level: level, noting: &findings) { _ in
          ahead.next() ?? .failure(.missing(path: directory.path))
        }
      }
    } else {
      list(entries, to: number, level: level, noting: &findings) {
        Self.listing(of: $0, in: directory)
      }
    }
    directories[number].files = firstFile..<files.count
  }

  /// Adds what is in a directory, in the order of the paths.
  ///
  /// - Parameter listing: returns what is in the next of the directories in it.
  private mutating func list(
    _ entries: [DirectoryEntry], to number: Int, level: Int, noting findings: inout [Finding],
    _ listing: (FileName) -> Listing
  ) {
    for entry in entries {
      if isFound { return }
      if Self.isEntered(entry) {
        enter(entry.name, number, level: level, noting: &findings, listing)
      } else {
        add(entry.name, entry.kind, to: number)
      }
    }
  }

  private static func isEntered(_ entry: DirectoryEntry) -> Bool {
    entry.kind == .directory && entry.name.bytes.first != UInt8(ascii: ".")
  }

  /// What is in a directory, or why nobody knows.
  private typealias Listing = Result<(directory: Directory, entries: [DirectoryEntry]), FileError>

  private static func listing(of name: FileName, in parent: Directory) -> Listing {
    Listing { () throws(FileError) in
      let directory = try parent.openDirectory(name)
      return (directory, try directory.entries())
    }
  }

  /// What is in each of some directories of one: a few are listed before somebody asks.
  private static func listings(
    of names: [FileName], in parent: Directory, threads: Int
  ) -> PiecesAhead<Listing, Never> {
    PiecesAhead(makers: threads) { number in
      number < names.count ? listing(of: names[number], in: parent) : nil
    }
  }

  /// In a path a directory's name is followed by a `/`, which sorts after a space and a dot: so
  /// `01 2` and `01.automerge` come before what is in `01`.
  private static func inPathOrder(_ entries: [DirectoryEntry]) -> [DirectoryEntry] {
    guard entries.count > 1, entries.contains(where: { $0.kind == .directory }) else {
      return entries
    }
    func key(_ entry: DirectoryEntry) -> [UInt8] {
      entry.kind == .directory ? entry.name.bytes + [UInt8(ascii: "/")] : entry.name.bytes
    }
    return entries.map { ($0, key($0)) }.sorted { ByteOrder.precedes($0.1, $1.1) }.map(\.0)
  }

  private mutating func enter(
    _ name: FileName, _ number: Int, level: Int, noting findings: inout [Finding],
    _ listing: (FileName) -> Listing
  ) {
    guard level < Self.deepestLevel else {
      addUnreadable(name, to: number)
      return findings.append(
        .unlisted(
          path(of: files.count - 1),
          "lies deeper than \(Self.deepestLevel.counted("directory", "directories"))",
          next: "move it out of the folder"))
    }
    let directory: Directory
    let entries: [DirectoryEntry]
    switch listing(name) {
    case .success(let found): (directory, entries) = found
    case .failure(let error):
      switch error {
      case .missing: return
      case .wrongKind(_, _, let found): return add(name, found, to: number)
      default:
        addUnreadable(name, to: number)
        return findings.append(.unlisted(path(of: files.count - 1), because: error))
      }
    }
    let start = pool.count
    // A slice of the pool would be a second owner of it, and each directory would copy all of it.
    let path = Array(pool[directories[number].path]) + name.bytes + [UInt8(ascii: "/")]
    pool.append(contentsOf: path)
    let role = directories[number].role.child(name.bytes.span)
    let child = directories.count
    directories.append(
      DirectoryRecord(
        role: role, parent: number, path: start..<pool.count, files: files.count..<files.count))
    if let month = role.month { monthDirectories[month, default: []].append(child) }
    list(entries, of: directory, child, level: level + 1, noting: &findings)
  }

  private mutating func addUnreadable(_ name: FileName, to directory: Int) {
    append(name, .unreadable, nominal: nominal(name.bytes.span, in: directory), to: directory)
  }

  private mutating func add(_ name: FileName, _ kind: FileKind, to directory: Int) {
    let bytes = name.bytes.span
    let nominal = nominal(bytes, in: directory)
    let isPlaceholder = FolderNames.placeholderTarget(bytes) != nil
    if isPlaceholder { hasPlaceholders = true }
    let fileClass: FileClass =
      switch kind {
      case .regular: isPlaceholder ? .placeholder : regularNominal(nominal.fileClass)
      case .directory: name == FolderNames.state && directory == 0 ? .ownState : .foreign
      case .symbolicLink: .symbolicLink
      default: .special
      }
    append(name, fileClass, nominal: nominal, to: directory)
  }

  /// A regular file that has the name of a data directory is just somebody's file.
  private func regularNominal(_ nominal: FileClass) -> FileClass {
    nominal == .directory ? .foreign : nominal
  }

  /// What a name stands for, that of a placeholder for what it would be once downloaded.
  private func nominal(_ name: Span<UInt8>, in directory: Int) -> FileMeaning {
    let role = directories[directory].role
    if name[0] == UInt8(ascii: ".") {
      if let target = FolderNames.placeholderTarget(name) {
        return nominal(name.extracting(target), in: directory)
      }
      if FolderNames.isOwnTemporary(name) { return FileMeaning(.ownTemporary) }
      return FileMeaning(directory == 0 && kinds.isLock(name) ? .lock : .foreign)
    }
    let meaning = meaning(ofName: name, in: directory)
    guard meaning.fileClass == .foreign else { return meaning }
    switch role.child(name) {
    case .records, .recordsYear, .recordsMonth, .images, .imagesYear, .imagesMonth:
      return FileMeaning(.directory)
    default: return meaning
    }
  }

  /// What a name in a directory says that a regular file is; it does not begin with a dot.
  func meaning(ofName name: Span<UInt8>, in directory: Int) -> FileMeaning {
    if kinds.hasDirectoryRoles { return directories[directory].role.meaning(of: name) }
    let start = directories[directory].path
    var path: [UInt8] = []
    path.reserveCapacity(start.count + name.count)
    path.append(contentsOf: pool[start])
    for index in name.indices { path.append(name[index]) }
    return kinds.meaning(ofPath: path)
  }

  private mutating func append(
    _ name: FileName, _ fileClass: FileClass, nominal: FileMeaning, to directory: Int
  ) {
    files.append(
      FileRecord(
        nameStart: UInt32(truncatingIfNeeded: pool.count),
        nameLength: UInt16(truncatingIfNeeded: name.bytes.count), fileClass: fileClass,
        nominalClass: nominal.fileClass, directory: UInt32(truncatingIfNeeded: directory),
        kind: nominal.kind))
    pool.append(contentsOf: name.bytes)
    if let sought, showsApp(files.count - 1, sought) { isFound = true }
  }

  // MARK: Indexes

  private mutating func index() {
    var groups: [EntityGroup: [UInt32]] = [:]
    // Those of one group mostly come one behind the other.
    var current: (group: EntityGroup, files: [UInt32])?
    for file in files.indices {
      if files[file].fileClass.isDocument { documents.append(UInt32(truncatingIfNeeded: file)) }
      guard let group = legacyGroup(of: file) else { continue }
      if current?.group != group {
        if let current { groups[current.group] = current.files }
        current = (group, groups.removeValue(forKey: group) ?? [])
      }
      current?.files.append(UInt32(truncatingIfNeeded: file))
    }
    if let current { groups[current.group] = current.files }
    setLegacyGroups(groups)
  }

  /// Takes over the files of each group, ascending by path.
  mutating func setLegacyGroups(_ groups: [EntityGroup: [UInt32]]) {
    legacyGroups = groups.keys.sorted()
    groupRanges = [:]
    groupedFiles = []
    groupedFiles.reserveCapacity(groups.values.reduce(0) { $0 + $1.count })
    for group in legacyGroups {
      let start = groupedFiles.count
      groupedFiles += groups[group] ?? []
      groupRanges[group] = start..<groupedFiles.count
    }
  }

  /// The group whose files a legacy file is read with; nil if it is none, or nobody knows of which
  /// month.
  private func legacyGroup(of file: Int) -> EntityGroup? {
    let kind = files[file].kind
    switch files[file].fileClass {
    case .fixedFile: return EntityGroup(kind)
    case .patternFile:
      guard kinds.isGroupedByMonth(kind) else { return EntityGroup(kind) }
      let month = month(of: file)
      return month == nil && !kinds.readsFilesWithoutMonth ? nil : EntityGroup(kind, month: month)
    default: return nil
    }
  }
}

extension Finding {
  /// Says that a directory cannot be looked at: what lies there is not known.
  package static func unlisted(_ path: RelativePath, because error: FileError) -> Finding {
    unlisted(
      path, error.diagnostic.problem,
      next: error.diagnostic.remedy ?? "run again; if it stays like this, check the disk")
  }

  fileprivate static func unlisted(
    _ path: RelativePath, _ problem: String, next: String
  ) -> Finding {
    Finding(
      .unreadable, .error, path: path.description,
      message: "\(problem), so nobody knows what lies there", next: next)
  }
}
