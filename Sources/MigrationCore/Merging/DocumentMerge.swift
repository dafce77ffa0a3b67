import Automerge
import Diagnostics
import Folders
import SafeFiles

/// Merges documents that names propose as copies of one document, as far as their content proves
/// that they are.
///
/// Documents belong together if they share a change; then every change of each comes together in
/// one. What was made separately is only merged where the caller asks for it.
struct DocumentMerge {
  /// A document that was read.
  struct Part {
    var file: MergeFile
    var document: DocumentState
    /// Every identity it holds or ever held.
    var identities: Set<Identity>

    init(_ file: MergeFile) throws(FormatError) {
      self.file = file
      guard !file.bytes.isEmpty else { throw FormatError(.truncated(missing: 1), at: 0) }
      document = try DocumentState(loading: file.bytes)
      self.file.bytes = []
      identities = Set(DocumentRoot(document).entities.map(\.identity))
    }
  }

  /// How a copy stands to the base.
  enum Relation {
    /// It is merged; so many changes were new.
    case related(changesAdded: Int)
    /// It holds other records.
    case otherRecords
    /// It shares no change with the base, but these identities.
    case unrelated([Identity])
    /// Its changes do not fit those of the base.
    case contradicting(FormatError)
  }

  /// Whether one document holds one record, so that others are other records.
  let isPerRecord: Bool
  /// Whether documents without a common history are merged if they hold the same entities.
  let unifies: Bool
  /// All that was merged so far.
  private(set) var document: DocumentState
  /// What the result is judged by.
  private(set) var acceptance = MergeAcceptance()

  private var identities: Set<Identity>

  init(base: Part, isPerRecord: Bool, unifies: Bool) {
    self.isPerRecord = isPerRecord
    self.unifies = unifies
    document = base.document
    identities = base.identities
    acceptance.add(base.document)
  }

  /// Merges what belongs together and returns how each copy stands to it, in the given order.
  ///
  /// A copy may be related to the base through another copy only, so the others are asked again as
  /// long as one was merged.
  mutating func merge(_ copies: [Part]) -> [Relation] {
    var relations: [Relation?] = copies.map { _ in nil }
    var isProgressing = true
    while isProgressing {
      isProgressing = false
      for index in copies.indices where relations[index] == nil {
        guard belongsHere(copies[index]) else { continue }
        relations[index] = absorb(copies[index])
        isProgressing = true
      }
    }
    return copies.indices.map { relations[$0] ?? distance(to: copies[$0]) }
  }

  /// Applies what the merge itself has to add.
  mutating func add(_ change: ChangeHash, in edited: DocumentState) {
    acceptance.add(change, to: document)
    document = edited
  }

  private func belongsHere(_ part: Part) -> Bool {
    if isOtherRecord(part) { return false }
    if part.document.sharesChange(with: document) { return true }
    // What was salvaged of a damaged document is no device's copy: its values prove nothing.
    if part.document.isSalvaged || document.isSalvaged { return false }
    if part.document.changeCount == 0 || document.changeCount == 0 { return true }
    return unifies && !part.identities.isDisjoint(with: identities)
  }

  private func isOtherRecord(_ part: Part) -> Bool {
    isPerRecord && !part.identities.isEmpty && !identities.isEmpty
      && part.identities.isDisjoint(with: identities)
  }

  private mutating func absorb(_ part: Part) -> Relation {
    let waiting = document.queuedCount
    do {
      var count = try document.absorb(part.document)
      if document.queuedCount > waiting { count += document.queuedCount - waiting }
      identities.formUnion(part.identities)
      acceptance.add(part.document)
      return .related(changesAdded: count)
    } catch {
      return .contradicting(error)
    }
  }

  private func distance(to part: Part) -> Relation {
    if isOtherRecord(part) { return .otherRecords }
    return .unrelated(part.identities.intersection(identities).sorted())
  }
}

extension DocumentState {
  /// Whether the document was built from what could be read of a damaged one.
  var isSalvaged: Bool {
    changeCount > 0 && change(at: 0).message.elementsEqual(SalvagedFile.message.utf8)
  }

  /// Whether both have a change in common, one that waits included.
  fileprivate func sharesChange(with other: DocumentState) -> Bool {
    if heads.contains(where: other.contains) || other.heads.contains(where: contains) {
      return true
    }
    let (small, large) = changeCount < other.changeCount ? (self, other) : (other, self)
    return (0..<small.changeCount).contains { large.contains(small.change(at: $0).hash) }
      || queuedHashes.contains(where: other.contains)
      || other.queuedHashes.contains(where: contains)
  }
}
