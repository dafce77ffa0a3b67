package import SafeFiles
import Synchronization

/// A file that may be a copy a sync service made because of a conflict.
package struct ConflictCopy: Hashable, Sendable {
  /// Its number in the inventory.
  package let file: Int
  /// The path of what it would be a copy of.
  package let base: RelativePath
  /// What the base is by its name and place.
  package let baseClass: FileClass
  /// What the entities of the base are.
  package let kind: EntityKind
  /// The number of what is there, whatever it is; nil if nothing is.
  package let baseFile: Int?
  /// Who makes such names.
  package let service: SyncService
  /// How much the name says.
  package let strength: ConflictCopyName.Strength
}

// Finding files that names propose as conflict copies of data. What they are decides their content.
extension FolderInventory {
  /// Returns every data file or image that its name, or that of a directory above it, proposes as a
  /// copy of another, ascending by base, then by path.
  ///
  /// A directory `01 2` is overlaid on `01`: what lies in it is a copy of the file of the same name
  /// there. Of several readings of a name the one that takes off most counts whose base exists; if
  /// there is no base, the one that takes off most and is certain. Without a base a name that people
  /// and programs make, too, proposes nothing, unless another copy of that base is certain.
  ///
  /// This is the one rule for what a conflict copy is: `merge-conflicts` looks at exactly these files,
  /// so nothing else may be told to be one.
  ///
  /// - Parameters:
  ///   - gone: numbers of files that count as not being there.
  ///   - threads: how many look at names at once.
  package func conflictCopies(besides gone: Set<Int> = [], threads: Int = 1) -> [ConflictCopy] {
    var numbers: [RelativePath: Int] = [:]
    for directory in directories.indices { numbers[directoryPath(directory)] = directory }
    let parts = Mutex([Int: [ConflictCopy]]())
    let size = 8192
    ParallelJobs.run((count + size - 1) / size, threads: threads, makeState: {}) { (part, _) in
      let files = part * size..<min((part + 1) * size, count)
      let found = conflictCopies(among: files, besides: gone, numbers)
      parts.withLock { $0[part] = found }
    }
    let copies = parts.withLock { parts in
      parts.keys.sorted().flatMap { parts[$0] ?? [] }
    }
    let certain = Set(copies.lazy.filter { $0.strength == .strong }.map(\.base))
    return copies.filter { $0.baseFile != nil || certain.contains($0.base) }
      .sorted { $0.base == $1.base ? $0.file < $1.file : $0.base < $1.base }
  }

  private func conflictCopies(
    among files: Range<Int>, besides gone: Set<Int>, _ numbers: [RelativePath: Int]
  ) -> [ConflictCopy] {
    var copies: [ConflictCopy] = []
    // The directory that another would be a copy of; files of one mostly come one behind the other.
    var base: (directory: Int, path: RelativePath, number: Int?)?
    for file in files where !gone.contains(file) {
      let directory = directory(of: file)
      guard directories[directory].role != .foreign else { continue }
      if base?.directory != directory {
        let path = basePath(ofDirectory: directory)
        base = (directory, path, numbers[path])
      }
      guard let base else { continue }
      if let copy = conflictCopy(
        file, basePath: base.path, baseDirectory: base.number, besides: gone)
      {
        copies.append(copy)
      }
    }
    return copies
  }

  private func conflictCopy(
    _ file: Int, basePath: RelativePath, baseDirectory: Int?, besides gone: Set<Int>
  ) -> ConflictCopy? {
    var range = nameRange(of: file)
    if let target = FolderNames.placeholderTarget(pool.span.extracting(range)) {
      range = range.lowerBound + target.lowerBound..<range.lowerBound + target.upperBound
    }
    let name = pool.span.extracting(range)
    guard name.count > 0, name[0] != UInt8(ascii: ".") else { return nil }
    let isOverlaid = baseDirectory != directory(of: file)
    if !isOverlaid, !mayBeCopy(name, in: directory(of: file)) { return nil }
    var proposals = ConflictCopyName.readings(of: name)
    if isOverlaid {
      proposals.insert(
        ConflictCopyName(base: Array(pool[range]), service: .iCloud, strength: .strong), at: 0)
    }
    var chosen: ConflictCopy?
    for (index, proposal) in proposals.enumerated() {
      guard let name = FileName(proposal.base) else { continue }
      var found: Int?
      if let baseDirectory, let entry = entry(named: proposal.base, in: baseDirectory),
        !gone.contains(entry)
      {
        found = entry
      }
      // Nobody can tell whether a number or a host was appended to a name that nothing has.
      guard found != nil || proposal.strength == .strong || proposal.service != .oneDrive else {
        continue
      }
      let role = directories[directory(of: file)].role
      let meaning = meaning(ofName: proposal.base.span, in: directory(of: file))
      let baseClass = meaning.fileClass
      guard baseClass.isData || baseClass == .image else { continue }
      // Documents of other programs may lie beside the tags.
      if role == .folder, baseClass == .otherDocument { continue }
      let strength =
        Self.isReserved(baseClass) && proposal.service != .oneDrive
        ? .strong : proposal.strength
      if found == nil, let chosen, chosen.baseFile != nil || strength == .weak { continue }
      // Where a path is an identity, what is certain says whose copy a file is.
      if strength == .weak, chosen?.strength == .strong, kinds.isIdentifiedByPath(meaning.kind) {
        continue
      }
      chosen = ConflictCopy(
        file: file,
        base: found.map { basePath.appending(self.name(standingFor: $0)) }
          ?? basePath.appending(name),
        baseClass: baseClass, kind: meaning.kind, baseFile: found, service: proposal.service,
        strength: strength)
      // What a directory is overlaid on says more than any number at the end of a name.
      if isOverlaid, index == 0, found != nil { break }
    }
    return chosen
  }

