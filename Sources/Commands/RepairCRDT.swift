import ArgumentParser
import CommandLineSupport
import MigrationCore

struct RepairCRDT: Tool {
  static let help = HelpText(
    "repair-crdt", "Build a new document from what can still be read of a damaged one",
    examples: [
      .init("show what can be salvaged", "repair-crdt 01.automerge -o 01-salvaged.automerge -n"),
      .init("write it", "repair-crdt 01.automerge -o 01-salvaged.automerge"),
      .init(
        "make a copy to show to others, without what it says",
        "repair-crdt 01.automerge --anonymize -o 01-anonymous.automerge"),
    ],
    note: """
      The damaged file is only read. For each entity the report says verified, readable (nothing \
      proves its values) or lost. The new document has an identity of its own and must not be \
      merged with other copies.
      """,
    statuses: [
      .done, .differs, .usage, .damagedInput, .missingInput, .internalError, .systemCallFailed,
      .cannotCreate, .inputOutput, .busy, .permissionDenied,
    ])
  static let configuration = help.configuration

  @Argument(help: ArgumentHelp("The damaged document.", valueName: "file"), completion: .file())
  var file: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where the new document goes.", valueName: "new"),
    completion: .file())
  var output: String

  @Flag(
    help: "Keep structure and damage instead, and replace every string, key, number and time.")
  var anonymize = false

  @Option(help: .profile, completion: .profiles)
  var profile: String?

  @Flag(help: "Replace a file that is there already; never the damaged one.")
  var force = false

  @Flag(name: .dryRun, help: .dryRun)
  var dryRun = false

  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws {
    let context = try console.context(profile: profile)
    var options = RepairOptions(file: file, output: output)
    options.replaces = force
    if anonymize {
      let workflow = AnonymizeWorkflow(options, context: context)
      try console.show(workflow, doing: !dryRun)
    } else {
      let workflow = RepairWorkflow(options, context: context)
      try console.show(workflow, doing: !dryRun)
    }
  }
}
