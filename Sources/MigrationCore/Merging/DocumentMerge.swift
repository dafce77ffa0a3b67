import Automerge
import Diagnostics
import FolderDocuments
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

    /// Loads a file again of which only the hash is known.
    ///
    /// - Parameter known: a document that most of its changes may be in.
    init(
      _ file: MergeFile, in folder: Directory, _ kind: EntityKind, of kinds: EntityKinds,
      besides known: DocumentState = DocumentState()
    ) throws(DocumentDefect) {
      let path = file.path.description
      self.file = file
      let bytes: [UInt8]
      do throws(FileError) {
        let now = try MergeFile(file.path, in: folder)
        guard now.version.hash == file.version.hash else { throw .changedWhileRead(path: path) }
        bytes = now.bytes
      } catch {
        throw DocumentDefect(error, file: 0, path: path)
      }
      guard !bytes.isEmpty else { throw DocumentDefect(emptyFile: 0, path: path) }
      do throws(FormatError) {
        document = try DocumentState(loading: bytes, besides: known, keeping: .all)
      } catch {
        throw DocumentDefect(error, file: 0, path: path)
      }
      identities = Set(DocumentRoot(document, of: kind, kinds).entities.map(\.identity))
    }
  }

  /// How a copy stands to the base.
  enum Relation {
    /// It is merged; so many changes were new.
    case related(changesAdded: Int, identities: [Identity])
    /// It holds other records.
    case otherRecords
    /// It shares no change with the base, but these identities; or it was salvaged.
    case unrelated([Identity], isSalvaged: Bool)
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

  /// Merges what belongs together and returns how each copy stands to it, in the given order; nil
  /// for those that could not be loaded.
  ///
  /// One copy is in memory at a time. A copy may be related to the base through another copy only,
  /// so the others are asked again, and loaded again if need be, as long as one was merged.
  mutating func merge(_ count: Int, loading load: (Int) -> Part?) -> [Relation?] {
    var relations: [Relation?] = Array(repeating: nil, count: count)
    var outlines: [Int: Outline] = [:]
    var rest = Array(0..<count)
    var isProgressing = true
    while isProgressing {
      isProgressing = false
      var left: [Int] = []
      for index in rest {
        if let outline = outlines[index], !mayBelongHere(outline) {
          left.append(index)
          continue
        }
        guard let part = load(index) else { continue }
        if belongsHere(part) {
          relations[index] = absorb(part)
          outlines[index] = nil
          isProgressing = true
        } else {
          outlines[index] = Outline(part)
          left.append(index)
        }
      }
      rest = left
    }
    for (index, outline) in outlines { relations[index] = distance(to: outline) }
    return relations
  }

  /// Applies what the merge itself has to add.
  mutating func add(_ change: ChangeHash, in edited: DocumentState) {
    acceptance.add(change, to: document)
    document = edited
  }

  // MARK: What belongs together

  /// What is remembered of a copy that does not belong to what was merged so far.
  private struct Outline {
    var identities: [Identity]
    /// The changes that build on none: documents that share a change share one of these.
    var roots: [ChangeHash]
    var isSalvaged: Bool
    /// Whether changes wait in it, or it has none.
    var isUnusual: Bool

    init(_ part: Part) {
      let document = part.document
      identities = part.identities.sorted()
      roots = (0..<document.changeCount).lazy.map { document.change(at: $0) }
        .filter(\.dependencies.isEmpty).map(\.hash)
      isSalvaged = document.isSalvaged
      isUnusual = document.queuedCount > 0 || document.changeCount == 0
    }
  }

  /// Whether a copy has to be looked at again since more was merged.
  private func mayBelongHere(_ outline: Outline) -> Bool {
    outline.isUnusual || document.queuedCount > 0
      || outline.roots.contains(where: document.contains)
      || unifies && outline.identities.contains(where: identities.contains)
  }

  private func belongsHere(_ part: Part) -> Bool {
    if isOtherRecord(part.identities) { return false }
    if part.document.sharesChange(with: document) { return true }
    // What was salvaged of a damaged document is no device's copy: its values prove nothing.
    if part.document.isSalvaged || document.isSalvaged { return false }
    if part.document.changeCount == 0 || document.changeCount == 0 { return true }
    return unifies && !part.identities.isDisjoint(with: identities)
  }

  private func isOtherRecord(_ others: some Collection<Identity>) -> Bool {
    isPerRecord && !others.isEmpty && !identities.isEmpty
      && !others.contains(where: identities.contains)
  }

  private mutating func absorb(_ part: Part) -> Relation {
    let waiting = document.queuedCount
    let input = acceptance.input(part.document, besides: document)
    do {
      var count = try document.absorb(part.document)
      if document.queuedCount > waiting { count += document.queuedCount - waiting }
      identities.formUnion(part.identities)
      acceptance.add(input)
      return .related(changesAdded: count, identities: part.identities.sorted())
    } catch {
      return .contradicting(error)
    }
  }

  private func distance(to outline: Outline) -> Relation {
    if isOtherRecord(outline.identities) { return .otherRecords }
    return .unrelated(
      outline.identities.filter(identities.contains), isSalvaged: outline.isSalvaged)
  }
}

extension DocumentState {
  /// Whether the document was built from what could be read of a damaged one.
  var isSalvaged: Bool {
    changeCount > 0 && change(at: 0).message.elementsEqual(SalvagedFile.message.utf8)
  }

  /// Whether both have a change in common, one that waits included.
  func sharesChange(with other: DocumentState) -> Bool {
    if heads.contains(where: other.contains) || other.heads.contains(where: contains) {
      return true
    }
    let (small, large) = changeCount < other.changeCount ? (self, other) : (other, self)
    return (0..<small.changeCount).contains { large.contains(small.hash(ofChange: $0)) }
      || queuedHashes.contains(where: other.contains)
      || other.queuedHashes.contains(where: contains)
  }
}
