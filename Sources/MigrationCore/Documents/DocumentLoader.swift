import Automerge
import Folders
import SafeFiles

/// Reads the documents of a folder one after the other, strictly: every hash is recomputed.
///
/// A loader belongs to one worker; it keeps its buffer and the directory of the last document.
struct DocumentLoader {
  /// The largest document that is read.
  static let largestDocument = 1 << 30
  /// How often a document that changes while it is read is read again.
  private static let attempts = 3

  /// The bytes of the document that was loaded last.
  private(set) var bytes: [UInt8] = []

  private let folder: Directory
  private let inventory: FolderInventory
  private var current: (number: Int, directory: Directory)?

  init(_ folder: Directory, _ inventory: FolderInventory) {
    self.folder = folder
    self.inventory = inventory
  }

  /// Loads a document of the inventory; returns it with the state of its file.
  mutating func load(
    _ file: Int
  ) throws(DocumentDefect) -> (document: DocumentState, file: FileState) {
    let state: FileState
    do {
      state = try read(file)
    } catch {
      throw DocumentDefect(error, file: file, path: inventory.path(of: file).description)
    }
    guard !bytes.isEmpty else {
      throw DocumentDefect(emptyFile: file, path: inventory.path(of: file).description)
    }
    do {
      return (try DocumentState(loading: bytes), state)
    } catch {
      throw DocumentDefect(error, file: file, path: inventory.path(of: file).description)
    }
  }

  /// Returns the file that was loaded last as whatever replaces it must find it; `state` is what
  /// loading returned.
  func version(_ state: FileState) -> FileVersion {
    FileVersion(state: state, hash: ContentHash(of: bytes))
  }

  private mutating func read(_ file: Int) throws(FileError) -> FileState {
    let number = inventory.directory(of: file)
    let directory: Directory
    if let current, current.number == number {
      directory = current.directory
    } else {
      directory = try folder.openDirectory(inventory.directoryPath(number))
      current = (number, directory)
    }
    var attempt = 1
    while true {
      do {
        return try directory.read(
          inventory.name(of: file), into: &bytes, limit: Self.largestDocument)
      } catch {
        guard case .changedWhileRead = error, attempt < Self.attempts else { throw error }
        attempt += 1
      }
    }
  }
}