  /// Whether a name in a directory can propose something: most that look like a copy's have no base.
  private func mayBeCopy(_ name: Span<UInt8>, in directory: Int) -> Bool {
    switch ConflictCopyName.glance(at: name) {
    case .none: return false
    case .maybe: return true
    case .ifAnyBase(let stemLength):
      var base: [UInt8] = []
      for hyphen in 1..<max(stemLength, 1)
      where ConflictCopyName.replace(
        &base, byStartOf: name, before: hyphen, stemLength: stemLength)
      {
        if position(of: base.span, in: directory) != nil { return true }
        if hasPlaceholders,
          position(of: FolderNames.placeholder(for: base.span).span, in: directory) != nil
        {
          return true
        }
      }
      return false
    }
  }

  /// Whether a file may be a copy by its name, and is an entity of its own all the same: its path is
  /// its identity, people and programs make such names, too, and nothing in it tells.
  package func isEntityOfItsOwn(_ file: Int, as copy: ConflictCopy) -> Bool {
    copy.strength == .weak && nominalClass(of: file).isLegacy
      && kinds.isIdentifiedByPath(kind(of: file))
  }

  /// Returns the path that says which entity a file holds, where a path does: a file that is certain to
  /// be a copy holds that of its base.
  package func identityPath(of file: Int) -> RelativePath {
    var file = file
    while let copy = copies[file], !isEntityOfItsOwn(file, as: copy) {
      guard let base = copy.baseFile else { return copy.base }
      file = base
    }
    return path(of: file)
  }

  /// Whether nobody but the app gives a file such a name, so that a number behind it says enough.
  private static func isReserved(_ fileClass: FileClass) -> Bool {
    switch fileClass {
    case .fixedFile, .fixedDocument, .monthDocument: true
    default: false
    }
  }

  /// The path of the directory that a directory is overlaid on: its own, without copy numbers.
  private func basePath(ofDirectory number: Int) -> RelativePath {
    switch directories[number].role {
    case .records, .recordsYear, .recordsMonth, .images, .imagesYear, .imagesMonth: break
    case .declared:
      let path = directoryPath(number)
      return kinds.overlaidDirectory(path.bytes[...]).map { .checked($0) } ?? path
    default: return directoryPath(number)
    }
    var path = RelativePath.folder
    for component in directoryPath(number).components {
      let length = DirectoryName.lengthWithoutCopyNumber(component.bytes.span)
      guard let name = FileName(Array(component.bytes.prefix(length))) else {
        return directoryPath(number)
      }
      path = path.appending(name)
    }
    return path
  }

  /// Returns the number of what has a name in a directory, or stands for it as a placeholder.
  ///
  /// Names are equal if their bytes are, or else if they are canonically equivalent.
  private func entry(named name: [UInt8], in directory: Int) -> Int? {
    if let found = position(of: name.span, in: directory) { return found }
    let placeholder = FolderNames.placeholder(for: name.span)
    if let found = position(of: placeholder.span, in: directory) { return found }
    guard name.contains(where: { $0 >= 0x80 }) else { return nil }
    let text = String(decoding: name, as: UTF8.self)
    return directories[directory].files.first {
      self.directory(of: $0) == directory
        && String(decoding: nameBytes(of: $0), as: UTF8.self) == text
    }
  }

  /// The name of a file, that of a placeholder without what makes it one.
  private func name(standingFor file: Int) -> FileName {
    let name = name(of: file)
    return FolderNames.placeholderTarget(name.bytes.span)
      .flatMap { FileName(Array(name.bytes[$0])) } ?? name
  }
}
