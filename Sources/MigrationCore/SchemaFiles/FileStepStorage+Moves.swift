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
