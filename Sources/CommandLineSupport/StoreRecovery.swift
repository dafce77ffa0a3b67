import Diagnostics
import Folders
package import MigrationCore
import Runs

/// Shows the plan of a recovery of stores and carries it out, a command for each step.
///
/// The first step of each store keeps its files as they are. No step is remembered: what was done is
/// found done by the next look.
package struct StoreRecovery {
  private let options: RecoveryOptions
  private let console: Console
  private let steps: StepRunner
  private let workflow: StoreRecoveryWorkflow
  private let profileOptions: [String]

  /// Finds the stores; nothing is looked at yet. Nil if the path is that of a folder.
  package init?(
    _ options: RecoveryOptions, profile: String? = nil, lockTimeout: Int, _ console: Console,
    by runStep: @escaping Step.Runner
  ) throws {
    let context = try console.context(profile: profile, lockTimeout: lockTimeout)
    guard let workflow = try StoreRecoveryWorkflow(options, context: context) else { return nil }
    (self.options, self.console, self.workflow) = (options, console, workflow)
    profileOptions = context.kinds.options
    steps = StepRunner(console, lockTimeout: lockTimeout, by: runStep)
    Interruption.listen(to: [Interruption.hangUp])
  }

  /// Shows what is wrong and, if it is applied, puts it right.
  package func run(isApplying: Bool) throws {
    var report = try workflow.look()
    guard report.steps.isEmpty || isApplying else {
      report.isDryRun = true
      guard console.isReadAsItComes else { return console.show(report) }
      console.show(report, invitation(report))
      return
    }
    var before: [RecoveryStep] = []
    while !report.steps.isEmpty, report.steps != before, console.mayGoOn {
      before = report.steps
      console.show(lines: report.plan)
      for (number, step) in report.steps.enumerated() {
        console.show(lines: ["step \(number + 1)"])
        guard console.mayGoOn, perform(step) else { return }
      }
      report = try workflow.look()
    }
    if isApplying, !report.isInRestore { try workflow.sweep() }
    console.show(report)
  }

  /// Does a step; false, and its status is ours, if it failed or nothing may follow.
  private func perform(_ step: RecoveryStep) -> Bool {
    guard case .run(let command) = step.action else { return true }
    let status = steps.run(command).status
    if status > .differs { console.note(status) }
    return status <= .differs && console.mayGoOn
  }

  private func invitation(_ report: StoreRecoveryReport) -> String {
    let command = NextCommand(
      .recoverFolder,
      [report.place] + profileOptions
        + NextCommand.options(backupDirectory: options.backupDirectory)
        + ["--apply"])
    return "Nothing was changed. To do it: \(command.shellText)"
  }
}

extension Console {
  /// Shows a report, and a line behind it.
  fileprivate func show(_ report: some ReadableReport, _ line: String) {
    show(report)
    show(lines: [line])
  }
}
