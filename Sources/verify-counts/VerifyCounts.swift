import ArgumentParser
import CommandLineSupport
import MigrationCore

@main
struct VerifyCounts: Tool {
  static let help = HelpText(
    "verify-counts", "Prove that documents hold what the JSON held",
    examples: [
      .init("against the JSON beside them", "verify-counts ~/Documents/Minuta"),
      .init("against a backup", "verify-counts ~/Documents/Minuta --against minuta.tar"),
    ],
    note: """
      Counts come first, then every field of every tag and record, both ways. Status 0 means that \
      everything is proven; nothing to compare with is status 1.
      """,
    statuses: [
      .done, .differs, .usage, .damagedInput, .missingInput, .systemCallFailed, .inputOutput, .busy,
      .permissionDenied,
    ])

  @Argument(help: ArgumentHelp("The data folder whose documents are checked."))
  var folder: String

  @Option(
    help: ArgumentHelp(
      "Compare with a folder, a backup or a stream; by default the JSON, then the quarantine.",
      valueName: "reference"))
  var against: String?

  @OptionGroup var dates: NumericDatesOption
  @OptionGroup var batch: BatchOptions
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws {
    var options = VerificationOptions(folder: folder)
    options.reference = try against.map { try console.reference(at: $0) } ?? .automatic
    options.numericDates = dates.numericDates
    let workflow = VerificationWorkflow(options, context: console.context(batch: batch))
    console.show(try workflow.perform())
  }
}
