import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

// Files that somebody, or a sync service, has renamed since steps have changed them: what they hold says
// which they are.
extension FileStepStorage {
  /// The storage of a folder, which knows where files are now of which steps have noted other paths.
  init(
    _ folder: Directory, _ inventory: FolderInventory, context: RunContext
  ) throws(MigrationError) {
    self.init(folder, context: context)
    moves = try movedFiles(in: inventory)
  }

  /// Where a file is that is noted under a path.
  func path(now noted: RelativePath) -> RelativePath { log.path(now: noted) }

  /// The paths under which files are noted that have others now.
  var formerPaths: [RelativePath: RelativePath] {
    Dictionary(moves.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Looks for files that are noted and not at their places: each is the one that is, to the byte, as a step
  /// has found or left it.
  private func movedFiles(
    in inventory: FolderInventory
  ) throws(MigrationError) -> [RelativePath: RelativePath] {
    var all = try records()
    if let unfinished = try unfinished() { all.append(unfinished) }
    let there = Set(inventory.indices.lazy.map { inventory.path(of: $0) })
    var moves: [RelativePath: RelativePath] = [:]
    var taken: Set<RelativePath> = []
    // What is undone says only of what no other step says anything which file it is.
    for records in [all.filter { $0.stage != .undone }, all].map({ $0.map(\.record) }) {
      let noted = records.states
      var gone: [RelativePath] = []
      for path in noted.keys.sorted() where !there.contains(path) && moves[path] == nil {
        if try hash(of: path) == nil { gone.append(path) }
      }
      if gone.isEmpty { continue }
      for file in inventory.filesOfEntities.sorted(by: {
        inventory.path(of: $0) < inventory.path(of: $1)
      }) {
        let path = inventory.path(of: file)
        // What is identified by its path is another entity under another one.
        guard noted[path] == nil, !taken.contains(path),
          !inventory.kinds.isIdentifiedByPath(inventory.kind(of: file)),
          let now = try hash(of: path),
          // What holds the same bytes as another kind is another entity, too.
          let former = gone.firstIndex(where: {
            inventory.kinds.mayHaveHeld(inventory.kind(of: file), at: $0)
              && noted[$0]?.contains(now) ?? false
          })
        else { continue }
        moves[gone.remove(at: former)] = path
        taken.insert(path)
        if gone.isEmpty { break }
      }
    }
    return moves
  }

  /// Looks for files that have changed places since: under the path of one lies what is, to the byte, as a step
  /// has found or left another one, and it lies under another path itself. Returns whether there are any.
  ///
  /// - Parameter hashes: what all files of entities are.
  mutating func findExchanged(
    in inventory: FolderInventory, knowing hashes: [RelativePath: ContentHash]
  ) throws(MigrationError) -> Bool {
    let noted = try records().map(\.record).states
    let former = moves
    var taken = Set(moves.values)
    // Where there are files that are as no step has found or left what is noted there.
    let strange = Set(
      hashes.keys.filter { path in
        hashes[path].map { noted[path]?.contains($0) != true } ?? false
      })
    // What has lain there lies elsewhere if another one lies there now.
    let places = strange.filter { path in
      noted[path] != nil
        && hashes[path].map { hash in
          noted.contains { $0.key != path && $0.value.contains(hash) }
        } ?? false
    }
    if places.isEmpty { return false }
    let files = Dictionary(
      inventory.filesOfEntities.map { (inventory.path(of: $0), inventory.kind(of: $0)) },
      uniquingKeysWith: { first, _ in first })
    for path in places.union(noted.keys.filter { hashes[$0] == nil && moves[$0] == nil }).sorted() {
      moves[path] = strange.subtracting(taken).sorted().first { other in
        guard let kind = files[other], let hash = hashes[other] else { return false }
        return noted[path]?.contains(hash) ?? false
          && !inventory.kinds.isIdentifiedByPath(kind)
          && inventory.kinds.mayHaveHeld(kind, at: path)
      }
      if let now = moves[path] { taken.insert(now) }
    }
    return moves != former
  }

  /// Tells of files that are given back under other names than those that they had.
  func findings(of moved: Set<RelativePath>, by step: MigrationID) -> [Finding] {
    moves.filter { moved.contains($0.value) }.sorted { $0.value < $1.value }.map { former, path in
      Finding(
        .editedSince, .info, path: path.description,
        message:
          "\(step): was \(former) when the step changed it, and is given back under the name that "
          + "it has now")
    }
  }
}

extension [FileStepRecord] {
  /// What the runs have found and left of each file.
  fileprivate var states: [RelativePath: Set<ContentHash>] {
    var states: [RelativePath: Set<ContentHash>] = [:]
    for entry in lazy.flatMap(\.entries) {
      states[entry.path, default: []].insert(entry.after)
      if let before = entry.before { states[entry.path]?.insert(before) }
    }
    return states
  }
}
