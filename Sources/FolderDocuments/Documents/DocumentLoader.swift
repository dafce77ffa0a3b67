package import Automerge
package import Folders
package import SafeFiles

/// Reads the documents of a folder one after the other, strictly: every hash is recomputed.
///
/// A loader belongs to one worker; it keeps its buffer and the directory of the last document.
package struct DocumentLoader {
  /// The largest document that is read: months of a hundred thousand records have a tenth of it. A
  /// file of holes may claim any size.
  package static let largestDocument = 128 << 20

  /// The bytes of the document that was loaded last.
  package private(set) var bytes: [UInt8] = []

  private let inventory: FolderInventory
  private let keepsChunks: Bool
  private var current: CurrentDirectory

  /// - Parameter keepsChunks: whether the changes of the documents are looked at, besides their values
  ///   and hashes.
  package init(_ folder: Directory, _ inventory: FolderInventory, keepsChunks: Bool = true) {
    current = CurrentDirectory(in: folder)
    self.inventory = inventory
    self.keepsChunks = keepsChunks
  }

  /// Loads a document of the inventory; returns it with the state of its file.
  package mutating func load(
    _ file: Int
  ) throws(DocumentDefect) -> (document: DocumentState, file: FileState) {
    let state = try readBytes(file)
    return (try parse(file), state)
  }

  /// Loads a document unless it is, byte for byte, one of those that were loaded: of conflict copies,
  /// most are, and there may be thousands.
  ///
  /// - Returns: the document, or the number of the one that it is equal to; and the state of the file.
  package mutating func load(
    _ file: Int, besides loaded: inout LoadedCopies
  ) throws(DocumentDefect) -> (outcome: LoadedCopies.Outcome, file: FileState) {
    let state = try readBytes(file)
    guard loaded.mayHaveEquals(inventory.basePath(of: file)) else {
      return (.new(try parse(file)), state)
    }
    let base = inventory.basePath(of: file)
    let hash = ContentHash(of: bytes)
    if let other = loaded.file(of: base, with: hash) { return (.equal(to: other), state) }
    let document = try parse(file)
    loaded.note(file, of: base, with: hash)
    return (.new(document), state)
  }

  /// Returns an empty table of those of some documents that are copies or have some.
  package func copies(among files: some Sequence<Int>) -> LoadedCopies {
    LoadedCopies(among: files, of: inventory)
  }

  private mutating func readBytes(_ file: Int) throws(DocumentDefect) -> FileState {
    let state: FileState
    do {
      state = try read(file)
    } catch {
      throw DocumentDefect(error, file: file, path: inventory.path(of: file).description)
    }
    guard !bytes.isEmpty else {
      throw DocumentDefect(emptyFile: file, path: inventory.path(of: file).description)
    }
    return state
  }

  private func parse(_ file: Int) throws(DocumentDefect) -> DocumentState {
    do {
      return try DocumentState(loading: bytes, keepsChunks: keepsChunks)
    } catch {
      throw DocumentDefect(error, file: file, path: inventory.path(of: file).description)
    }
  }

  /// Returns the file that was loaded last as whatever replaces it must find it; `state` is what
  /// loading returned.
  package func version(_ state: FileState) -> FileVersion {
    FileVersion(state: state, hash: ContentHash(of: bytes))
  }

  private mutating func read(_ file: Int) throws(FileError) -> FileState {
    let directory = try current.directory(of: file, in: inventory)
    return try SteadyRead.perform { () throws(FileError) in
      try directory.read(inventory.name(of: file), into: &bytes, limit: Self.largestDocument)
    }
  }
}
