import ArgumentParser
import CommandLineSupport
import MigrationCore
import Runs

struct MergeConflicts: Tool {
  static let help = HelpText(
    "merge-conflicts", "Merge the conflict copies that sync services leave",
    examples: [
      .init("show what would be merged", "merge-conflicts ~/Documents/Minuta --dry-run"),
      .init("merge, now and whenever copies arrive", "merge-conflicts ~/Documents/Minuta --watch"),
      .init(
        "decide between two values of a field",
        "merge-conflicts ~/Documents/Minuta --resolve ID comment --keep-other"),
    ],
    note: """
      Names only propose; what a copy holds decides. A copy moves to \
      .automerge-migrate.nosync/quarantine once the file that took it in is proven on disk. What is \
      not proven to belong together stays, with a finding.
      """)
  static let configuration = help.configuration

  @Argument(help: ArgumentHelp("The data folder."), completion: .directory)
  var folder: String

  @Flag(help: "Make one of objects that devices made separately for the same entity.")
  var unify = false

  @Flag(help: "Go on merging whenever the folder changes, until a signal ends it.")
  var watch = false

  @Option(help: ArgumentHelp("Look at this many copies of one file in a run.", valueName: "n"))
  var limit = MergeOptions.standardLimit

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Decide which value a field has from now on: the id of the entity, the field, and the value as "
        + "JSON, a text also without quotes, or one of the two options below. A space goes before a "
        + "text that begins with a minus and is no number.", valueName: "id field value"))
  var resolve: [String] = []

  @Flag(exclusivity: .exclusive)
  var kept: KeptValue?

  @Option(help: .profile, completion: .profiles)
  var profile: String?

  @Flag(name: .dryRun, help: .dryRun)
  var dryRun = false

  @Option(help: .lockTimeout)
  var lockTimeout = RunContext.standardLockTimeoutSeconds

  @Flag(help: .failFast)
  var failFast = false

  @Option(name: .shortAndLong, help: .jobs)
  var jobs: Int?

  @OptionGroup var reporting: ReportingOptions

  /// The parser takes a number that begins with a minus for an option.
  static func prepared(_ arguments: [String]) -> [String] {
    var arguments = arguments
    guard let option = arguments.firstIndex(of: "--resolve"), arguments.count > option + 3 else {
      return arguments
    }
    let value = arguments[option + 3]
    if value.first == "-", Double(value) != nil { arguments[option + 3] = " " + value }
    return arguments
  }

  func validate() throws {
    if resolve.isEmpty ? kept != nil : resolve.count != (kept == nil ? 3 : 2) {
      throw ValidationError(
        "--resolve takes the id of an entity, a field, and a value, --keep-this or --keep-other")
    }
    if !resolve.isEmpty, watch || unify {
      throw ValidationError("--resolve decides about one field, and does nothing else")
    }
    if limit < 1 { throw ValidationError("--limit is at least 1") }
    if watch && dryRun {
      throw ValidationError("--watch writes; show what would be done without it")
    }
  }

  func perform(_ console: Console) throws {
    let context = try console.context(
      profile: profile, lockTimeout: lockTimeout, failFast: failFast, jobs: jobs)
    if !resolve.isEmpty {
      let choice: ValueChoice =
        switch kept {
        case .keepThis: .this
        case .keepOther: .other
        case nil: .value(String(resolve[2].dropFirst(resolve[2].hasPrefix(" -") ? 1 : 0)))
        }
      let workflow = ResolutionWorkflow(
        ResolutionOptions(folder: folder, id: resolve[0], field: resolve[1], choice: choice),
        context: context)
      return try console.show(workflow, doing: !dryRun)
    }
    var options = MergeOptions(folder: folder)
    options.unifies = unify
    options.copiesPerBase = limit
    if watch {
      try MergeWatch(options, context: context)
        .run(
          showing: { report in
            console.show(report)
            return !console.isReportLost
          }, telling: { console.tell($0) })
    } else {
      let workflow = MergeWorkflow(options, context: context)
      try console.show(workflow, doing: !dryRun)
    }
  }
}
