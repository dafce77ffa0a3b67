import ArgumentParser
import CommandLineSupport
import FolderSync
import MigrationCore
import Runs

struct SyncFolder: Tool {
  static let help = HelpText(
    "sync-folder", "Bring the documents of two folders together, here or on another machine",
    examples: [
      .init("two folders of this machine", "sync-folder ~/Documents/Minuta /mnt/stick/Minuta"),
      .init(
        "one of another machine, over ssh",
        "sync-folder ~/Minuta -- ssh desk sync-folder --serve Minuta"),
      .init(
        "go on as long as both are there",
        "sync-folder ~/Documents/Minuta /mnt/stick/Minuta --watch"),
    ],
    note: """
      Each side gets the changes and attached files that it does not have; nothing is deleted, so what \
      one side deleted as a file comes back. What arrives is proven, then written under the app's lock. \
      JSON files and conflict copies stay where they are. A run that was stopped, or whose connection \
      was cut, is run again. Status 1 means that something that was to be synced is not, or that one \
      side tells of an error.
      """,
    statuses: [
      .done, .differs, .usage, .damagedInput, .missingInput, .systemCallFailed, .cannotCreate,
      .inputOutput, .busy, .permissionDenied, .conflictsWithData,
    ])
  static let configuration = help.configuration

  @Argument(help: ArgumentHelp("The data folder."), completion: .directory)
  var folder: String

  @Argument(
    help: ArgumentHelp("The other folder, on this machine."), completion: .directory)
  var other: String?

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp(
      "What starts sync-folder --serve for the other folder, behind --.", valueName: "command"))
  var command: [String] = []

  @Flag(help: "Answer another sync-folder on standard input and output.")
  var serve = false

  @Flag(help: "Go on syncing whenever one of the folders changes, until a signal ends it.")
  var watch = false

  @Option(
    help: ArgumentHelp(
      "Take a connection on which nothing moves for so long as cut.", valueName: "seconds"))
  var timeout = SyncOptions.standardSilenceSeconds

  @Option(help: .profile, completion: .profiles)
  var profile: String?

  @Flag(name: .dryRun, help: .dryRun)
  var dryRun = false

  @Option(help: .lockTimeout)
  var lockTimeout = RunContext.standardLockTimeoutSeconds

  @Option(name: .shortAndLong, help: .jobs)
  var jobs: Int?

  @OptionGroup var reporting: ReportingOptions

  // A server's standard output is its connection.
  var carriesData: Bool { serve }

  func validate() throws {
    if timeout < 1 { throw ValidationError("--timeout is at least 1") }
    if watch && dryRun {
      throw ValidationError("--watch writes; show what would be done without it")
    }
    if serve {
      guard other == nil, command.isEmpty, !watch, !dryRun else {
        throw ValidationError("--serve takes one folder; the other side says the rest")
      }
      if Console.isInputTerminal {
        throw ValidationError("--serve answers another sync-folder, and nobody who types")
      }
    } else if (other == nil) == command.isEmpty {
      throw ValidationError("give one other folder, or, behind --, a command that serves it")
    }
  }

  func perform(_ console: Console) throws {
    var options = SyncOptions(folder: folder)
    (options.isDryRun, options.watches, options.silenceSeconds) = (dryRun, watch, timeout)
    let context = try console.context(profile: profile, lockTimeout: lockTimeout, jobs: jobs)
    if serve {
      return console.serve(SyncServer(options, context: context))
    }
    let peer = try SyncProgram(options, other: other, command: command, context: context)
    let client = SyncClient(options, context: context)
    guard watch else {
      return console.show(try client.perform(with: peer.words, called: peer.name))
    }
    try client.watch(with: peer.words, called: peer.name) { report in
      console.show(report)
      return !console.isReportLost
    } telling: {
      console.tell($0)
    }
  }
}
