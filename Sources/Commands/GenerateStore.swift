import ArgumentParser
import CommandLineSupport
import MigrationCore
import Runs
import SafeFiles
import SampleFolders
import SampleStores

struct GenerateStore: Tool {
  static let help = HelpText(
    "generate-store", "Make sample stores of SwiftData to try things on",
    examples: [
      .init(
        "the stores of an app as people have them", "generate-store sample --profile ritualist"),
      .init(
        "what another device of the same person has",
        "generate-store other --profile ritualist --device 2"),
      .init(
        "a store that something is wrong with",
        "generate-store bad --profile laundrytime --damage stale-wal"),
    ],
    note: """
      The same options make the same bytes. The directory must be new or empty; the stores in it have \
      the names that the app gives them. The newest rows are in the log beside a store only, as while \
      the app runs. The profile library is of an app that nothing here knows. Versions: of ritualist \
      V1 to V11 and plan, of laundrytime shipped and V1 to V4, of library V1 and V2.
      """,
    statuses: [
      .done, .usage, .missingInput, .internalError, .systemCallFailed, .cannotCreate, .inputOutput,
      .busy, .permissionDenied,
    ])
  static let configuration = help.configuration

  @Argument(
    help: ArgumentHelp("A directory that is new or empty.", valueName: "directory"),
    completion: .directory)
  var directory: String

  @Option(help: ArgumentHelp("The app: ritualist, laundrytime or library.", valueName: "profile"))
  var profile = SampleApp.ritualist.name

  @Option(
    help: ArgumentHelp(
      "The version of the app's data; by default the one that people have.", valueName: "version"))
  var schemaVersion: String?

  @Option(help: ArgumentHelp("How many rows all entities have together.", valueName: "n"))
  var rows = 300

  @Option(help: ArgumentHelp("Which of two devices of one person, 1 or 2.", valueName: "n"))
  var device = 1

  @Option(help: ArgumentHelp("What is wrong with the store; may be repeated.", valueName: "damage"))
  var damage: [StoreDamage] = []

  @Option(help: ArgumentHelp("What all that is random depends on.", valueName: "n"))
  var seed: UInt64 = 1

  @OptionGroup var reporting: ReportingOptions

  func validate() throws { _ = try plan() }

  private func plan() throws -> StorePlan {
    guard let app = SampleApp.named(profile) else {
      let names = SampleApp.all.map(\.name).joined(separator: ", ")
      throw ValidationError("there is no app \(profile); those known are \(names)")
    }
    guard var plan = StorePlan(app, version: schemaVersion) else {
      let names = app.versions.map(\.name).joined(separator: ", ")
      throw ValidationError("\(profile) has the versions \(names)")
    }
    plan.rowCount = rows
    plan.device = device
    plan.seed = seed
    plan.damages = Set(damage)
    if let problem = plan.problem { throw ValidationError(problem) }
    return plan
  }

  func perform(_ console: Console) throws {
    let sample = try SampleStore(try plan())
    let place = try OutputPlace.createDirectory(
      directory, context: RunContext(command: Self.help.name))
    let count = try sample.write(into: place)
    console.show(GenerationReport<GenerateStore>(path: place.path, fileCount: count))
  }
}

extension StoreDamage: OptionChoice {}
