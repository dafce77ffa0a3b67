import Diagnostics
import Folders
import Runs
import SafeFiles
import SwiftDataStores

/// The copies of a store that its app made: databases in a directory called `Backups`, which lies around
/// the store, in the app's container or among its documents.
struct AppBackups {
  /// One copy.
  struct Item {
    let files: StoreFiles
    let state: FileState
    /// How many files it consists of: its log may lie beside it.
    let fileCount: Int
    /// How many bytes these have.
    let byteCount: Int64
    /// The absolute path byte for byte.
    let absolutePath: [UInt8]
  }

  /// The copies, newest first.
  private(set) var items: [Item] = []
  /// What could not be looked at.
  private(set) var findings: [Finding] = []

  private static let documents: FileName = "Documents"

  /// Looks for copies around the directory of a store, and in a place that was told.
  init(around directory: Directory, and place: Directory?) {
    var seen: [FileState] = []
    for found in places(around: directory) + [place].compactMap({ $0 }) {
      do throws(FileError) {
        let state = try found.state()
        guard !seen.contains(where: { $0.isSameFile(as: state) }) else { continue }
        seen.append(state)
        try look(into: found)
      } catch {
        note(found.path, error)
      }
    }
    items.sort { $0.state.modified > $1.state.modified }
  }

  /// A container keeps stores in `Library/Application Support`, and what people see in `Documents`.
  private mutating func places(around directory: Directory) -> [Directory] {
    var places: [Directory] = []
    do throws(FileError) {
      let parent = try directory.parentDirectory()
      let container = try parent.parentDirectory()
      let documents = try container.openDirectoryIfPresent(RelativePath(Self.documents))
      for base in [directory, parent, container] + [documents].compactMap({ $0 }) {
        for name in AppCopies.directoryNames {
          if let place = try base.openDirectoryIfPresent(RelativePath(name)) {
            places.append(place)
          }
        }
      }
    } catch {
      note(directory.path, error)
    }
    return places
  }

  private mutating func look(into place: Directory) throws(FileError) {
    let root = try place.canonicalPath() + [UInt8(ascii: "/")]
    for entry in try place.entries() where entry.kind == .regular {
      do throws(FileError) {
        var isStore = StoreSource.hasNameOfStore(entry.name)
        if !isStore { isStore = try StoreSource.isDatabase(entry.name, in: place) }
        guard isStore, let state = try place.stateIfPresent(of: entry.name) else { continue }
        let path = root + entry.name.bytes
        let files = StoreFiles(
          in: place, name: entry.name, path: DisplayText.escaping(path))
        var beside: [FileState] = []
        for name in [files.logName, files.journalName].compactMap({ $0 }) {
          if let state = try place.stateIfPresent(of: name) { beside.append(state) }
        }
        items.append(
          Item(
            files: files, state: state, fileCount: 1 + beside.count,
            byteCount: beside.reduce(state.size) { $0 + $1.size }, absolutePath: path))
      } catch {
        if case .missing = error { continue }
        note(place.path(of: entry.name), error)
      }
    }
  }

  private mutating func note(_ path: String, _ error: FileError) {
    findings.append(
      Finding(
        .unreadable, .warning, path: path,
        message: "\(error.diagnostic.problem), so nobody knows whether the app made copies there",
        next: error.diagnostic.remedy ?? ""))
  }
}

/// What tells whether two stores are of the same data.
struct StoreLikeness {
  private let uuid: String
  private let entities: Set<String>

  init(_ store: Store) {
    uuid = store.uuid
    entities = Set(store.layout.entities.map(\.name))
  }

  /// Whether they have one identifier, or an entity in common: a store that was made anew has another
  /// identifier than its old copies.
  func isLike(_ other: StoreLikeness) -> Bool {
    !uuid.isEmpty && uuid == other.uuid || !entities.isDisjoint(with: other.entities)
  }
}
