import Automerge
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// What a run of steps adds to a document.
struct DocumentPatch: Sendable {
  /// The changes of one step, as chunks one behind the other.
  struct Part: Sendable {
    /// The number of the step among those of the run.
    var step: Int
    var chunks: [UInt8]
  }

  let path: RelativePath
  /// Its number in the inventory; nil if it is not there yet.
  let file: Int?
  /// What it is built upon; nil if it is not there yet.
  let version: FileVersion?
  /// Step by step.
  private(set) var parts: [Part] = []

  init(path: RelativePath, file: Int?, version: FileVersion?) {
    self.path = path
    self.file = file
    self.version = version
  }

  /// Whether it adds nothing.
  var isEmpty: Bool { parts.isEmpty }

  /// All changes, in their order.
  var chunks: [UInt8] { parts.flatMap(\.chunks) }

  /// Adds changes of a step behind those that are there.
  mutating func add(_ chunks: [UInt8], of step: Int) {
    if let last = parts.last, last.step == step {
      parts[parts.count - 1].chunks += chunks
    } else {
      parts.append(Part(step: step, chunks: chunks))
    }
  }

  /// Drops the changes of a step and of those behind it.
  mutating func drop(from step: Int) { parts.removeAll { $0.step >= step } }
}

extension DocumentState {
  /// Does what a step does to a document; throws with its path if the document does not take it.
  mutating func accepting<Result>(
    at path: RelativePath, _ body: (inout DocumentState) throws(FormatError) -> Result
  ) throws(MigrationError) -> Result {
    do {
      return try body(&self)
    } catch {
      throw .damagedDocument(
        path: path.description, offset: nil, problem: "does not take the step: \(error.problem)")
    }
  }

  /// Adds changes that a run has made for this document, or for one that held less.
  mutating func apply(chunks: [UInt8]) throws(FormatError) {
    guard !chunks.isEmpty else { return }
    var batch = ChangeBatch()
    // This tool made them.
    try batch.append(parsing: chunks, limits: .none)
    try apply(batch)
  }
}

extension BuiltDocument {
  /// The document that a patch makes of another one; throws if nobody could read it again.
  init(_ document: DocumentState, _ patch: DocumentPatch) throws(MigrationError) {
    let bytes = document.encoded()
    if let defect = DocumentExtent(of: document).readingDefect(ofFile: bytes) {
      throw .damagedDocument(
        path: patch.path.description, offset: nil,
        problem: "would hold more than can be read again: \(defect.problem)")
    }
    self.init(
      path: patch.path, bytes: bytes, replaced: patch.version, entitiesAdded: 0,
      changesAdded: patch.parts.count)
  }
}

extension [DocumentPatch] {
  /// Returns the documents with what patches add to them, once they are on disk under temporary names.
  func built(
    in folder: Directory, _ inventory: FolderInventory, with publisher: DocumentPublisher,
    context: RunContext
  ) throws(MigrationError) -> [BuiltDocument] {
    try Workers.map(
      count, phase: .converting, context: context,
      makeState: { DocumentLoader(folder, inventory) }
    ) { item, loader throws(MigrationError) in
      var document = try self[item].base(with: &loader)
      do throws(FormatError) {
        try document.apply(chunks: self[item].chunks)
      } catch {
        throw .brokenInvariant("changes of a step do not fit: \(error.problem)")
      }
      var built = try BuiltDocument(document, self[item])
      try publisher.stage(&built)
      return built
    }
  }
}

extension DocumentPatch {
  /// Loads what it is built upon, which must be what it was.
  fileprivate func base(with loader: inout DocumentLoader) throws(MigrationError) -> DocumentState {
    guard let file else { return DocumentState() }
    do throws(DocumentDefect) {
      let (document, state) = try loader.load(file)
      if loader.version(state) == version { return document }
    } catch {
      // It could be read before: told below.
    }
    throw .folderChanging(path: path.description)
  }
}

extension DocumentLoader {
  /// Loads a document as the steps of a run have left it so far; returns it with what it is built upon.
  mutating func load(
    _ seen: StepSurvey.Document, after patch: DocumentPatch?
  ) throws(MigrationError) -> (document: DocumentState, patch: DocumentPatch) {
    var document = DocumentState()
    var base = DocumentPatch(path: seen.path, file: nil, version: nil)
    if let file = seen.file {
      do throws(DocumentDefect) {
        let (loaded, state) = try load(file)
        document = loaded
        base = DocumentPatch(path: seen.path, file: file, version: version(state))
      } catch {
        // It could be read a moment ago.
        throw .folderChanging(path: seen.path.description)
      }
    }
    guard let patch else { return (document, base) }
    guard patch.version == base.version else { throw .folderChanging(path: seen.path.description) }
    try document.accepting(at: seen.path) { document throws(FormatError) in
      try document.apply(chunks: patch.chunks)
    }
    return (document, patch)
  }
}
