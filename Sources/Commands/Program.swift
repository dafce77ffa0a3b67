import ArgumentParser
import CommandLineSupport
import Diagnostics

/// The program that holds every command.
package enum Program {
  private static let tools = ToolSet(
    "automerge-migrate",
    "Move an app's data folder from JSON to Automerge documents and back",
    examples: [
      .init("prove that nothing was lost", "automerge-migrate verify-counts ~/Documents/Minuta"),
      .init("what a command takes", "automerge-migrate verify-counts --help"),
    ],
    tools: [
      CleanupLegacy.self, ExportJSON.self, GenerateFolder.self, GenerateStore.self, ImportCRDT.self,
      InspectCRDT.self,
      MergeConflicts.self, MigrateFleet.self, MigrateFolder.self, MigrateSchema.self,
      PackBackup.self,
      RecoverFolder.self, RepairCRDT.self, ReportFolder.self,
      RestoreBackup.self, RollbackFolder.self, SyncFolder.self, VerifyCounts.self,
    ])

  /// Runs the command that the process was called by, or that its first argument names.
  package static func run() { tools.run(asKnownBy: Whole.self) }

  /// The program as the parser sees it, for shells and manuals: they want to know all commands at once.
  private struct Whole: ParsableCommand {
    static let configuration = tools.configuration

    @Flag(help: ArgumentHelp(ToolSet.commandsHelp))
    var commands = false
  }

  /// Runs a command as a step of another, in the same process.
  static func runStep(_ command: NextCommand, _ output: Step.Output) -> Step.Ending {
    tools.runStep(command, output)
  }

  /// Runs one command, whatever the process was called by.
  package static func run(_ name: String) { tools.run(name) }
}
