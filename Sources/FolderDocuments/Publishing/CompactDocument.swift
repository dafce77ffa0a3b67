package import Automerge

/// A document as one chunk, where that saves a tenth of its file.
package struct CompactDocument {
  /// The file.
  package let bytes: [UInt8]
  private let original: DocumentState

  /// Returns nil if the file is about as short as it can be, which most can be told by how they are packed.
  package init?(of document: DocumentState, in file: [UInt8]) {
    do throws(FormatError) {
      if try DocumentState.isPacked(file) { return nil }
    } catch {
      // The document was loaded from it, so there is nothing wrong with it.
      return nil
    }
    bytes = document.encoded()
    original = document
    if bytes.count > file.count - file.count / 10 { return nil }
  }

  /// Why the bytes do not stand for the document; nil if they do: loaded again they have each of its
  /// changes, by their hashes, and no other, those that wait for others included, the same heads, and
  /// readers see what they saw.
  package var defect: String? {
    do throws(FormatError) {
      return defect(of: try DocumentState(loading: bytes, besides: original))
    } catch {
      return error.problem
    }
  }

  /// Why a document is not the one that was to be written; nil if it is.
  func defect(of result: DocumentState) -> String? {
    var acceptance = MergeAcceptance()
    acceptance.add(original)
    if let defect = acceptance.defect(of: result) { return defect }
    // What waits is part of no head, and a merge may let more of it in.
    if Set(result.queuedHashes) != Set(original.queuedHashes) {
      return "the result holds other changes that wait for others"
    }
    return result.heads == original.heads ? nil : "the result has other heads"
  }
}
