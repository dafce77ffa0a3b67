import Diagnostics
import Folders
import SafeFiles

/// Tells of entities that others refer to and that no document shows.
struct DanglingReferences {
  private let outcomes: [GroupOutcome]
  private let inventory: FolderInventory

  init(in outcomes: [GroupOutcome], of inventory: FolderInventory) {
    self.outcomes = outcomes
    self.inventory = inventory
  }

  var findings: [Finding] { inventory.kinds.all.flatMap { findings(to: $0) } }

  private func findings(to kind: EntityKind) -> [Finding] {
    guard outcomes.contains(where: { $0.packedReferences[kind] != nil }) else { return [] }
    let ofKind = outcomes.filter { $0.group.kind == kind }
    // Most references lead to what a document shows, so only the others are kept.
    var shown: Set<Identity> = []
    shown.reserveCapacity(ofKind.reduce(0) { $0 + $1.documents.count })
    for entity in ofKind.lazy.flatMap(\.documents) where entity.isVisible {
      shown.insert(entity.identity)
    }
    var targets: [Identity: GroupOutcome.Referrers] = [:]
    for outcome in outcomes {
      for reference in outcome.packedReferences[kind] ?? []
      where !shown.contains(reference.identity) {
        let referrers = reference.referrers
        targets[reference.identity, default: GroupOutcome.Referrers(file: referrers.file)]
          .add(referrers)
      }
    }
    if targets.isEmpty { return [] }
    var legacy: Set<Identity> = []
    var deleted: Set<Identity> = []
    for outcome in ofKind {
      legacy.formUnion(outcome.reference.lazy.filter { targets[$0] != nil })
      deleted.formUnion(outcome.documents.lazy.map(\.identity).filter { targets[$0] != nil })
    }
    let kinds = inventory.kinds
    return targets.filter { deleted.contains($0.key) || !legacy.contains($0.key) }
      .sorted { kinds.precedes($0.key, $1.key) }
      .compactMap { identity, referrers in
        deleted.contains(identity)
          ? self.deleted(kind, identity, referrers) : nowhere(kind, identity, referrers)
      }
  }

  private func nowhere(
    _ kind: EntityKind, _ identity: Identity, _ referrers: GroupOutcome.Referrers
  ) -> Finding {
    let kinds = inventory.kinds
    let path = inventory.path(of: Int(referrers.file)).description
    let title = "the \(kinds.title(kind, identity)) is nowhere, and "
    let words = kinds.words
    return Finding(
      words.danglingCode, referrers.shouldFollow ? .warning : .info, path: path,
      message: title + Int(referrers.count).counted(words.refers.one, words.refers.many),
      next: referrers.shouldFollow ? "look for it in a backup or on another device" : nil)
  }

  /// What an app does to entities when one that they refer to is deleted, a merge of devices does not.
  private func deleted(
    _ kind: EntityKind, _ identity: Identity, _ referrers: GroupOutcome.Referrers
  ) -> Finding? {
    let kinds = inventory.kinds
    guard referrers.shouldFollow else { return nil }
    return Finding(
      .danglingReference, .warning,
      path: inventory.path(of: Int(referrers.file)).description,
      message: "the \(kinds.title(kind, identity)) was deleted, and "
        + Int(referrers.count).counted("entity refers to it still", "entities refer to it still"),
      next: "take the reference away with the app, or bring the other one back")
  }
}
