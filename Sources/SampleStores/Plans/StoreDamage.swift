import SwiftDataStores

/// What can be wrong with a store, by name.
package enum StoreDamage: String, CaseIterable, Hashable, Sendable {
  // The database as a file.
  case corrupt
  case damagedHeader = "damaged-header"
  case emptyFile = "empty-file"
  case encrypted
  case truncated
  // The log beside it.
  case foreignLog = "foreign-wal"
  case noLog = "no-wal"
  case staleLog = "stale-wal"
  case tornLog = "torn-wal"
  case unfinishedLog = "unfinished-wal"
  case hotJournal = "hot-journal"
  // What the store says about itself.
  case badMetadata = "bad-metadata"
  case badModel = "bad-model"
  case mixedVersions = "mixed-versions"
  case noMetadata = "no-metadata"
  case noModel = "no-model"
  case noStore = "no-store"
  case otherVersion = "other-version"
  case unknownColumns = "unknown-columns"
  // Its rows.
  case duplicateIdentities = "duplicate-ids"
  case emptied
  case emptyBlobs = "empty-blobs"
  case foreignRows = "foreign-rows"
  case oddDates = "odd-dates"
  case orphans = "orphan-rows"
  case textIdentities = "text-ids"
  case twoSingletons = "two-singletons"
  case unknownEntity = "unknown-entity"
  case unknownZones = "unknown-zones"
  // The files beside it.
  case missingExternal = "missing-external"
  case orphanExternal = "orphan-external"

  /// Whether the bytes of the database are changed as a whole.
  var isOfDatabaseFile: Bool {
    [.corrupt, .damagedHeader, .emptyFile, .encrypted, .truncated].contains(self)
  }

  /// Whether the log is changed, or there is a journal in its place.
  var isOfLog: Bool {
    [.foreignLog, .hotJournal, .noLog, .staleLog, .tornLog, .unfinishedLog].contains(self)
  }

  /// Returns why a store of a plan cannot have the damage.
  func problem(in plan: StorePlan) -> String? {
    let roles = plan.roles
    switch self {
    case .duplicateIdentities:
      let model = plan.app.model(of: plan.version)
      let child = model.entity(named: roles.child + plan.version.suffix)
      if child?.uniqueTogether.isEmpty == false {
        return "identities of \(plan.version.name) are kept unique"
      }
      return nil
    case .emptyBlobs where roles.json == nil, .twoSingletons where roles.singleton == nil,
      .unknownZones where roles.zone == nil:
      return "\(plan.app.name) has nothing of the kind"
    case .missingExternal where plan.app.name != SampleApp.library.name,
      .orphanExternal where plan.app.name != SampleApp.library.name:
      return "\(plan.app.name) keeps no files beside its store"
    case .corrupt, .truncated, .foreignLog, .staleLog, .tornLog, .unfinishedLog, .foreignRows,
      .hotJournal, .oddDates, .orphans, .textIdentities, .unknownEntity, .unknownZones,
      .missingExternal, .emptyBlobs:
      return plan.rowCount < 50 ? "it takes 50 rows at least" : nil
    default: return nil
    }
  }
}
