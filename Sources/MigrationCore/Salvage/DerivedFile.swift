import Automerge
import Diagnostics
import FolderDocuments
import Runs
import SafeFiles

/// A new file that is made from one file, which it must never replace.
package struct DerivedFile {
  /// The bytes of the original.
  let bytes: [UInt8]

  private let output: OutputFile
  /// Who may read the original.
  private let privacy: Privacy

  /// Reads the original and finds out what is at the place of the new file.
  ///
  /// - Parameter replaces: whether another file that is there may be replaced.
  init(
    of original: String, at output: String, replaces: Bool, context: RunContext
  ) throws(MigrationError) {
    let (place, originalName) = try FolderAccess.openParent(ofPath: original, context: context)
    let state: FileState
    do throws(FileError) {
      var bytes: [UInt8] = []
      state = try place.read(originalName, into: &bytes, limit: DocumentLoader.largestDocument)
      self.bytes = bytes
    } catch {
      throw MigrationError(error)
    }
    privacy = Privacy(of: state)
    self.output = try OutputFile(at: output, context: context)
    guard let old = self.output.old else { return }
    guard !old.isSameFile(as: state) else {
      throw .underlying(
        Diagnostic(
          .usage, subject: output, problem: "is the damaged file itself, which is never changed",
          remedy: "choose another name"))
    }
    guard replaces else { throw self.output.isThere }
  }

  /// Writes the new file.
  func publish(_ content: [UInt8]) throws(MigrationError) {
    try output.publish(content, asPrivateAs: privacy)
  }
}

/// The new document: the values that were salvaged, in one change by somebody else.
enum SalvagedFile {
  /// What the change says about itself.
  static let message = "salvaged by repair-crdt; not to be merged with other copies"

  /// Returns the document as a file that was loaded again, strictly.
  ///
  /// - Parameter lost: objects to leave out.
  static func document(
    of salvage: SalvagedDocument, leavingOut lost: Set<OpID>, actor: ActorId, time: Int64
  ) throws(MigrationError) -> [UInt8] {
    var draft = ChangeDraft()
    draft.begin(
      sequence: 1, startCounter: 1, dependencies: [], time: time, message: Array(message.utf8))
    PlainChange.write(salvage.state, leavingOut: lost, to: &draft)
    draft.finish(author: actor)
    var batch = ChangeBatch()
    batch.append(draft)
    do throws(FormatError) {
      var state = DocumentState()
      try state.apply(batch)
      let bytes = state.encoded()
      guard try DocumentState(loading: bytes).heads == state.heads else {
        throw FormatError(.headsMismatch, at: 0)
      }
      return bytes
    } catch {
      throw .brokenInvariant("the salvaged document does not load: \(error.problem)")
    }
  }
}
