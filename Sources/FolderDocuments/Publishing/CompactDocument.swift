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

  /// Why the bytes do not stand for the document; nil if they do: each of its changes is in them, no
  /// other, those that wait for others included, and readers see what they saw.
  package var defect: String? {
    var acceptance = MergeAcceptance()
    acceptance.add(original)
    return acceptance.defect(of: bytes)
  }
}
