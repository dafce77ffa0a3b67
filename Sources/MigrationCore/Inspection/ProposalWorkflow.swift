package import Diagnostics
package import Folders
package import Runs
import SafeFiles

/// Proposes a profile for a folder of JSON that nobody has described; writes nothing.
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
    let directory = try FolderAccess.open(folder, context: context)
    let isInterrupted = context.isInterrupted
    var proposer = try MigrationError.wrapping { () throws(FileError) in
      try ProfileProposer(of: directory, while: { !isInterrupted() })
    }
    let proposal = proposer.propose()
    if isInterrupted() { throw .interrupted }
    guard let proposal else {
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
}

/// A profile that was proposed, and what it does not describe.
package struct ProposalReport: RunReport {
  package static let name = "inspect-crdt"

  /// The folder.
  package let folder: String
  /// The profile and why it is so.
  package let proposal: ProfileProposal
  package var findings: [Finding]
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
