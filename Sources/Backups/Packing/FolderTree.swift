import SafeFiles

/// Lists a folder with its states, level by level, the directories of a level in parallel.
enum FolderTree {
  struct Node: Sendable {
    var name: FileName
    var kind: BackupEntry.Kind
    var state: FileState
    var target: [UInt8] = []
    var children: [Node] = []
  }

  /// How deep directories may lie; a path of names of one letter would reach it after 512 bytes.
  private static let deepestLevel = 256

  /// Returns the entries of the folder, sorted as an archive sorts them.
  static func list(_ folder: Directory, context: BackupContext) throws(BackupError) -> [Node] {
    var levels: [[Listing]] = []
    var open: [RelativePath] = [.folder]
    while !open.isEmpty {
      guard levels.count < deepestLevel else {
        throw .tooLarge(
          path: open[0].description, problem: "directories lie deeper than \(deepestLevel) levels")
      }
      let paths = open
      let found = Collected<Listing>(count: paths.count)
      try ParallelJobs.run(paths.count, threads: context.workerCount, makeState: { () }) {
        (job, _) throws(BackupError) in
        if context.isInterrupted() { throw .interrupted }
        found.set(job, try list(paths[job], in: folder))
      }
      let level = found.values
      levels.append(level)
      open = level.flatMap { listing in
        listing.nodes.filter { $0.kind == .directory }.map { listing.path.appending($0.name) }
      }
    }
    return assembled(levels)
  }

  private struct Listing: Sendable {
    var path: RelativePath
    var nodes: [Node]
  }

  /// Puts the directories of each level into those of the level above: both are in the same order.
  private static func assembled(_ levels: [[Listing]]) -> [Node] {
    var below: [[Node]] = []
    for level in levels.reversed() {
      var next = 0
      below = level.map { listing in
        listing.nodes.map { node in
          guard node.kind == .directory else { return node }
          var node = node
          if next < below.count { node.children = below[next] }
          next += 1
          return node
        }
      }
    }
    return below.first ?? []
  }

  private static func list(_ path: RelativePath, in folder: Directory) throws(BackupError)
    -> Listing
  {
    do throws(FileError) {
      let directory = try folder.openDirectory(path)
      var nodes: [Node] = []
      let entries = try directory.entries()
      nodes.reserveCapacity(entries.count)
      var hasDirectories = false
      for entry in entries {
        if path.isFolder, BackupScope.isExcluded(entry.name) { continue }
        let state = try directory.state(of: entry.name)
        var node = Node(name: entry.name, kind: kind(of: state.kind), state: state)
        if node.kind == .link { node.target = try directory.target(ofLink: entry.name) }
        hasDirectories = hasDirectories || node.kind == .directory
        nodes.append(node)
      }
      // Names alone are sorted already; a directory counts as if a slash followed its name.
      if hasDirectories {
        nodes = nodes.map { ($0, sortKey($0)) }.sorted { ByteOrder.precedes($0.1, $1.1) }.map(\.0)
      }
      return Listing(path: path, nodes: nodes)
    } catch {
      // What was listed and is gone, or is something else now, was moved meanwhile.
      switch error {
      case .missing(let place), .wrongKind(let place, _, _): throw .folderChanged(path: place)
      default: throw .file(error)
      }
    }
  }

  private static func sortKey(_ node: Node) -> [UInt8] {
    node.kind == .directory ? node.name.bytes + [UInt8(ascii: "/")] : node.name.bytes
  }

  private static func kind(of kind: FileKind) -> BackupEntry.Kind {
    switch kind {
    case .regular: .file
    case .directory: .directory
    case .symbolicLink: .link
    default: .special
    }
  }
}
