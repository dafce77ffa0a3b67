package import SafeFiles

// Finding the files that records name as their images.
extension FolderInventory {
  /// Returns the number of the image file that a record means by a name.
  ///
  /// Looks beside the record, then in the other directories of its month below `records` and
  /// `images`. Names are equal if their bytes are, or else if they are canonically equivalent, as a
  /// name may have been composed on one system and decomposed on another.
  package func image(named name: Span<UInt8>, of file: Int) -> Int? {
    image(named: name, month: month(of: file), besides: directory(of: file))
  }

  /// Returns the number of the image file of that name in a month; see `image(named:of:)`.
  package func image(named name: Span<UInt8>, in month: Month) -> Int? {
    image(named: name, month: month, besides: nil)
  }

  /// Returns the number of the file that an entity of a declared kind means by a name, nil if none of
  /// the directories has it, or the name is none of a file.
  ///
  /// - Parameter month: the month of the entity, for directories that have one for each.
  package func attachment(
    named name: [UInt8], in directories: [PathTemplate], month: Month?
  ) -> Int? {
    guard let name = FileName(name) else { return nil }
    let paths = directories.compactMap { $0.path(in: month)?.appending(name) }
    for path in paths {
      if let found = file(at: path), isPresent(found) { return found }
    }
    guard name.bytes.contains(where: { $0 >= 0x80 }) else { return nil }
    // A name may have been composed on one system and decomposed on another.
    let parents = Set(paths.compactMap(\.parent))
    let text = String(decoding: name.bytes, as: UTF8.self)
    return indices.first { file in
      isPresent(file) && String(decoding: nameBytes(of: file), as: UTF8.self) == text
        && parents.contains(directoryPath(directory(of: file)))
    }
  }

  private func image(named name: Span<UInt8>, month: Month?, besides own: Int?) -> Int? {
    if name.count == 0 { return nil }
    let others = month.flatMap { monthDirectories[$0] } ?? []
    if let own, let found = file(named: name, in: own) { return found }
    for directory in others where directory != own {
      if let found = file(named: name, in: directory) { return found }
    }
    guard (0..<name.count).contains(where: { name[$0] >= 0x80 }) else { return nil }
    let text = String(decoding: Array(name), as: UTF8.self)
    if let own, let found = file(equivalentTo: text, in: own) { return found }
    for directory in others where directory != own {
      if let found = file(equivalentTo: text, in: directory) { return found }
    }
    return nil
  }

  /// Returns the number of the regular file of that name directly in a directory.
  func file(named name: Span<UInt8>, in directory: Int) -> Int? {
    position(of: name, in: directory).flatMap { isPresent($0) ? $0 : nil }
  }

  /// Returns the number of what has that name directly in a directory, whatever it is.
  func position(of name: Span<UInt8>, in directory: Int) -> Int? {
    position(of: name, below: directory).flatMap { self.directory(of: $0) == directory ? $0 : nil }
  }

  /// Returns the number of what lies at a path, whatever it is: a file, or a directory that could not
  /// be listed.
  package func file(at path: RelativePath) -> Int? {
    directories.isEmpty ? nil : position(of: path.bytes.span, below: 0)
  }

  /// Returns the number of what lies at a path below a directory.
  private func position(of path: Span<UInt8>, below directory: Int) -> Int? {
    // The files in and below a directory are sorted by path, so what follows the directory's own
    // path is sorted too.
    let depth = directories[directory].path.count
    var range = directories[directory].files
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let order = compare(middle, below: depth, to: path)
      if order == 0 { return middle }
      range = order < 0 ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  private func file(equivalentTo name: String, in directory: Int) -> Int? {
    directories[directory].files.first {
      self.directory(of: $0) == directory && isPresent($0)
        && String(decoding: nameBytes(of: $0), as: UTF8.self) == name
    }
  }

  /// Whether a file is one that entities may name: it is there, and no data.
  package func isPresent(_ file: Int) -> Bool {
    switch files[file].fileClass {
    case .image, .foreign, .conflictCopy: true
    default: false
    }
  }

  /// Compares a file's path, without its first `depth` bytes, with a name.
  private func compare(_ file: Int, below depth: Int, to name: Span<UInt8>) -> Int {
    let path = directories[directory(of: file)].path
    let own = nameRange(of: file)
    let parts = [path.lowerBound + depth..<path.upperBound, own]
    var position = 0
    for part in parts {
      for index in part {
        if position == name.count { return 1 }
        if pool[index] != name[position] { return pool[index] < name[position] ? -1 : 1 }
        position += 1
      }
    }
    return position == name.count ? 0 : -1
  }
}
