package import Automerge
package import Diagnostics
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

  /// Where the documents are.
  package let inventory: FolderInventory
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

  /// Returns the heads of a document, ascending, and the changes in it that wait for others; one whose
  /// file is a single chunk has none of these, is not loaded, and only its checksum proven.
  package mutating func heads(
    of file: Int
  ) throws(DocumentDefect) -> (heads: [ChangeHash], waiting: [ChangeHash]) {
    _ = try readBytes(file)
    do throws(FormatError) {
      if let heads = try DocumentState.statedHeads(of: bytes) { return (heads, []) }
    } catch {
      throw DocumentDefect(error, file: file, path: inventory.path(of: file).description)
    }
    let document = try parse(file)
    return (document.heads, document.queuedHashes.sorted())
  }

  /// Loads a document unless its file could hardly be shorter; nil then, and only its checksum proven.
  package mutating func loadUnlessPacked(
    _ file: Int
  ) throws(DocumentDefect) -> (document: DocumentState?, file: FileState) {
    let state = try readBytes(file)
    do throws(FormatError) {
      if try DocumentState.isPacked(bytes), try DocumentState.statedHeads(of: bytes) != nil {
        return (nil, state)
      }
    } catch {
      // Loading it tells what is wrong with it.
    }
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
      return try DocumentState(loading: bytes, keeping: keepsChunks ? .all : .none)
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

/// Which of the documents that were loaded are conflict copies or have some, by their bytes.
package struct LoadedCopies {
  /// What became of a document that was to be loaded.
  package enum Outcome {
    case new(DocumentState)
    /// Its bytes are those of the document of this number, which was loaded before.
    case equal(to: Int)
  }

  private struct Key: Hashable {
    var base: RelativePath
    var hash: ContentHash
  }

  private let bases: Set<RelativePath>
  private var files: [Key: Int] = [:]

  /// Creates a table for documents of an inventory, of which nothing was loaded yet.
  package init(among files: some Sequence<Int>, of inventory: FolderInventory) {
    bases =
      inventory.copies.isEmpty
      ? []
      : Set(files.lazy.filter { inventory.copies[$0] != nil }.map { inventory.basePath(of: $0) })
  }

  /// Whether a file of this path, or what is a copy of it, may have equals.
  func mayHaveEquals(_ base: @autoclosure () -> RelativePath) -> Bool {
    !bases.isEmpty && bases.contains(base())
  }

  /// Returns the document of the same base and bytes, nil if none was loaded.
  package func file(of base: RelativePath, with hash: ContentHash) -> Int? {
    files[Key(base: base, hash: hash)]
  }

  package mutating func note(_ file: Int, of base: RelativePath, with hash: ContentHash) {
    files[Key(base: base, hash: hash)] = file
  }
}

/// Why a document cannot be read: what is told about it, and which entities wait for it.
package struct DocumentDefect: Error, Sendable {
  /// The document's number in its inventory.
  package var file: Int
  /// What is told about it.
  package var finding: Finding

  package init(_ error: FileError, file: Int, path: String) {
    self.file = file
    if case .missing = error {
      finding = .gone
      finding.path = path
      return
    }
    let code: Finding.Code =
      if case .changedWhileRead = error { .changedWhileRead } else { .unreadable }
    finding = Finding(
      code, .error, path: path, message: error.diagnostic.problem, next: error.diagnostic.remedy)
  }

  package init(_ error: FormatError, file: Int, path: String) {
    self.file = file
    if case .missingDependencies = error.fact {
      finding = Finding(
        .incompleteDocument, .error, path: path, message: error.problem,
        next: "look for a copy that holds them and merge the two with merge-conflicts",
        offset: error.offset)
    } else {
      finding = Finding(
        .damagedDocument, .error, path: path, message: error.problem,
        next: Self.nextStep, offset: error.offset)
    }
  }

  /// An empty file: Automerge reads it as an empty document, but no program saves one, so it is
  /// what an interrupted copy left.
  package init(emptyFile file: Int, path: String) {
    self.file = file
    finding = Finding(
      .damagedDocument, .error, path: path, message: "is empty, expected a document",
      next: Self.nextStep, offset: 0)
  }

  /// What to do about a document that does not load; the last resort comes last.
  private static let nextStep =
    "fetch it from another device, or bring it back with restore-backup --only; "
    + "failing that, salvage it with repair-crdt"
}

extension DocumentState {
  /// Loads the document at a path of a folder; nil if there is none, or none that loads.
  ///
  /// What keeps a document from being read is told where it is verified.
  package init?(at path: RelativePath, in folder: Directory) {
    do {
      try self.init(loading: folder.contents(of: path, limit: DocumentLoader.largestDocument))
    } catch {
      return nil
    }
  }
}
