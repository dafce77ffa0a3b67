import Diagnostics
import Folders
package import MigrationCore
import Runs

/// Migrates a folder, a command for each step: backup, import, verification, clean-up.
///
/// No step is remembered: run again it does all of them, and what is done already is found done.
package struct Migration {
  private let console: Console
  private let steps: StepRunner
  private let options: MigrationOptions
  private let kinds: EntityKinds
  private let workflow: MigrationWorkflow

  /// Creates a migration; nothing is looked at yet.
  package init(
    _ options: MigrationOptions, profile: String? = nil, lockTimeout: Int, _ console: Console,
    by runStep: @escaping Step.Runner
  ) throws {
    self.options = options
    self.console = console
    steps = StepRunner(console, lockTimeout: lockTimeout, by: runStep)
    let context = try console.context(profile: profile, lockTimeout: lockTimeout)
    kinds = context.kinds
    workflow = MigrationWorkflow(options, context: context)
    Interruption.listen(to: [Interruption.hangUp])
  }

  /// Looks at the folder, and migrates it if there is something to migrate.
  package func run(isDryRun: Bool) throws {
    var report = try workflow.look()
    report.isDryRun = isDryRun
    guard report.decision.migrates else { return show(report) }
    if isDryRun {
      _ = perform(workflow.command(for: .importing, isDryRun: true), mayDiffer: true)
      return show(report)
    }
    try workflow.requireRoom(for: report)
    let backup = steps.backUp(
      options.folder, in: options.backupDirectory, told: kinds.options)
    guard let backup else { return }
    // Status 1 says that something was left out; the verification, which only reads, says what.
    guard let isWhole = perform(.importing, "import", mayDiffer: true),
      perform(.verifying, "verify") != nil, isWhole
    else { return }
    if options.cleansUp {
      guard perform(.cleaningUp, "clean up", backup: backup) != nil else { return }
    }
    workflow.conclude(&report, backup: backup)
    show(report)
  }

  private func show(_ report: MigrationReport) {
    guard console.isReadAsItComes else { return console.show(report) }
    console.show(lines: report.conclusion)
    if report.differs { console.note(.differs) }
  }

  // MARK: Steps

  private func perform(
    _ step: MigrationWorkflow.Step, _ title: String, backup: String? = nil, mayDiffer: Bool = false
  ) -> Bool? {
    console.show(lines: [title])
    guard console.mayGoOn else { return nil }
    return perform(workflow.command(for: step, backup: backup), mayDiffer: mayDiffer)
  }

  /// Runs a step and returns whether all of it was done; nil if nothing may follow.
  private func perform(_ command: NextCommand, mayDiffer: Bool) -> Bool? {
    let status = steps.run(command, adding: console.stepOptions).status
    console.note(status)
    guard status <= (mayDiffer ? .differs : .done), console.mayGoOn else { return nil }
    return status == .done
  }
}
