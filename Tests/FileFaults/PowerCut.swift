import SafeFiles

/// What a disk may hold when the power fails after a step of a recorded run.
///
/// The rules are those a program may rely on, and no more:
///
/// - A file's bytes are durable from its synchronization on. Bytes written since then may be there
///   or not, block by block: a file may be empty, old, torn or have zeros where bytes should be.
/// - A change of names is durable once its directory was synchronized. Until then any of them may be
///   there or not, in any combination; only what happened to one file keeps its order.
/// - A rename is there or not, as a whole. But of a rename of a file between two directories of
///   which one was synchronized only that one's half is certain: the file may have both names, or,
///   had the old directory been synchronized first, none.
/// - Synchronizing a file says nothing about its name.
package struct PowerCut {
  /// What becomes of things that are not durable.
  private enum Luck {
    case none
    case names
    case all
  }

  /// One name that comes or goes.
  private struct NameChange {
    var place: Recording.Place
    var node: Int?
    var isDurable = false
  }

  /// What one step did to the names: one change or, for a rename, two.
  private struct Renaming {
    var node: Int
    var halves: [NameChange]
  }

  private struct Content {
    var durable: [UInt8]
    var current: [UInt8]
  }

  /// The blocks in which a file is torn.
  private static let blockSize = 512

  private var nodes: [Recording.Node]
  private var contents: [Int: Content] = [:]
  private var renamings: [Renaming] = []

  /// Cuts the power after the first `count` steps.
  package init(_ recording: Recording, afterSteps count: Int) {
    nodes = recording.nodes
    for (node, found) in nodes.enumerated() where found.kind == .regular {
      contents[node] = Content(durable: found.content, current: found.content)
    }
    for step in recording.steps.prefix(count) { apply(step) }
  }

  private mutating func apply(_ step: Recording.Step) {
    switch step {
    case .make(let node, let place, let kind, let content, let mode):
      nodes.append(Recording.Node(kind: kind, content: content, mode: mode))
      if kind == .regular { contents[node] = Content(durable: [], current: []) }
      renamings.append(Renaming(node: node, halves: [NameChange(place: place, node: node)]))
    case .write(let node, let bytes, let offset):
      guard var current = contents[node]?.current else { return }
      if current.count < offset + bytes.count {
        current += [UInt8](repeating: 0, count: offset + bytes.count - current.count)
      }
      current.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      contents[node]?.current = current
      nodes[node].modified = nil
    case .synchronize(let node): synchronize { $0 == node }
    case .synchronizeAll: synchronize { _ in true }
    case .rename(let node, let old, let new):
      renamings.append(
        Renaming(
          node: node, halves: [NameChange(place: old), NameChange(place: new, node: node)]))
    case .exchange(let node, let place, let other, let otherPlace):
      renamings.append(
        Renaming(
          node: node,
          halves: [
            NameChange(place: otherPlace, node: node), NameChange(place: place, node: other),
          ]))
    case .link(let node, let place):
      renamings.append(Renaming(node: node, halves: [NameChange(place: place, node: node)]))
    case .unlink(let node, let place):
      renamings.append(Renaming(node: node, halves: [NameChange(place: place)]))
    case .setMode(let node, let mode): nodes[node].mode = mode
    case .setModified(let node, let time): nodes[node].modified = time
    }
  }

  private mutating func synchronize(_ isMeant: (Int) -> Bool) {
    for node in contents.keys where isMeant(node) {
      if let current = contents[node]?.current { contents[node]?.durable = current }
    }
    for index in renamings.indices {
      let halves = renamings[index].halves
      let isDirectory = nodes[renamings[index].node].kind == .directory
      let isReached = halves.map { isMeant($0.place.directory) }
      for half in halves.indices where isReached[half] || (isDirectory && isReached.contains(true))
      {
        renamings[index].halves[half].isDurable = true
      }
    }
  }

  // MARK: States

  /// What is durable and nothing else.
  package var least: StoredTree { state(.none) }

  /// Returns the states the disk may be in: the least, the most, all names without their bytes, and
  /// as many others as are asked for; each once.
  package func states(
    sampling count: Int, using generator: inout some RandomNumberGenerator
  ) -> [StoredTree] {
    var states: Set<StoredTree> = []
    var ordered: [StoredTree] = []
    func add(_ tree: StoredTree) { if states.insert(tree).inserted { ordered.append(tree) } }
    add(least)
    add(state(.names))
    add(state(.all))
    guard isUncertain else { return ordered }
    for _ in 0..<count { add(sample(using: &generator)) }
    return ordered
  }

  /// Whether anything is not durable.
  private var isUncertain: Bool {
    renamings.contains { $0.halves.contains { !$0.isDurable } }
      || contents.values.contains { $0.durable != $0.current }
  }

  private func state(_ luck: Luck) -> StoredTree {
    tree(
      isThere: { _ in luck != .none },
      bytes: { luck == .all ? $0.current : $0.durable })
  }

  private func sample(using generator: inout some RandomNumberGenerator) -> StoredTree {
    // All decided beforehand, in one order, so that the seed says everything.
    var lucky = renamings.flatMap(\.halves).map { _ in Bool.random(using: &generator) }
    var torn: [Int: [UInt8]] = [:]
    for (node, content) in contents.sorted(by: { $0.key < $1.key }) {
      torn[node] = Self.tear(content, using: &generator)
    }
    return tree(isThere: { _ in lucky.popLast() ?? false }, bytesOfNode: { torn[$0] ?? [] })
  }

  private static func tear(_ content: Content, using generator: inout some RandomNumberGenerator)
    -> [UInt8]
  {
    let (old, new) = (content.durable, content.current)
    guard old != new else { return new }
    switch UInt8.random(in: 0..<4, using: &generator) {
    case 0: return old
    case 1: return new
    case 2: return Array(new.prefix(max(old.count, .random(in: 0...new.count, using: &generator))))
    default:
      var bytes = new
      for start in stride(from: 0, to: new.count, by: blockSize)
      where Bool.random(using: &generator) {
        for position in start..<min(start + blockSize, new.count) {
          bytes[position] = position < old.count ? old[position] : 0
        }
      }
      return bytes
    }
  }

  private func tree(
    isThere: (NameChange) -> Bool, bytes: (Content) -> [UInt8]
  ) -> StoredTree {
    tree(isThere: isThere, bytesOfNode: { contents[$0].map(bytes) ?? [] })
  }

  private func tree(
    isThere: (NameChange) -> Bool, bytesOfNode: (Int) -> [UInt8]
  ) -> StoredTree {
    var entries: [Int: [FileName: Int]] = [:]
    for node in nodes.indices where nodes[node].kind == .directory {
      entries[node] = nodes[node].entries
    }
    var isStopped: Set<Int> = []
    for renaming in renamings {
      let certain = renaming.halves.count { $0.isDurable }
      var isApplied = renaming.halves.map(\.isDurable)
      let isLucky = renaming.halves.map(isThere)
      if certain == 0 {
        // One file's changes keep their order: what came after a lost one is lost, too.
        if isLucky[0], !isStopped.contains(renaming.node) {
          isApplied = isApplied.map { _ in true }
        } else {
          isStopped.insert(renaming.node)
        }
      } else {
        for half in isApplied.indices where !isApplied[half] { isApplied[half] = isLucky[half] }
      }
      for (half, isApplied) in zip(renaming.halves, isApplied) where isApplied {
        entries[half.place.directory]?[half.place.name] = half.node
      }
    }
    var tree = StoredTree()
    collect(0, .folder, entries, bytesOfNode, into: &tree)
    return tree
  }

  private func collect(
    _ directory: Int, _ path: RelativePath, _ entries: [Int: [FileName: Int]],
    _ bytesOfNode: (Int) -> [UInt8], into tree: inout StoredTree
  ) {
    for (name, node) in (entries[directory] ?? [:]).sorted(by: { $0.key < $1.key }) {
      let found = nodes[node]
      let entryPath = path.appending(name)
      tree.entries.append(
        StoredTree.Entry(
          path: entryPath, kind: found.kind,
          content: found.kind == .regular ? bytesOfNode(node) : found.content, mode: found.mode,
          modified: found.modified))
      if found.kind == .directory {
        collect(node, entryPath, entries, bytesOfNode, into: &tree)
      }
    }
  }
}
