import Diagnostics
import Folders
package import MigrationCore

extension ProposalReport: ReadableReport {
  package var conclusion: [String] {
    [
      "Drafted a profile of \(proposal.profile.kinds.count.counted("kind")) for "
        + "\(proposal.entityCount.counted("entity", "entities")) in "
        + "\(proposal.fileCount.counted("file")) (\(Duration.seconds(seconds).text)).",
      isOfStores
        ? "It says what the stores say of themselves. Commands that read the documents of the rows "
          + "need it with --profile."
        : "It says what the files look like, not what they mean: read its comments, correct it, and try "
          + "it with import-crdt --dry-run.",
    ]
  }
}
