import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles

/// Where an app's own files lie that tell how an export of documents looks: which file an entity was in,
/// and what else is in that file.
struct KnownFiles: Sendable {
  /// The folder itself, or a run of its quarantine.
  struct Source: Sendable {
    var directory: Directory
    var inventory: FolderInventory
    /// What stands before the paths of its files in messages; empty for the folder itself.
    var pathPrefix = ""
  }

  /// A file of one of them.
  struct File: Hashable, Sendable {
    // There is one for each entity, so that they take no more room than they must.
    private let sourceIndex: UInt32
    private let fileNumber: UInt32

    init(source: Int, number: Int) {
      sourceIndex = UInt32(truncatingIfNeeded: source)
      fileNumber = UInt32(truncatingIfNeeded: number)
    }

    /// The index in `sources`.
    var source: Int { Int(sourceIndex) }
    /// The number in the inventory of the source.
    var number: Int { Int(fileNumber) }
    /// Whether it lies in the folder and not in its quarantine.
    var isOfFolder: Bool { source == 0 }
  }

  /// A place in a file. Places are in the order of sources, files and positions.
  struct Place: Hashable, Comparable, Sendable {
    let file: File
    private let entityPosition: UInt32

    init(file: File, position: Int) {
      self.file = file
      entityPosition = UInt32(truncatingIfNeeded: position)
    }

    /// The position among the entities of the file.
    var position: Int { Int(entityPosition) }

    static func < (left: Place, right: Place) -> Bool {
      (left.file.source, left.file.number, left.position)
        < (right.file.source, right.file.number, right.position)
    }
  }

  /// The folder comes first, then the runs of its quarantine, the newest first.
  let sources: [Source]
  private let kinds: EntityKinds
  private var places: [EntityKind: [Identity: Place]] = [:]
  /// Paths of files that are one entity each, by their hashes, which take less room.
  private var claimed: Set<Identity> = []

  init(
    of folder: Directory, _ inventory: FolderInventory, noting findings: inout [Finding]
  ) throws(MigrationError) {
    var sources = [Source(directory: folder, inventory: inventory)]
    if !inventory.documents.isEmpty {
      for run in try Quarantine.runs(of: folder, noting: &findings).reversed() {
        sources.append(
          Source(
            directory: run.directory,
            inventory: try Quarantine.inventory(of: run, as: inventory.kinds, noting: &findings),
            pathPrefix: run.path.description + "/"))
      }
    }
    self.sources = sources
    kinds = inventory.kinds
  }

  /// Creates a table without files, for a document that lies in no folder.
  init(_ kinds: EntityKinds) {
    sources = []
    self.kinds = kinds
  }

  /// The files of each group, source by source; conflict copies come last.
  var groups: [EntityGroup: [File]] {
    var groups: [EntityGroup: [File]] = [:]
    for (number, source) in sources.enumerated() {
      for group in source.inventory.legacyGroups {
        groups[group, default: []] += source.inventory.legacyFilesBasesFirst(of: group).map {
          File(source: number, number: $0)
        }
      }
    }
    return groups
  }

  /// Returns the path of a file; of one in a copied directory that in the directory it is a copy of.
  func path(of file: File) -> RelativePath {
    let path = sources[file.source].inventory.path(of: file.number)
    return kinds.overlaidPath(of: path) ?? path
  }

  /// What keeps an entity from going where its file says.
  enum Hindrance {
    /// Another file has the entity.
    case copy
    /// Another entity has the path.
    case taken
  }

  /// Returns what keeps an entity of a file in a copied directory from going to the directory that it is
  /// a copy of.
  func hindrance(at place: Place, of identity: Identity, _ kind: EntityKind) -> Hindrance? {
    let path = sources[place.file.source].inventory.path(of: place.file.number)
    guard kinds.overlaidPath(of: path) != nil else { return nil }
    guard let first = places[kind]?[identity]?.file else { return .taken }
    return first == place.file ? nil : .copy
  }

  /// Adds where an entity is, unless an earlier source told it. A file that is one entity is none that
  /// another entity gets.
  mutating func add(_ identity: Identity, _ kind: EntityKind, at place: Place) {
    guard places[kind]?[identity] == nil else { return }
    if kinds.isFileEach(kind),
      !claimed.insert(Identity(hashing: path(of: place.file).bytes)).inserted
    {
      return
    }
    places[kind, default: [:]][identity] = place
  }

  /// Whether an entity has the file of a path for itself.
  func isClaimed(_ path: RelativePath) -> Bool { claimed.contains(Identity(hashing: path.bytes)) }

  /// The paths of files that are one entity each, in no order.
  var claimedPaths: [RelativePath] {
    places.lazy.filter { kinds.isFileEach($0.key) }.flatMap(\.value.values).map {
      path(of: $0.file)
    }
  }

  /// Returns where an entity of a group was; nil if that is a file of another month, which is not what
  /// its document says any more.
  func place(of identity: Identity, in group: EntityGroup) -> Place? {
    guard let place = places[group.kind]?[identity] else { return nil }
    let inventory = sources[place.file.source].inventory
    let isOfGroup =
      !kinds.isGroupedByMonth(group.kind)
      || inventory.month(of: place.file.number) == group.month
    return isOfGroup ? place : nil
  }
}

extension LegacyReader {
  /// Returns what is told about the file read last if it lies in quarantine and could not be read; nil
  /// otherwise. What else is wrong there is told by who looks there.
  func failure(in source: KnownFiles.Source) -> Finding? {
    guard state == nil, !source.pathPrefix.isEmpty, var finding = batch.findings.first else {
      return nil
    }
    finding.severity = .error
    finding.path = source.pathPrefix + finding.path
    finding.message += "; it tells to which file its entities go, and what else was in that"
    return finding
  }
}

extension FolderInventory {
  /// The legacy files of a group; those that are conflict copies come last, so that an entity is where
  /// what they are copies of has it: `X 2.json` sorts before `X.json`.
  func legacyFilesBasesFirst(of group: EntityGroup) -> [Int] {
    let files = legacyFiles(of: group)
    if copies.isEmpty { return files }
    return files.filter { copies[$0] == nil } + files.filter { copies[$0] != nil }
  }
}
