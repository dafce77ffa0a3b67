import Diagnostics
import Folders
import SafeFiles

/// The old months of a folder that were set aside whole.
struct SetAsideMonths: Sendable {
  /// The identities in documents of those months.
  private(set) var known = KnownIdentities()
  /// What to tell about them, one for each run.
  private(set) var findings: [Finding] = []

  /// None.
  init() {}

  /// Loads the documents that runs set aside; only what they hold counts.
  init(of folder: Directory, context: RunContext) throws(MigrationError) {
    for run in try Quarantine.runs(of: folder) where Quarantine.isOfMonths(run, in: folder) {
      let inventory = try FolderAccess.inventory(of: run.directory)
      guard !inventory.documents.isEmpty else { continue }
      known.merge(try TargetIndex(of: run.directory, inventory, context: context).known)
      findings.append(
        Finding(
          .setAside, .info, path: run.path.description,
          message: "\(inventory.documents.count) documents of old months were set aside, and are "
            + "not compared"))
    }
  }
}

extension Quarantine {
  private static let command = "cleanup-legacy --months-before "

  /// What the manifest of a run says that sets old months aside.
  static func monthsCommand(before month: Month) -> String { command + month.description }

  /// Whether a run set old months aside. Without its manifest it counts as any other.
  static func isOfMonths(_ run: Run, in folder: Directory) -> Bool {
    guard let manifest = QuarantineManifest.name(of: run.name),
      // Whatever is wrong with the manifest, what the run holds is then compared like all else.
      let bytes = try? folder.contents(of: path.appending(manifest), limit: largestManifest)
    else { return false }
    return QuarantineManifest.command(in: bytes)?.hasPrefix(command) ?? false
  }
}
