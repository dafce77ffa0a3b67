import Diagnostics
import Folders
import SafeFiles

/// The part of an import that looks after entities which changed since an earlier import.
struct FolderUpdate {
  /// What is to be published, the documents of the import included.
  private(set) var documents: [BuiltDocument]
  private(set) var updatedTags = 0
  private(set) var updatedRecords = 0
  private(set) var findings: [Finding] = []

  /// Begins with what an import built.
  init(_ documents: [BuiltDocument]) {
    self.documents = documents
  }

  /// Brings documents up to date, or tells what an update would do. Without entities that changed
  /// this reads nothing.
  mutating func run(
    _ outcomes: [GroupImporter.Outcome], _ index: TargetIndex, by plan: DocumentUpdater.Plan,
    context: RunContext
  ) throws(MigrationError) {
    let changed = unambiguous(outcomes, plan)
    if changed.isEmpty { return }
    var candidates: [Int: [UpdateCandidate]] = [:]
    for candidate in changed {
      let files = index.known.documents(showing: candidate.identity, candidate.kind)
      let inventory = plan.targetInventory
      // Several documents show it hardly ever; then the one that exports read.
      let read = files.min {
        inventory.baseFirstKey(of: $0).lexicographicallyPrecedes(inventory.baseFirstKey(of: $1))
      }
      guard let file = read else { continue }
      candidates[file, default: []].append(candidate)
    }
    let items = candidates.sorted { $0.key < $1.key }
    let updates = try Workers.map(
      items.count, phase: .converting, context: context, makeState: { DocumentUpdater(plan) }
    ) { item, updater throws(MigrationError) in
      try updater.update(items[item].key, with: items[item].value)
    }
    for update in updates {
      updatedTags += update.updatedTags
      updatedRecords += update.updatedRecords
      findings.append(contentsOf: update.findings)
      guard let document = update.document else { continue }
      documents.removeAll { $0.path == document.path }
      documents.append(document)
    }
    documents.sort { $0.path < $1.path }
  }

  /// Returns the changed entities without those that several files say different things about: which
  /// of them is right only a person knows.
  private mutating func unambiguous(
    _ outcomes: [GroupImporter.Outcome], _ plan: DocumentUpdater.Plan
  ) -> [UpdateCandidate] {
    var result: [UpdateCandidate] = []
    for kind in [EntityKind.tag, .record] {
      let changed = outcomes.flatMap(\.changed).filter { $0.kind == kind }
      if changed.isEmpty { continue }
      let known = outcomes.lazy.flatMap(\.known).filter { $0.kind == kind }
      let repeated = known.map(\.identity).repeated()
      for candidate in changed {
        guard repeated.contains(candidate.identity) else {
          result.append(candidate)
          continue
        }
        findings.append(
          Finding(
            .duplicateID, .error,
            path: plan.inventory.path(of: Int(candidate.position.item)).description,
            message: "\(kind.rawValue) \(candidate.identity) changed after it was imported, and "
              + "another file holds it, too",
            next: "move the file that is wrong out of the folder"))
      }
    }
    return result
  }
}
