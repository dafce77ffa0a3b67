import Backups
import Diagnostics
import Folders
package import Runs
import SafeFiles
import SwiftDataStores

/// Says what the stores at a place are and hold: their versions, how many rows each entity has, and what
/// of their logs counts.
///
/// It reads private copies; nothing at the place changes.
package struct StoreStatusWorkflow {
  private let path: String
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  ///
  /// - Parameter path: a store, or a directory in and below which stores are looked for.
  package init(_ path: String, context: RunContext) {
    self.path = path
    self.context = context
  }

  /// Reads every store and answers; a store that cannot be read is among the report's failures, unless
  /// it is the only one.
  package func perform() throws(MigrationError) -> StoreStatusReport {
    let clock = RunClock()
    var report = StoreStatusReport()
    do throws(StoreError) {
      var found = try StoreFinder.find(at: path, operations: context.operations)
      report.findings = AppCopies.takeOut(of: &found)
      report.findings += found.lost(at: path)
      report.findings += found.unreadable.map { place in
        Finding(.unreadable, .error, path: place.path, message: place.error.diagnostic.problem)
      }
      try read(found, into: &report)
    } catch {
      throw MigrationError(error)
    }
    if context.isInterrupted() { throw .interrupted }
    if report.stores.isEmpty, report.failures.count == 1, let only = report.failures.first {
      throw only
    }
    report.next = next(after: report)
    report.findings = report.findings.inReportOrder()
    report.seconds = clock.seconds
    return report
  }

  /// What comes next: what cannot be read or is gone is brought back, what has no backup gets one, and all
  /// others are checked row by row.
  private func next(after report: StoreStatusReport) -> NextCommand? {
    let isLacking = report.findings.contains { $0.severity == .error }
    if isLacking || !report.failures.isEmpty { return NextCommand(.recoverFolder, [path]) }
    let emptied = report.findings.first { $0.code == .storeEmptied }
    if let restore = emptied?.command { return restore }
    guard !report.stores.isEmpty else { return nil }
    guard let first = report.notBackedUp.first else { return NextCommand(.verifyCounts, [path]) }
    // Of a directory only the stores right in it get backups.
    let isBelow = first.dropFirst(path.count + 1).contains("/")
    return NextCommand(.packBackup, [isBelow ? first : path])
  }

  private func read(
    _ found: StoreFinder.Found, into report: inout StoreStatusReport
  ) throws(StoreError) {
    // What is called a store and does not begin as one is damaged or encrypted: opening it tells.
    let all =
      found.stores.map {
        ($0, isCalledOne: found.isFile || StoreFinder.isCalledNothingElse($0.name))
      } + found.others.map { ($0, true) }
    guard !all.isEmpty else { return }
    let opener = try context.storeOpener()
    for (files, isCalledOne) in all.sorted(by: {
      $0.0.path.utf8.lexicographicallyPrecedes($1.0.path.utf8)
    }) {
      if context.isInterrupted() { return }
      do throws(StoreError) {
        let store = try opener.open(files)
        let status = try Self.status(of: store, &report.findings)
        report.stores.append(status)
        // Profiles are asked only where it matters: reading them takes longer than most of a status.
        let place = found.isFile ? path : "\(path)/\(files.path)"
        report.findings += try store.lostFiles().findings(about: place, .error, path: files.path)
        let backups = Self.backups(of: place, context)
        if backups.isEmpty { report.notBackedUp.append(place) }
        let emptied = Self.emptied(status, at: place, among: backups)
        if !emptied.isEmpty, !isPrivate(status) { report.findings += emptied }
      } catch {
        // Among others it is somebody else's; asked for by its path it is an error.
        if case .notAStore(let path, _) = error, !isCalledOne {
          report.otherDatabases.append(path)
        } else {
          report.failures.append(MigrationError(error))
        }
      }
    }
  }

  /// Whether profiles say that all of a store is private.
  private func isPrivate(_ store: StoreStatusReport.Store) -> Bool {
    let profiles =
      context.kinds.toldName == nil
      ? Profile.builtIn.filter(\.describesStore) : [context.kinds.profile]
    let kinds = profiles.flatMap(\.kinds).filter(\.isPrivate)
    return store.entities.allSatisfy { entity in
      kinds.contains { $0.home?.rows?.holds(entity.name) ?? false }
    }
  }

  /// The backups of a store, newest first.
  static func backups(of place: String, _ context: RunContext) -> [BackupStore.Item] {
    // Where they cannot be looked at, a store without rows is told all the same.
    (try? BackedUpStore(
      PackOptions(folder: place), suffix: StorePackWorkflow.suffix, uuid: "", context: context
    ).store?.list()) ?? []
  }

  /// Tells of a store without rows, or without those of its newest backup, with what brings them back: a
  /// store that its framework made anew has none, and never handed out a number.
  ///
  /// - Parameter place: the path of the store.
  static func emptied(
    _ store: StoreStatusReport.Store, at place: String, among backups: [BackupStore.Item]
  ) -> [Finding] {
    var message: String
    if store.rowCount > 0 {
      let newest = backups.lazy.compactMap { $0.summary?.store }.first
      guard let newest, StoreSummary(store).isEmptied(since: newest) else { return [] }
      message = "it holds \(store.rowCount.counted("row")), and not those that it had"
    } else if store.entities.contains(where: { $0.highWater > 0 }) {
      message = "it holds no rows, and once did"
    } else {
      message = "it holds no rows and never did: it may have been made in the place of another"
    }
    var command: NextCommand?
    for backup in backups {
      guard let held = backup.summary?.store?.rowCount, held > 0 else { continue }
      message += "; its newest backup with rows holds \(held.grouped)"
      command = DisplayText.word(shownAs: backup.archive.path).map {
        NextCommand(.restoreBackup, [$0, "--into", place])
      }
      break
    }
    let look = "if rows are missing, look for them in a backup before the app runs again"
    return [
      Finding(
        .storeEmptied, .warning, path: store.path, message: message,
        next: command.map { "if rows are missing, \($0.shellText) before the app runs again" }
          ?? look,
        command: command)
    ]
  }

  /// Returns what a store is and holds, after findings about it.
  ///
  /// - Parameter tellsStrangeRows: whether rows of entities that the store does not know are told here.
  static func status(
    of store: Store, _ findings: inout [Finding], tellsStrangeRows: Bool = true
  ) throws(StoreError) -> StoreStatusReport.Store {
    var status = StoreStatusReport.Store(path: store.files.path)
    status.uuid = store.uuid
    status.versionIdentifiers = store.metadata?.versionIdentifiers ?? []
    status.modelChecksum = store.metadata?.modelChecksum ?? ""
    status.hasModel = store.model != nil
    status.byteCount = Int(store.byteCount)
    status.logByteCount = Int(store.log.byteCount)
    status.logFrames = store.log.frameCount
    status.logTail = store.log.tail.rawValue
    status.mirroringTables = store.mirroringTableCount
    findings += store.findings
    var counts: [String: [Store.RowCount]] = [:]
    for table in Set(store.layout.entities.map(\.table)).sorted() where !table.isEmpty {
      counts[table] = try store.rowCounts(ofTable: table)
    }
    for entity in store.layout.entities {
      let count = counts[entity.table]?.first { $0.entity == entity.number }
      var line = StoreStatusReport.Entity(
        name: entity.name, number: Int(entity.number), table: entity.table)
      line.rowCount = Int(count?.count ?? 0)
      line.highestRow = Int(count?.highestRow ?? 0)
      line.highWater = Int(entity.highWater)
      let hash = store.metadata?.versionHashes.first { $0.entity == entity.name }?.hash ?? []
      line.versionHash = hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      status.entities.append(line)
    }
    findings += Self.contradictions(counts, store, tellsStrangeRows: tellsStrangeRows)
    return status
  }

  /// What the numbers of rows contradict.
  private static func contradictions(
    _ counts: [String: [Store.RowCount]], _ store: Store, tellsStrangeRows: Bool
  ) -> [Finding] {
    var findings: [Finding] = []
    for (table, counts) in counts.sorted(by: { $0.key < $1.key }) {
      let entities = store.layout.entities.filter { $0.table == table }
      for count in counts
      where tellsStrangeRows && !entities.contains(where: { $0.number == count.entity }) {
        let number = count.entity.map { "number \($0)" } ?? "no number"
        findings.append(
          Finding(
            .unknownEntity, .warning, path: store.files.path,
            message: "\(count.count.counted("row")) of \(table) are of an entity with \(number), "
              + "which the store does not know: its app does not see them"))
      }
      // Entities of one table get their numbers together.
      let handedOut = entities.map(\.highWater).max() ?? 0
      let highest = counts.map(\.highestRow).max() ?? 0
      guard highest > handedOut else { continue }
      findings.append(
        Finding(
          .foreignRows, .warning, path: store.files.path,
          message: "\(table) has a row \(highest), and the store says that it handed out no number "
            + "above \(handedOut): something else than its app wrote it",
          next: "compare it with a backup before the app adds rows"))
    }
    return findings
  }
}

extension StoreSummary {
  /// What is compared with a backup of a store whose rows were counted.
  fileprivate init(_ store: StoreStatusReport.Store) {
    self.init(
      name: "", uuid: store.uuid, versionIdentifiers: store.versionIdentifiers,
      modelChecksum: store.modelChecksum,
      entities: store.entities.map { entity in
        Entity(
          name: entity.name, rowCount: entity.rowCount, highWater: max(0, entity.highWater),
          versionHash: entity.versionHash)
      })
  }
}
