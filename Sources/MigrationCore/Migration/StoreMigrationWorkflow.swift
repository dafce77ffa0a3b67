package import Diagnostics
import Folders
package import Runs
import SwiftDataStores

/// Says what is to be done to turn the rows of stores into documents of a folder; writes nothing.
package struct StoreMigrationWorkflow {
  private let options: MigrationOptions
  private let target: String
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  ///
  /// - Parameter target: the folder that gets the documents.
  package init(_ options: MigrationOptions, into target: String, context: RunContext) {
    self.options = options
    self.target = target.hasPrefix("-") ? "./\(target)" : target
    self.context = context
  }

  /// Throws if somebody wants to migrate a store, and has not said into which folder.
  package static func requireFolder(
    _ options: MigrationOptions, context: RunContext
  ) throws(MigrationError) {
    guard try StoreSource.isStore(options.folder, context: context) else { return }
    throw .optionMissing(
      option: options.folder,
      reason: "is a store: name the folder that gets its documents behind it")
  }

  /// Opens the stores and returns a report without backups; throws if there are none, or one cannot be
  /// read.
  package func look() throws(MigrationError) -> StoreMigrationReport {
    let clock = RunClock()
    guard let source = try StoreSource.open(options.folder, context: context) else {
      throw .underlying(
        Diagnostic(
          .missingInput, subject: options.folder, problem: "holds no store of SwiftData",
          remedy: "to migrate a folder of JSON, name it alone"))
    }
    let isFile = try StoreSource.isStore(options.folder, context: context)
    var report = StoreMigrationReport(
      source: options.folder, target: target,
      stores: source.stores.map { isFile ? options.folder : "\(options.folder)/\($0.path)" })
    try noteLeftOut(of: source, in: &report)
    report.seconds = clock.seconds
    return report
  }

  /// Notes what the stores hold, or may hold, and no step carries.
  private func noteLeftOut(
    of source: StoreSource, in report: inout StoreMigrationReport
  ) throws(MigrationError) {
    let told = (source.findings + (try source.countRemainder())).filter(\.isOfRowsNotRead)
    report.leftOut = told.map { "\($0.path): \($0.message)" }
    let withheld = source.kinds.withheld(unlessAsked: options.includesPrivate)
    for kind in withheld.sorted() {
      let count = try rowCount(of: kind, source)
      if count > 0 {
        report.leftOut.append(
          "\(EntityKinds.counted(count, source.kinds.name(of: kind))), which \(count == 1 ? "is" : "are") "
            + "private: --include-private takes \(count == 1 ? "it" : "them")")
      }
    }
    for kind in source.kindsNotGiven.sorted() {
      report.leftOut.append(
        "entities of the kind \(source.kinds.name(of: kind)), if there are any: the app keeps them in its "
          + "preferences, which go with --preferences FILE")
    }
  }

  private func rowCount(
    of kind: EntityKind, _ source: StoreSource
  ) throws(MigrationError) -> Int {
    var count: Int64 = 0
    do throws(StoreError) {
      for opened in source.stores {
        for entity in opened.entities where entity.kind == kind {
          let counts = try opened.store.rowCounts(ofTable: entity.layout.table)
          count += counts.first { $0.entity == entity.layout.number }?.count ?? 0
        }
      }
    } catch {
      throw MigrationError(error)
    }
    return Int(clamping: count)
  }

  /// The steps after the backups.
  package enum Step: Hashable, Sendable {
    case importing, verifying, updating
  }

  /// Returns the command of a step.
  package func command(for step: Step, isDryRun: Bool = false) -> NextCommand {
    let asked = options.includesPrivate ? ["--include-private"] : []
    let told =
      context.kinds.options + asked + (options.preferences.map { ["--preferences", $0] } ?? [])
    switch step {
    case .importing:
      return NextCommand(
        .importCRDT,
        [options.folder, "--into", target] + told + (isDryRun ? ["--dry-run"] : []))
    case .verifying:
      return NextCommand(.verifyCounts, [target, "--against", options.folder] + told)
    case .updating:
      return NextCommand(.importCRDT, ["--update", options.folder, "--into", target] + told)
    }
  }
}

extension Finding {
  /// Whether it tells of rows, or of a log with rows, that nobody read.
  fileprivate var isOfRowsNotRead: Bool {
    switch code {
    case .staleLog, .foreignLog, .notCarried, .missingStore, .unreadable: true
    // A log that ends in the middle of a save was torn before that was one.
    case .unknownEntity, .tornLog: severity == .error
    default: false
    }
  }
}

/// What became of stores whose rows were to become documents.
package struct StoreMigrationReport: RunReport {
  package static let name = "migrate-folder"

  /// The store, or the directory of stores, as it was given.
  package var source: String
  /// The folder of the documents.
  package var target: String
  /// The paths of the stores.
  package var stores: [String]
  /// The paths of their backups, in their order; empty as long as there are none.
  package var backups: [String] = []
  /// What no document has, or nobody could look at, each for people.
  package var leftOut: [String] = []
  /// What brings the documents up to date when the app has changed rows; nil before all is done.
  package var next: NextCommand?
  package var findings: [Finding] = []
  package var isDryRun = false
  /// Seconds from start to end.
  package var seconds = 0.0

  init(source: String, target: String, stores: [String]) {
    (self.source, self.target, self.stores) = (source, target, stores)
  }

  package var items: [ReportObject] { [] }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("folder", target)
    summary.add("source", source)
    summary.add("stores", .array(stores.map { .string($0) }))
    summary.add("leftOut", .array(leftOut.map { .string($0) }))
    summary.add("backups", .array(backups.map { .string($0) }))
    summary.add("next", .array(next.map { [.string($0.shellText)] } ?? []))
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
