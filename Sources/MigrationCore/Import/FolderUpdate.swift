import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// What becomes of documents that show entities which changed since an earlier import.
struct FolderUpdate {
  /// The documents that get other values, ascending by path; some of them get new entities, too.
  private(set) var documents: [BuiltDocument] = []
  /// How many entities of each kind get other values.
  private(set) var updated: [EntityKind: Int] = [:]
  private(set) var findings: [Finding] = []

  /// An update of nothing, which is what nearly all imports need.
  init() {}

  /// Brings documents up to date, or tells what an update would do.
  ///
  /// - Parameter changed: at least one entity to look at, see `candidates(of:)`.
  init(
    of changed: [UpdateCandidate], _ index: FolderIndex, by input: DocumentUpdater.Input,
    context: RunContext
  ) throws(MigrationError) {
    var candidates: [Int: [UpdateCandidate]] = [:]
    for candidate in changed {
      let files = index.known.documents(showing: candidate.identity, candidate.kind)
      let inventory = input.targetInventory
      // Several documents show it hardly ever; then the one that exports read.
      let read = files.min {
        inventory.baseFirstKey(of: $0).lexicographicallyPrecedes(inventory.baseFirstKey(of: $1))
      }
      guard let file = read else { continue }
      candidates[file, default: []].append(candidate)
    }
    let items = candidates.sorted { $0.key < $1.key }
    let updates = try Workers.map(
      items.count, phase: .converting, context: context, makeState: { DocumentUpdater(input) }
    ) { item, updater throws(MigrationError) in
      try updater.update(items[item].key, with: items[item].value)
    }
    for update in updates {
      updated.merge(update.updated, uniquingKeysWith: +)
      findings.append(contentsOf: update.findings)
      if let document = update.document { documents.append(document) }
    }
    documents.sort { $0.path < $1.path }
  }

  /// Returns the documents that a run publishes which has also built some from new entities.
  func replacing(in built: [BuiltDocument]) -> [BuiltDocument] {
    if documents.isEmpty { return built }
    let updated = Set(documents.map(\.path))
    return (built.filter { !updated.contains($0.path) } + documents).sorted { $0.path < $1.path }
  }

  /// Returns the entities to look at: those that changed, and those about which several files say
  /// different things, of which only a person knows what is right.
  static func candidates(
    of outcomes: [GroupImporter.Outcome], _ kinds: EntityKinds
  ) -> [UpdateCandidate] {
    var result: [UpdateCandidate] = []
    for kind in kinds.all {
      let changed = outcomes.lazy.flatMap(\.changed).filter { $0.kind == kind }
      let known = outcomes.lazy.flatMap(\.known).filter { $0.kind == kind }
      let repeated = Array(known.map(\.identity)).repeated()
      result += changed.filter { !repeated.contains($0.identity) }
      if repeated.isEmpty { continue }
      let places = Dictionary(
        grouping: known.filter { repeated.contains($0.identity) }, by: \.identity)
      let isChanged = Set(changed.map(\.identity))
      for (identity, places) in places {
        if places.allSatisfy({ $0.content == places[0].content }) {
          // Files that say the same are like one.
          if isChanged.contains(identity) { result.append(places[0]) }
        } else {
          for place in places {
            result.append(place)
            result[result.count - 1].isAmbiguous = true
          }
        }
      }
    }
    return result
  }
}
