import Automerge
import FolderDocuments
import Folders

/// Tells whether a document's verified history holds exactly what a legacy entity says today.
///
/// This is the one place where the verifier computes what the importer would write: a hash is that of
/// all bytes of a change, and loading has computed each again, so finding it in the history proves that
/// the entity was imported as it is.
struct EntityProof {
  /// What the history of a document says about an entity.
  enum Verdict: Hashable, Sendable {
    /// Its content, and its images if it has any, are in the history.
    case proven
    /// It was imported, but from other content than today's.
    case diverged
    /// No convergent import of it is in the history.
    case unknown
  }

  private var changes = ConvergentChanges()

  init() {}

  /// Computes what an import of the entity would write.
  mutating func prepare(_ entity: LegacyEntity, of batch: EntityBatch) {
    changes.build(entity, of: batch)
  }

  /// Looks up the prepared entity in a document that was loaded strictly.
  ///
  /// - Parameter map: the entity's map, if readers see it.
  func verdict(in document: DocumentState, map: OpID?) -> Verdict {
    guard document.contains(changes.skeleton.hash) else { return .unknown }
    guard document.contains(changes.content.hash) else { return .diverged }
    if changes.hasImages {
      return document.contains(changes.images.hash) ? .proven : .diverged
    }
    // Without images nothing of them is written; but then none were imported, either.
    return map.map { showsImportedImages(of: $0, in: document) } ?? false ? .diverged : .proven
  }

  /// Whether readers see an image that an import wrote into the list of the skeleton.
  private func showsImportedImages(of map: OpID, in document: DocumentState) -> Bool {
    guard let list = document.value(of: map, key: KnownField.imagesKey),
      list.content == .object(.list)
    else { return false }
    var isImported = false
    document.forEachElement(of: list.id) { element, _ in
      guard !isImported,
        let row = document.row(ofChangeBy: document.author(of: element), sequence: 1)
      else { return }
      isImported = document.change(at: row).dependencies == [changes.skeleton.hash]
    }
    return isImported
  }
}
