import ArgumentParser
import CommandLineSupport
import Folders
import MigrationCore
import Runs
import SafeFiles
import SampleFolders

struct GenerateFolder: Tool {
  static let help = HelpText(
    "generate-folder", "Make a sample data folder to try things on",
    examples: [
      .init("the folder under fixtures/sample-folder", "generate-folder sample"),
      .init(
        "a hundred thousand records over ten years",
        "generate-folder big --records 100000 --months 120"),
      .init(
        "a folder of another app", "generate-folder sample --profile app.json --records 5000"),
    ],
    note: "The same options make the same bytes. The folder must be new or empty.",
    statuses: [
      .done, .usage, .damagedInput, .missingInput, .internalError, .systemCallFailed,
      .cannotCreate, .inputOutput, .busy, .permissionDenied,
    ])
  static let configuration = help.configuration

  @Argument(
    help: ArgumentHelp("A directory that is new or empty.", valueName: "folder"),
    completion: .directory)
  var folder: String

  @Option(
    help: ArgumentHelp(
      "How many records; with --profile, how many entities of all kinds.", valueName: "n"))
  var records = SamplePlan().recordCount

  @Option(help: ArgumentHelp("How many tags.", valueName: "n"))
  var tags = SamplePlan().tagCount

  @Option(help: ArgumentHelp("Over how many months.", valueName: "n"))
  var months = SamplePlan().monthCount

  @Option(help: ArgumentHelp("The year of the first month.", valueName: "year"))
  var firstYear = SamplePlan().firstYear

  @Option(help: ArgumentHelp("Every how many records one has images; 0 for none.", valueName: "n"))
  var imageInterval = SamplePlan().imageInterval

  @Option(help: ArgumentHelp("What all that is random depends on.", valueName: "n"))
  var seed = SamplePlan().seed

  @Option(help: .profile, completion: .profiles)
  var profile: String?

  @OptionGroup var reporting: ReportingOptions

  private var plan: SamplePlan {
    var plan = SamplePlan()
    plan.recordCount = records
    plan.tagCount = tags
    plan.monthCount = months
    plan.firstYear = firstYear
    plan.imageInterval = imageInterval
    plan.seed = seed
    return plan
  }

  func validate() throws {
    if let problem = plan.problem { throw ValidationError(problem) }
  }

  func perform(_ console: Console) throws {
    let sample = try sample()
    let directory = try OutputPlace.createDirectory(
      folder, context: RunContext(command: Self.help.name))
    let count = try sample.write(into: directory)
    console.show(GenerationReport<GenerateFolder>(path: directory.path, fileCount: count))
  }

  private func sample() throws -> any SampleFiles {
    guard let profile, profile != Profile.minuta.name else { return SampleFolder(plan) }
    let described = try Profile(nameOrFile: profile)
    if described.name == Profile.minuta.name { return SampleFolder(plan) }
    if tags != SamplePlan().tagCount {
      throw ValidationError("--tags is of no use with another profile: --records counts all")
    }
    do throws(SampleProblem) {
      return try DeclaredSample(plan, of: described)
    } catch {
      throw ValidationError(error.text)
    }
  }
}
