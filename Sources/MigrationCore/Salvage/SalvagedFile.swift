import Automerge
import FolderDocuments
import Runs

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
