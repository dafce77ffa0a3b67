import Diagnostics
import Folders
package import MigrationCore
import Runs

/// Turns documents back into the JSON the app read before, a command for each step.
///
/// Everything is made and proven on a copy beside the folder; the last step puts it in place. Wherever it
/// is killed before that step, the next run begins anew; after that it finishes what was begun.
package struct Rollback {
  private let console: Console
  private let steps: StepRunner
  private let options: RollbackOptions
  private var workflow: RollbackWorkflow
  /// The command that failed, and so ended the run.
  private var failed: NextCommand.Name?

  /// Finds the folder and the backup; nothing else is looked at yet.
  package init(
    _ options: RollbackOptions, profile: String? = nil, lockTimeout: Int, _ console: Console,
    by runStep: @escaping Step.Runner
  ) throws {
    self.options = options
    self.console = console
    steps = StepRunner(console, lockTimeout: lockTimeout, by: runStep)
    let context = try console.context(profile: profile, lockTimeout: lockTimeout)
    Interruption.listen(to: [Interruption.hangUp])
    workflow = try RollbackWorkflow(options, context: context)
    SystemCalls.keepPrivate(as: try workflow.permissions())
  }

  /// Looks at the folder, and rolls it back if there is something to roll back.
  package mutating func run() throws {
    try workflow.claim()
    var decision = try workflow.look()
    if decision.course == .finishing {
      console.show(lines: ["finish what was interrupted"])
      guard console.mayGoOn else { return }
      guard try perform(.run(workflow.finishing, isSilent: false, mayDiffer: false)) else {
        return tellStop(of: decision, isSettled: true)
      }
      // Unless it was another restore, that somebody began since, there is no document left.
      decision = try workflow.look(hasFinished: true)
    }
    guard decision.course == .rollingBack else { return try conclude(decision) }
    try workflow.begin()
    do {
      guard try !rollBack() else { return }
      tellStop(of: decision, isSettled: try workflow.removeUnlessSettled())
    } catch {
      // What cannot be removed now the next run removes.
      _ = try? workflow.removeUnlessSettled()
      throw error
    }
  }

  /// Does all steps; false if one of them failed, or nothing may follow.
  private mutating func rollBack() throws -> Bool {
    // Another run may have been done by the time that this one could begin.
    let decision = try workflow.look()
    guard decision.course == .rollingBack else {
      try conclude(decision)
      return true
    }
    let backup = steps.backUp(
      workflow.folder, in: options.backupDirectory, told: workflow.kinds.options,
      title: "back up the folder as it is now")
    guard let backup else {
      failed = .packBackup
      return false
    }
    for step in workflow.steps(decision, after: backup) {
      guard console.mayGoOn, try perform(step) else { return false }
    }
    try conclude(decision)
    return true
  }

  /// Does a step; false, and its status is ours, if it failed.
  private mutating func perform(_ step: RollbackStep) throws -> Bool {
    switch step {
    case .say(let title): console.show(lines: [title])
    case .act(let action): try workflow.perform(action)
    case .putInPlace(let command):
      return try perform(.run(command, isSilent: false, mayDiffer: false))
    case .run(let command, let isSilent, let mayDiffer):
      let ending = steps.run(
        command, adding: isSilent ? console.silentStepOptions : console.stepOptions)
      guard ending.status <= (mayDiffer ? .differs : .done) else {
        console.note(ending.status)
        failed = command.name
        return false
      }
      // That something differs is an answer; that something was not looked at is none.
      if !ending.hasSeenAll { throw workflow.unseen }
    }
    return true
  }

  /// Tells which command has stopped it, unless somebody asked for that.
  private func tellStop(of decision: RollbackDecision, isSettled: Bool) {
    guard let failed, console.mayGoOn else { return }
    console.show(workflow.report(onFailureOf: failed, isSettled: isSettled, decision))
  }

  /// Tells what became of it, then removes the work: until then the next run would tell it.
  private mutating func conclude(_ decision: RollbackDecision) throws {
    var report = try workflow.report(on: decision)
    let isRemoved = workflow.removeContent(telling: &report)
    console.show(report)
    // Nobody has read it: the next run tells it.
    if console.isReportLost || !isRemoved { return }
    do { try workflow.removeWork() } catch {
      console.tell(error)
      console.note(ExitStatus(error))
    }
  }
}
