import Backups
import Diagnostics
import Runs
import SafeFiles
import SwiftDataStores

// What no backup may go for: rows that are gone from the store, and files that it has lost.
extension StorePackWorkflow {
  // MARK: Files that are gone

  /// Tells of files that the store names and no longer has, which no backup that is made now holds.
  func noteLostFiles(
    of store: Store, _ report: inout BackupReport
  ) throws(MigrationError) -> LostFileNames {
    do throws(StoreError) {
      let lost = try store.lostFiles()
      report.findings += lost.findings(
        about: options.folder, .warning, path: options.folder, ": no backup from now on holds them")
      return .known(lost.reduce(into: []) { $0.formUnion($1.names) })
    } catch {
      throw MigrationError(error)
    }
  }

  /// What a store names and no longer has; nobody knows that of one that does not open.
  func lostFiles(of store: Store?) throws(MigrationError) -> LostFileNames {
    guard let store else { return .unknown }
    do throws(StoreError) {
      return .known(try store.lostFiles().reduce(into: []) { $0.formUnion($1.names) })
    } catch {
      throw MigrationError(error)
    }
  }

  // MARK: Rows that are gone

  /// Throws if the rows that the newest backup holds are gone from the store, unless that is allowed.
  func requireRows(
    _ now: StoreSummary, in store: BackupStore?, _ report: inout BackupReport
  ) throws(MigrationError) {
    guard let store, !options.isForSupport else { return }
    let items = try wrapping { () throws(BackupError) in try store.list() }
    guard let newest = items.first(where: { $0.summary?.store != nil }),
      let then = newest.summary?.store, now.isEmptied(since: then)
    else { return }
    let message =
      "holds \(now.rowCount.counted("row")), and its newest backup "
      + "\(then.rowCount.grouped): \(newest.archive.path)"
    guard options.allowsEmpty else {
      throw .storeEmptied(path: options.folder, problem: message)
    }
    report.findings.append(
      Finding(
        .storeEmptied, .warning, path: options.folder, message: message,
        next: "that backup is kept whatever comes after it"))
  }

  /// Drops what the policy gives up, unless that is only to be shown.
  ///
  /// - Parameters:
  ///   - lost: what the store names and no longer has.
  ///   - made: the backup that was made.
  ///   - upcoming: what a backup will hold that is not there yet.
  func retain(
    _ store: BackupStore, losing lost: LostFileNames, made: VerifiedBackup? = nil,
    before upcoming: BackupManifest? = nil, _ report: inout BackupReport
  ) throws(MigrationError) {
    guard !options.retention.isEmpty else { return }
    try wrapping { () throws(BackupError) in
      let items = try store.list()
      let retention = try Retention(
        items, by: options.retention, at: clock.begin, upcoming: upcoming,
        withLostFiles: lost.holders(among: items), context: checking
      ) { item in
        made.flatMap { item.state.isSameFile(as: $0.state) ? true : nil }
      }
      try report.carryOut(retention, in: store, made: made)
    }
  }
}
