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

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit is at least 1") }
    if watch && dryRun {
      throw ValidationError("--watch writes; show what would be done without it")
    }
  }

  func perform(_ console: Console) throws {
    var options = MergeOptions(folder: folder)
    options.unifies = unify
    options.copiesPerBase = limit
    let context = try console.context(
      profile: profile, lockTimeout: lockTimeout, failFast: failFast, jobs: jobs)
    if watch {
      try MergeWatch(options, context: context)
        .run(
          showing: { report in
            console.show(report)
            return !console.isReportLost
          }, telling: { console.tell($0) })
    } else {
      let workflow = MergeWorkflow(options, context: context)
      console.show(try dryRun ? workflow.plan() : workflow.perform())
    }
  }
}
