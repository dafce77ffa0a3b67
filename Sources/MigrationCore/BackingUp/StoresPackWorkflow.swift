import Diagnostics
import Folders
package import Runs
import SafeFiles
import SwiftDataStores

extension PackOptions {
  /// Returns what backs up what is at the path: a store, the stores of a directory, or a folder.
  package func workflow(context: RunContext) throws(MigrationError) -> any BackupWorkflow {
    if try StoreSource.isStore(folder, context: context) {
      return StorePackWorkflow(self, context: context)
    }
    // Of a store that is to be packed as it is the database itself may be gone.
    if isUnopened, try FolderAccess.openBeside(folder, context: context) == nil {
      return StorePackWorkflow(self, context: context)
    }
    if let stores = try StoresPackWorkflow(self, context: context) { return stores }
    return PackWorkflow(self, context: context)
  }
}

/// Backs up the stores of a directory one after the other, each as `StorePackWorkflow` does.
package struct StoresPackWorkflow: BackupWorkflow {
  private let options: PackOptions
  private let context: RunContext
  private let names: [String]
  /// Stores that are in or below the directory and get no backup by this.
  private let notPacked: [Finding]
  private let clock = RunClock()

  /// Creates a workflow; nil if there is no directory at the path, or one without a store, or one that
  /// holds data of an app in files.
  ///
  /// Stores are those whose names end as names of stores do; other databases show when they are opened.
  package init?(_ options: PackOptions, context: RunContext) throws(MigrationError) {
    (self.options, self.context) = (options, context)
    let folder: Directory?
    do throws(MigrationError) {
      folder = try FolderAccess.openIfPresent(
        options.folder, context: context, unfinishedRestore: .expected)
    } catch {
      // Whoever packs folders says what else is there.
      if try FolderAccess.isFile(options.folder, context: context) { return nil }
      throw error
    }
    guard let folder else { return nil }
    let entries = try MigrationError.wrapping { () throws(FileError) in try folder.entries() }
    let found = entries.filter {
      $0.kind == .regular && StoreSource.hasNameOfStore($0.name)
    }
    let isLogAlone = entries.contains {
      $0.kind == .regular && StoreFinder.isBesideStore($0.name)
    }
    guard !found.isEmpty || isLogAlone else { return nil }
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(of: folder, as: context.kinds, noting: &unlisted)
    guard inventory.documents.isEmpty, !inventory.hasLegacyFiles else { return nil }
    names = found.map { String(decoding: $0.name.bytes, as: UTF8.self) }.sorted()
    notPacked = try Self.others(than: names, at: options.folder, context)
  }

  /// Tells of the stores in and below a directory that are not among those with some names in it.
  private static func others(
    than names: [String], at path: String, _ context: RunContext
  ) throws(MigrationError) -> [Finding] {
    var findings: [Finding] = []
    do throws(StoreError) {
      var found = try StoreFinder.find(at: path, operations: context.operations)
      // Copies that an app made are listed with the store they are of.
      _ = AppCopies.takeOut(of: &found)
      findings = found.lost(at: path)
      findings += found.unreadable.map { place in
        Finding(.unreadable, .error, path: place.path, message: place.error.diagnostic.problem)
      }
      let opener = try context.storeOpener()
      for files in (found.stores + found.others).sorted(by: { $0.path < $1.path })
      where !names.contains(files.path) {
        do throws(StoreError) {
          if !StoreSource.hasNameOfStore(files.name) { _ = try opener.open(files) }
        } catch {
          // A database of somebody else.
          if case .notAStore = error { continue }
        }
        let whole = path.hasSuffix("/") ? path + files.path : "\(path)/\(files.path)"
        findings.append(
          Finding(
            .notLookedAt, .error, path: files.path,
            message:
              "has no backup by this: only stores right in the directory get one, whose names "
              + "end in .store or .sqlite",
            command: NextCommand(.packBackup, [whole])))
      }
    } catch {
      throw MigrationError(error)
    }
    return findings
  }

  package func plan() throws(MigrationError) -> BackupReport {
    try each(isDryRun: true, telling: notPacked) { workflow throws(MigrationError) in
      try workflow.plan()
    }
  }

  package func perform() throws(MigrationError) -> BackupReport {
    try each(isDryRun: false, telling: notPacked) { workflow throws(MigrationError) in
      try workflow.perform()
    }
  }

  package func list(isVerifying: Bool) throws(MigrationError) -> BackupReport {
    try each(isDryRun: false) { workflow throws(MigrationError) in
      try workflow.list(isVerifying: isVerifying)
    }
  }

  package func prune(isApplying: Bool) throws(MigrationError) -> BackupReport {
    try each(isDryRun: !isApplying) { workflow throws(MigrationError) in
      try workflow.prune(isApplying: isApplying)
    }
  }

  /// Does something for each store; what fails for one is a finding, and the others go on.
  private func each(
    isDryRun: Bool, telling others: [Finding] = [],
    _ body: (StorePackWorkflow) throws(MigrationError) -> BackupReport
  ) throws(MigrationError) -> BackupReport {
    if options.output != nil, names.count > 1 {
      throw .underlying(
        Diagnostic(
          .conflictsWithData, subject: options.folder,
          problem: "holds \(names.count.counted("store")), and -o names one file",
          remedy: "give one of them: \(names.joined(separator: ", "))"))
    }
    var report = BackupReport(isDryRun: isDryRun)
    var failures: [(path: String, error: MigrationError)] = []
    for name in names {
      var options = options
      options.folder += options.folder.hasSuffix("/") ? name : "/" + name
      do throws(MigrationError) {
        let part = try body(StorePackWorkflow(options, context: context))
        report.archives += part.archives
        report.findings += part.findings
      } catch {
        if case .interrupted = error { throw error }
        failures.append((options.folder, error))
      }
    }
    let emptied = failures.first(where: \.error.isOfEmptiedStore)
    if let first = emptied ?? failures.first, report.archives.isEmpty { throw first.error }
    report.failures = failures.map(\.error.diagnostic.kind)
    report.findings += failures.map { failure in
      let diagnostic = failure.error.diagnostic
      return Finding(
        failure.error.isOfEmptiedStore ? .storeEmptied : .unreadable, .error, path: failure.path,
        message: "no backup: \(diagnostic.problem)",
        next: diagnostic.remedy ?? "")
    }
    report.findings = (report.findings + others).inReportOrder()
    report.seconds = clock.seconds
    return report
  }
}

extension MigrationError {
  /// Whether the rows of a store are gone.
  fileprivate var isOfEmptiedStore: Bool {
    if case .storeEmptied = self { true } else { false }
  }
}
