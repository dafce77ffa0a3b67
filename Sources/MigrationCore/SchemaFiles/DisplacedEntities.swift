import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// Entities that a step has changed or made in files that are gone, and that are in other files now, which
/// somebody has written since: nothing shows whether they are as before the step or as after it.
struct DisplacedEntities {
  /// A file with such entities.
  struct File {
    let path: RelativePath
    /// The first of its entities, as it is told.
    let entity: String
    /// What it was when the step changed it, and where that lies as it was before; nil if the step has made
    /// what it holds.
    let former: (path: RelativePath, original: RelativePath)?
  }

  private(set) var files: [File] = []
  /// The files that are gone of whose entities one is in another file.
  private(set) var formers: Set<RelativePath> = []

  /// Looks for the entities of files that are gone.
  ///
  /// - Parameters:
  ///   - gone: the paths under which the files are noted.
  ///   - records: the runs of the step.
  init(
    of gone: [RelativePath], in records: [FileStepRecord], _ storage: FileStepStorage,
    _ inventory: FolderInventory
  ) throws(MigrationError) {
    if gone.isEmpty { return }
    let known = Set(records.lazy.flatMap(\.entries).map { storage.path(now: $0.path) })
    var holders: [EntityKind: [Identity: RelativePath]] = [:]
    var files: [EntityKind: Int] = [:]
    var reader = FileEntities(storage.folder, inventory)
    for file in inventory.filesOfEntities {
      let (path, kind) = (inventory.path(of: file), inventory.kind(of: file))
      if inventory.kinds.isIdentifiedByPath(kind) { continue }
      _ = try reader.read(file)
      for entity in reader.batch.entities {
        if known.contains(path), holders[kind]?[entity.identity] != nil { continue }
        holders[kind, default: [:]][entity.identity] = path
      }
      files[kind] = file
    }
    for former in gone {
      guard
        let record = records.runChanging(former),
        let original = record.place(of: former), let bytes = try storage.contents(of: original)
      else { continue }
      for (kind, file) in files.sorted(by: { $0.value < $1.value })
      where inventory.kinds.mayHaveHeld(kind, at: former) {
        for identity in reader.identities(in: bytes, of: file).sorted() {
          guard let path = holders[kind]?[identity] else { continue }
          formers.insert(former)
          if known.contains(path) { continue }
          add(path, inventory.kinds.title(kind, identity), (former, original))
        }
      }
    }
    // Nothing lies aside of what a step has made; it is noted which entities these are.
    let made = records.filter { $0.entries.contains { $0.isNew && gone.contains($0.path) } }
      .reduce(into: Set<String>()) { $0.formUnion($1.made) }
    if made.isEmpty { return }
    for (kind, holders) in holders.sorted(by: { (files[$0.key] ?? 0) < (files[$1.key] ?? 0) }) {
      for (identity, path) in holders.sorted(by: { $0.key < $1.key }) where !known.contains(path) {
        let title = inventory.kinds.title(kind, identity)
        if made.contains(title) { add(path, title, nil) }
      }
    }
  }

  private mutating func add(
    _ path: RelativePath, _ entity: String, _ former: (path: RelativePath, original: RelativePath)?
  ) {
    if files.contains(where: { $0.path == path }) { return }
    files.append(File(path: path, entity: entity, former: former))
  }

  /// Whether there are some that the step has made.
  var areMade: Bool { files.contains { $0.former == nil } }

  /// Tells of each file.
  ///
  /// - Parameters:
  ///   - consequence: what does not become of it.
  ///   - again: what is to be run once it is as it was before.
  func findings(of step: MigrationID, _ consequence: String, again: String) -> [Finding] {
    files.map { file in
      guard let (former, original) = file.former else {
        return Finding(
          .editedSince, .error, path: file.path.description,
          message:
            "\(step): has \(file.entity), which the step has made in a file that is gone, and was "
            + "written since, so it stays",
          next: "move it away where it is to go as well")
      }
      return Finding(
        .editedSince, .error, path: file.path.description,
        message:
          "\(step): has \(file.entity), which was in \(former) when the step changed it, and "
          + "was written since: nothing shows whether as before the step or as after it, so \(consequence)",
        next:
          "what it was before the step is in \(original): copy that to \(file.path), \(again), and "
          + "make the edit once more")
    }
  }
}

extension [FileStepRecord] {
  /// The first of these runs that has changed a file, and not made it.
  fileprivate func runChanging(_ path: RelativePath) -> FileStepRecord? {
    first { $0.entries.contains { $0.path == path && !$0.isNew } }
  }
}

extension EntityKinds {
  /// Whether a file at a path may be one with entities of a kind; so may one of which no profile says
  /// anything any more.
  func mayHaveHeld(_ kind: EntityKind, at path: RelativePath) -> Bool {
    content(ofPath: path.bytes).map { $0.kind == kind } ?? true
  }
}
