import Diagnostics
import Folders
package import MigrationCore
import Runs

/// Shows the plan of a recovery and carries it out, a command for each step.
///
/// The steps are commands, as the plan shows them: each takes the lock and leaves every file as it was
/// or done, wherever it is killed.
package struct Recovery {
  private let options: RecoveryOptions
  private let console: Console
  private let steps: StepRunner
  private var workflow: RecoveryWorkflow
  /// The path of the backup that was made before anything is changed.
  private var made: String?

  /// Finds the folder; nothing is looked at yet.
  package init(
    _ options: RecoveryOptions, profile: String? = nil, lockTimeout: Int, _ console: Console,
    by runStep: @escaping Step.Runner
  ) throws {
    self.options = options
    self.console = console
    steps = StepRunner(console, lockTimeout: lockTimeout, by: runStep)
    let context = try console.context(profile: profile, lockTimeout: lockTimeout)
    Interruption.listen(to: [Interruption.hangUp])
    workflow = try RecoveryWorkflow(options, context: context)
    SystemCalls.keepPrivate(as: try workflow.permissions())
  }

  /// Shows what is wrong and, if it is applied, puts it right.
  package mutating func run(isApplying: Bool) throws {
    var report = try workflow.look()
    guard report.steps.isEmpty || isApplying else {
      report.isDryRun = true
      if console.isReadAsItComes {
        console.show(lines: report.plan + [invitation(report)])
        console.note(.differs)
      } else {
        console.show(report)
      }
      return
    }
    var before: [RecoveryStep] = []
    while !report.steps.isEmpty, report.steps != before, console.mayGoOn {
      before = report.steps
      console.show(lines: report.plan)
      // An interrupted restore lets nobody read the folder as it was: it is finished first.
      if made == nil, !report.steps.contains(where: \.finishesRestore) {
        made = steps.backUp(
          report.folder, in: options.backupDirectory, told: workflow.kinds.options)
        guard made != nil else { return }
        // What has come back by itself meanwhile is in that backup: whatever comes later stops the
        // restore.
        if report.status.map({ [.empty, .unknown].contains($0.status) }) ?? false {
          report = try workflow.look(after: made)
          continue
        }
      }
      for (number, step) in report.steps.enumerated() {
        console.show(lines: ["step \(number + 1)"])
        guard console.mayGoOn else { return }
        guard try perform(step) else { return }
      }
      report = try workflow.look(after: made)
    }
    try conclude(report)
  }

  /// Does a step; false, and its status is ours, if it failed. What it leaves out is found by the next
  /// look.
  private func perform(_ step: RecoveryStep) throws -> Bool {
    guard case .run(let command) = step.action else {
      try workflow.perform(step.action)
      return true
    }
    let status = steps.run(command).status
    if status > .differs { console.note(status) }
    return status <= .differs && console.mayGoOn
  }

  private func invitation(_ report: RecoveryReport) -> String {
    let command = NextCommand(
      .recoverFolder,
      [report.folder] + workflow.kinds.options
        + NextCommand.options(backupDirectory: options.backupDirectory)
        + NextCommand.options(numericDates: options.numericDates) + ["--apply"])
    return "Nothing was changed. To do it, after a backup: \(command.shellText)"
  }

  private func conclude(_ report: RecoveryReport) throws {
    var report = report
    try workflow.addDifferences(to: &report)
    guard console.isReadAsItComes else { return console.show(report) }
    let decisions = report.decisions
    if !decisions.isEmpty, var verification = report.verification {
      verification.findings = (verification.findings + report.findings).inReportOrder()
      console.show(verification, .brief)
    }
    console.show(lines: decisions + report.comparison + report.standing)
    if report.differs { console.note(.differs) }
  }
}
