import Diagnostics
import Folders
package import MigrationCore
import Runs

/// Migrates stores, a command for each step: a backup of each, the import of all, the verification.
///
/// No step is remembered: run again it does all of them, and what is done already is found done.
package struct StoreMigration {
  private let console: Console
  private let steps: StepRunner
  private let options: MigrationOptions
  private let workflow: StoreMigrationWorkflow

  /// Creates a migration; nothing is looked at yet.
  package init(
    _ options: MigrationOptions, into target: String, profile: String? = nil, lockTimeout: Int,
    _ console: Console, by runStep: @escaping Step.Runner
  ) throws {
    self.options = options
    self.console = console
    steps = StepRunner(console, lockTimeout: lockTimeout, by: runStep)
    workflow = StoreMigrationWorkflow(
      options, into: target,
      context: try console.context(profile: profile, lockTimeout: lockTimeout)
        .reading(preferences: options.preferences, besideStoreAt: options.folder))
    Interruption.listen(to: [Interruption.hangUp])
  }

  /// Looks at the stores, and migrates their rows.
  package func run(isDryRun: Bool) throws {
    var report = try workflow.look()
    report.isDryRun = isDryRun
    if isDryRun {
      _ = perform(workflow.command(for: .importing, isDryRun: true), mayDiffer: true)
      return show(report)
    }
    for store in report.stores {
      let backup = steps.backUp(
        store, in: options.backupDirectory, told: [],
        title: report.stores.count == 1 ? "backup" : "backup of \(store)")
      guard let backup else { return }
      report.backups.append(backup)
    }
    // Status 1 says that something was left out; the verification, which only reads, says what.
    guard let isWhole = perform(.importing, "import", mayDiffer: true),
      perform(.verifying, "verify") != nil, isWhole
    else { return }
    report.next = workflow.command(for: .updating)
    show(report)
  }

  private func show(_ report: StoreMigrationReport) {
    guard console.isReadAsItComes else { return console.show(report) }
    console.show(lines: report.conclusion)
  }

  private func perform(
    _ step: StoreMigrationWorkflow.Step, _ title: String, mayDiffer: Bool = false
  ) -> Bool? {
    console.show(lines: [title])
    guard console.mayGoOn else { return nil }
    return perform(workflow.command(for: step), mayDiffer: mayDiffer)
  }

  /// Runs a step and returns whether all of it was done; nil if nothing may follow.
  private func perform(_ command: NextCommand, mayDiffer: Bool) -> Bool? {
    let status = steps.run(command, adding: console.stepOptions).status
    console.note(status)
    guard status <= (mayDiffer ? .differs : .done), console.mayGoOn else { return nil }
    return status == .done
  }
}
