import Automerge
import Diagnostics
import FolderDocuments
import Runs
import SafeFiles

/// A new file that is made from one file, which it must never replace.
package struct DerivedFile {
  /// The bytes of the original.
  let bytes: [UInt8]

  private let directory: Directory
  private let name: FileName
  private let replacement: Replacement
  /// Who may read the original.
  private let privacy: Privacy

  /// Reads the original and finds out what is at the place of the new file.
  ///
  /// - Parameter replaces: whether another file that is there may be replaced.
  init(
    of original: String, at output: String, replaces: Bool, context: RunContext
  ) throws(MigrationError) {
    let isOriginal: Bool
    let (place, originalName) = try FolderAccess.openParent(ofPath: original, context: context)
    (directory, name) = try OutputPlace.openParent(ofPath: output, context: context)
    do throws(FileError) {
      var bytes: [UInt8] = []
      let state = try place.read(originalName, into: &bytes, limit: DocumentLoader.largestDocument)
      self.bytes = bytes
      privacy = Privacy(of: state)
      guard let old = try directory.stateIfPresent(of: name) else {
        replacement = .nothing
        return
      }
      replacement = old.kind == .regular ? .unchanged(try directory.version(of: name)) : .nothing
      isOriginal = old.isSameFile(as: state)
    } catch {
      throw MigrationError(error)
    }
    guard !isOriginal else {
      throw .underlying(
        Diagnostic(
          .usage, subject: output, problem: "is the damaged file itself, which is never changed",
          remedy: "choose another name"))
    }
    guard replaces else {
      throw .underlying(
        Diagnostic(
          .cannotCreate, subject: output, problem: "exists and is not replaced",
          remedy: "choose another name, or add --force"))
    }
  }

  /// Writes the new file: under a temporary name, read back, compared, and only then named.
  func publish(_ content: [UInt8]) throws(MigrationError) {
    do throws(FileError) {
      // What an earlier run left that was killed.
      try directory.sweepTemporaries(for: name)
      try StagedFile.publish([
        directory.stage(content, as: name, replacing: replacement, asPrivateAs: privacy)
      ])
    } catch {
      throw MigrationError(error)
    }
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
