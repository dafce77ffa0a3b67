import Automerge
import Folders
import SafeFiles

/// Compares entities that several documents of a group show, such as those of an import that was made
/// in each of the two layouts.
package struct RepeatedEntities {
  private struct Pair: Hashable {
    var first: Int
    var second: Int
  }

  private let documents: GroupDocuments
  /// Whether the first document of a pair holds every change of the second.
  private var holds: [Pair: Bool] = [:]

  package init(in documents: GroupDocuments) {
    self.documents = documents
  }

  /// Whether nothing is lost if nobody looks at the second place: the document of the first one holds
  /// every change of the other that does anything, and shows the same values.
  package mutating func differ(_ first: GroupDocuments.Place, _ second: GroupDocuments.Place)
    -> Bool
  {
    guard let one = documents.entity(at: first).map, let two = documents.entity(at: second).map
    else { return true }
    let (read, other) = (
      documents.documents[first.document].document, documents.documents[second.document].document
    )
    let pair = Pair(first: first.document, second: second.document)
    let isHeld = holds[pair] ?? read.holdsOperations(of: other)
    holds[pair] = isHeld
    guard isHeld else { return true }
    do {
      return try read.typedJSON(of: DocumentValue(id: one, content: .object(.map)))
        != other.typedJSON(of: DocumentValue(id: two, content: .object(.map)))
    } catch {
      // What cannot be compared may differ.
      return true
    }
  }
}

extension DocumentState {
  /// Whether every change of another document that has operations is here, and none waits there.
  fileprivate func holdsOperations(of other: DocumentState) -> Bool {
    other.queuedCount == 0
      && (0..<other.changeCount).allSatisfy { row in
        contains(other.hash(ofChange: row)) || other.change(at: row).operationCount == 0
      }
  }
}

extension FolderInventory {
  /// Returns what brings together an entity that two documents of one group show.
  package func remedy(for file: Int, besides other: Int) -> String {
    if areCopies(file, other) { return "run merge-conflicts FOLDER" }
    let files = [file, other]
    if let misnamed = files.first(where: { nominalClass(of: $0) == .otherDocument }) {
      return remedy(for: misnamed)
    }
    if Set(files.map(nominalClass(of:))) == [.monthDocument, .recordDocument] {
      return "run merge-conflicts FOLDER --unify: the document of the month takes in the other"
    }
    return "name one like a copy of the other, as in \"\(nameOfCopy(of: other))\", and run "
      + "merge-conflicts"
  }

  private func nameOfCopy(of file: Int) -> String {
    String(decoding: stem(of: file), as: UTF8.self) + " 2" + FolderNames.documentExtension
  }
}
