package import Diagnostics
package import Folders
package import Runs
import SafeFiles
import SwiftDataStores

/// Proposes a profile for a folder of JSON that nobody has described, or for stores; writes nothing.
package struct ProposalWorkflow {
  private let folder: String
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(folder: String, context: RunContext) {
    self.folder = folder
    self.context = context
  }

  /// Looks at all JSON files of the folder. What cannot be looked at is a finding.
  ///
  /// Throws if no file holds anything that a profile could say.
  package func perform() throws(MigrationError) -> ProposalReport {
    let clock = RunClock()
    if try StoreSource.isStore(folder, context: context), let report = try proposalOfStores(clock) {
      return report
    }
    let directory = try FolderAccess.open(folder, context: context)
    let isInterrupted = context.isInterrupted
    var proposer = try MigrationError.wrapping { () throws(FileError) in
      try ProfileProposer(of: directory, while: { !isInterrupted() })
    }
    let proposal = proposer.propose()
    if isInterrupted() { throw .interrupted }
    guard let proposal else {
      if let report = try proposalOfStores(clock) { return report }
      let count = proposer.findings.count
      throw .underlying(
        Diagnostic(
          .missingInput, subject: folder,
          problem: "no JSON file in it holds what a profile could describe"
            + (count > 0 ? "; \(count.counted("file was", "files were")) not looked at" : ""),
          remedy: "give the folder in which the app keeps its data",
          cause: proposer.findings.first.map { "\($0.path): \($0.message)" }))
    }
    return ProposalReport(folder: folder, proposal: proposal, seconds: clock.seconds)
  }

  /// What the stores at the place say of themselves, as far as no profile says it; nil if there are none.
  private func proposalOfStores(_ clock: RunClock) throws(MigrationError) -> ProposalReport? {
    guard let source = try StoreSource.open(folder, context: context) else { return nil }
    var rowCount: Int64 = 0
    do throws(StoreError) {
      for opened in source.stores {
        for table in Set(opened.entities.map(\.layout.table)) {
          let counts = try opened.store.rowCounts(ofTable: table)
          rowCount += counts.reduce(0) { $0 + $1.count }
        }
      }
    } catch {
      throw MigrationError(error)
    }
    var report = ProposalReport(
      folder: folder,
      proposal: ProfileProposal(
        profile: source.kinds.profile, fileCount: source.stores.count,
        entityCount: Int(clamping: rowCount),
        findings: source.findings), seconds: clock.seconds)
    report.isOfStores = true
    return report
  }
}

/// A profile that was proposed, and what it does not describe.
package struct ProposalReport: RunReport {
  package static let name = "inspect-crdt"

  /// The folder.
  package let folder: String
  /// The profile and why it is so.
  package let proposal: ProfileProposal
  package var findings: [Finding]
  /// Whether it is made of what stores say of themselves.
  package var isOfStores = false
  /// Seconds from start to end.
  package let seconds: Double

  init(folder: String, proposal: ProfileProposal, seconds: Double) {
    self.folder = folder
    self.proposal = proposal
    findings = proposal.findings.inReportOrder()
    self.seconds = seconds
  }

  package var items: [ReportObject] { [] }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("folder", folder)
    summary.add("profile", proposal.profile.name)
    summary.add("kinds", proposal.profile.kinds.count)
    summary.add("files", proposal.fileCount)
    summary.add("entities", proposal.entityCount)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
