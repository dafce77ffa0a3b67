package import SafeFiles

// Directories that a sync service made beside those that they are copies of: `notes 2` means `notes`.
extension EntityKinds {
  /// Returns the path that a file would have in the directory that its own is overlaid on; nil if its
  /// directory is no copy of one where the profile has files.
  package func overlaidPath(of path: RelativePath) -> RelativePath? {
    overlaidPath(of: path.bytes).map { .checked($0) }
  }

  func overlaidPath(of path: [UInt8]) -> [UInt8]? {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")),
      let base = overlaidDirectory(path[..<slash])
    else { return nil }
    return base + path[slash...]
  }

  /// Returns what a directory is overlaid on. One where files of the profile lie by its own name is that
  /// itself, and so is a part of a path for which the profile takes any name.
  func overlaidDirectory(_ path: ArraySlice<UInt8>) -> [UInt8]? {
    if hasDirectoryRoles || !Self.mayBeCopy(path) { return nil }
    let names = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    var base: [ArraySlice<UInt8>]?
    for parts in directoryPatterns {
      guard let found = PathPattern.base(of: names, like: parts) else { continue }
      if found == names { return nil }
      base = base ?? found
    }
    return base.map { Array($0.joined(separator: [UInt8(ascii: "/")])) }
  }

  /// Whether a part of a path ends with a space and digits. Most paths are seen to be no copy without
  /// being taken apart.
  private static func mayBeCopy(_ path: ArraySlice<UInt8>) -> Bool {
    var isInNumber = false
    for (position, byte) in zip(path.indices, path) {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if isInNumber, position + 1 == path.endIndex { return true }
      case UInt8(ascii: " "): isInNumber = true
      case UInt8(ascii: "/"):
        if isInNumber, path[position - 1] != UInt8(ascii: " ") { return true }
        isInNumber = false
      default: isInNumber = false
      }
    }
    return false
  }

  /// The patterns of the directories in which the profile has files.
  private var directoryPatterns: [ArraySlice<PathPattern.Part>] {
    all.compactMap { self[$0] }.flatMap { kind in
      let files =
        (kind.home?.paths ?? []) + (kind.home?.document.templates ?? []).compactMap(\.pattern)
      let directories = kind.attachments.flatMap(\.directories).compactMap(\.pattern)
      return files.map { $0.parts.dropLast() } + directories.map { $0.parts[...] }
    }
  }
}

extension PathPattern {
  /// Returns the names of a path without the copy numbers behind those for which a pattern has a name of
  /// its own; nil if the path does not match then, either.
  fileprivate static func base(
    of names: [ArraySlice<UInt8>], like parts: ArraySlice<Part>
  ) -> [ArraySlice<UInt8>]? {
    let isAnyDepth = parts.contains(.anyParts)
    guard !isAnyDepth ? names.count == parts.count : names.count >= parts.count - 1 else {
      return nil
    }
    var base = names
    for (index, part) in zip(parts.indices, parts) {
      guard case .name(let atoms) = part else { continue }
      // Parts are a pattern's from its first one on.
      let place = place(of: index, in: parts, among: names.count)
      let name = Array(names[place])
      if matches(name.span, atoms) { continue }
      let length = DirectoryName.lengthWithoutCopyNumber(name.span)
      guard !atoms.contains(.anyRun), matches(name.span.extracting(0..<length), atoms) else {
        return nil
      }
      base[place] = names[place].prefix(length)
    }
    return base
  }
}
