import Automerge
import Diagnostics
import FolderDocuments
package import Runs
import SafeFiles

/// What `inspect-crdt` shows of a document.
package enum InspectionView: String, CaseIterable, Hashable, Sendable {
  /// The state as an indented tree for people.
  case tree
  /// The state as one JSON object in which every type can be told from every other.
  case typed
  /// The state as one JSON object without types.
  case plain
  /// Every key and index with more than one value, as JSON.
  case conflicts
  /// The hashes nobody builds on, one a line.
  case heads
  /// One JSON object a line for each change.
  case changes
  /// Nothing but whether every hash verifies.
  case check
}

/// What `inspect-crdt` is asked to do.
package struct InspectionOptions {
  /// Where the document is.
  package enum Source {
    /// A file.
    case file(path: String)
    /// Standard input or another stream, which is read to its end.
    case stream(ByteSource)
  }

  /// Where the document is.
  package var source: Source
  /// What is shown.
  package var view: InspectionView
  /// Hashes in hexadecimal that name a point in history; empty for the present.
  package var heads: [String] = []
  /// Whether the output names the document, as it must where there are several: in each line, or
  /// around each value.
  package var namesDocument = false
  /// Where the output goes.
  package var sink: ByteSink

  /// Creates options for the present state of a document.
  package init(source: Source, view: InspectionView, sink: ByteSink) {
    self.source = source
    self.view = view
    self.sink = sink
  }
}

/// Shows a document in one of several forms, or a point in its history.
package struct InspectionWorkflow {
  private let options: InspectionOptions

  /// Creates a workflow; nothing is read yet.
  package init(_ options: InspectionOptions) {
    self.options = options
  }

  /// Reads the whole document, verifies every hash, and writes the view.
  ///
  /// Nothing is written for a document that does not verify.
  package func perform() throws(MigrationError) {
    let (name, document) = try Self.load(options.source)
    let inspection = DocumentInspection(
      document, name: name, at: try Self.point(options.heads, in: document, named: name))
    if options.view == .check, !inspection.survivesSaving {
      throw .damagedDocument(path: name, offset: nil, problem: "saving it would lose changes")
    }
    try inspection.write(
      options.view, isNamed: options.namesDocument, to: options.sink)
  }

  /// Reads a whole document and verifies every hash; returns it with what messages call it.
  static func load(
    _ source: InspectionOptions.Source
  ) throws(MigrationError) -> (name: String, document: DocumentState) {
    let name: String
    let bytes: [UInt8]
    switch source {
    case .file(let path):
      name = path
      // Of a pipe, as shells make them for the output of a command.
      if let pipe = try pipe(at: path) {
        bytes = try contents(of: ByteSource(name: path, descriptor: pipe.descriptor))
        withExtendedLifetime(pipe) {}
      } else {
        bytes = try contents(ofFile: path)
      }
    case .stream(let source):
      name = source.name
      bytes = try contents(of: source)
    }

    // Automerge reads no bytes as an empty document, but no program saves one.
    guard !bytes.isEmpty else {
      throw .damagedDocument(path: name, offset: 0, problem: "is empty, expected a document")
    }
    do {
      return (name, try DocumentState(loading: bytes))
    } catch {
      throw .damagedDocument(path: name, offset: error.offset, problem: error.problem)
    }
  }

  /// Returns the hashes that name a point in history, or nil for the present.
  private static func point(
    _ texts: [String], in document: DocumentState, named name: String
  ) throws(MigrationError) -> [ChangeHash]? {
    guard !texts.isEmpty else { return nil }
    var hashes: [ChangeHash] = []
    for text in texts {
      let known = try known(text, in: document)
      guard let hash = known.first, known.count == 1 else {
        let few = known.prefix(3).map(\.hex).joined(separator: ", ")
        throw .underlying(
          Diagnostic(
            .conflictsWithData, subject: name,
            problem: known.isEmpty
              ? "has no change \(text)"
              : "has \(known.count.counted("change")) that begin with \(text): \(few)",
            remedy: known.isEmpty ? "list the changes with --changes" : "give more of its digits"))
      }
      hashes.append(hash)
    }
    return hashes
  }

  /// So many digits name a change, if no other begins with them.
  private static let fewestDigits = 4

  /// Returns the changes of a document that a hash, or its first digits, can mean.
  private static func known(
    _ text: String, in document: DocumentState
  ) throws(MigrationError) -> [ChangeHash] {
    if let hash = ChangeHash(hex: text) { return document.contains(hash) ? [hash] : [] }
    let digits = text.lowercased()
    guard (fewestDigits..<2 * ChangeHash.byteCount).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
    else {
      throw .underlying(
        Diagnostic(
          .usage, subject: text,
          problem: "is no change hash, expected 64 hexadecimal digits, or the first four at least"))
    }
    return (0..<document.changeCount).map { document.change(at: $0).hash }
      .filter { $0.hex.hasPrefix(digits) }
  }

  private static func contents(ofFile path: String) throws(MigrationError) -> [UInt8] {
    do throws(FileError) {
      let (directory, name) = try Directory.openParent(ofPath: path)
      return try directory.contents(of: name, limit: DocumentLoader.largestDocument)
    } catch {
      throw MigrationError(error)
    }
  }

  /// Opens what a path leads to if it is a pipe.
  private static func pipe(at path: String) throws(MigrationError) -> FileReader? {
    try MigrationError.wrapping { () throws(FileError) in
      let (directory, name) = try Directory.openParent(ofPath: path)
      let kind = try directory.stateIfPresent(of: name)?.kind
      guard kind == .namedPipe || kind == .symbolicLink else { return nil }
      let reader = try FileReader.open(path: path)
      return try reader.state().kind == .namedPipe ? reader : nil
    }
  }

  private static func contents(of source: ByteSource) throws(MigrationError) -> [UInt8] {
    var bytes: [UInt8] = []
    while try source.appendNext(&bytes) {
      guard bytes.count <= DocumentLoader.largestDocument else {
        throw .damagedDocument(
          path: source.name, offset: nil, problem: "is larger than any document")
      }
    }
    return bytes
  }
}
