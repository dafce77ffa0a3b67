extension FolderInventory {
  /// Returns the numbers of the files whose names, or those of directories they lie in, look like
  /// what a sync service makes of a conflict. Images do not count: a copy of one is an image.
  package func likelyCopies() -> Set<Int> {
    let isCopied = directories.map { directory in
      // `records 2/2024/01`: everything in it is a copy.
      pool[directory.path].split(separator: UInt8(ascii: "/")).contains { name in
        let name = Array(name)
        return DirectoryName.lengthWithoutCopyNumber(name.span) < name.count
      }
    }
    var copies: Set<Int> = []
    for file in files.indices {
      let isLikely: Bool =
        switch files[file].nominalClass {
        case .otherDocument, .conflictCopy: true
        case .recordDocument, .recordFile:
          isCopied[directory(of: file)]
            || ConflictCopyName.isLikely(pool.span.extracting(nameRange(of: file)))
        default: isCopied[directory(of: file)]
        }
      if isLikely { copies.insert(file) }
    }
    return copies
  }
}
