import ArgumentParser
import Diagnostics
import Foundation
import MigrationCore

@testable import CommandLineSupport

/// A command that runs others as steps, here in the process of the tests, so that something can happen
/// before and after each of them. The steps are the built commands.
final class SteppedRun {
  /// Is told of each step, and runs it by calling what it is given.
  typealias Around = (NextCommand, () throws -> Step.Ending) throws -> Step.Ending

  private let streams = StandardStreams(ofStep: .collected)
  private let console: Console
  private let around: Around
  private var said = ""

  private init(_ name: String, _ around: @escaping Around) throws {
    self.around = around
    console = Console(
      tool: name, arguments: [], options: try ReportingOptions.parse([]), carriesData: false,
      streams: streams)
  }

  static func migrating(
    _ options: MigrationOptions, profile: String? = nil, around: @escaping Around
  ) throws -> CommandRun {
    let run = try SteppedRun("migrate-folder", around)
    return try run.ended {
      try Migration(
        options, profile: profile, lockTimeout: 10, run.console, by: run.step
      ).run(isDryRun: false)
    }
  }

  static func recovering(_ folder: String, around: @escaping Around) throws -> CommandRun {
    let run = try SteppedRun("recover-folder", around)
    return try run.ended {
      var recovery = try Recovery(
        RecoveryOptions(folder: folder), lockTimeout: 10, run.console, by: run.step)
      try recovery.run(isApplying: true)
    }
  }

  static func rollingBack(
    _ folder: String, to backup: String, profile: String? = nil, around: @escaping Around
  ) throws -> CommandRun {
    let run = try SteppedRun("rollback-folder", around)
    return try run.ended {
      var rollback = try Rollback(
        RollbackOptions(folder: folder, backup: backup), profile: profile, lockTimeout: 10,
        run.console, by: run.step)
      try rollback.run()
    }
  }

  private func ended(_ body: () throws -> Void) throws -> CommandRun {
    do { try body() } catch { console.fail(error) }
    let status = console.finish().rawValue
    return CommandRun(
      status: status, signal: nil, output: String(decoding: streams.output.kept, as: UTF8.self),
      errors: said)
  }

  private func step(_ command: NextCommand, _ output: Step.Output) -> Step.Ending {
    do {
      return try around(command) {
        let run = try CommandTests.run(
          BuiltCommands.directory.appending(path: command.name.rawValue), command.arguments,
          input: nil)
        said += run.output + run.errors
        return Step.Ending(
          status: ExitStatus(rawValue: run.status) ?? .internalError,
          output: Array(run.output.utf8))
      }
    } catch {
      said += "\(error)"
      return Step.Ending(status: .internalError, output: [])
    }
  }
}

extension Step.Ending {
  /// That of a step that failed.
  static func failed(_ status: ExitStatus) -> Step.Ending {
    Step.Ending(status: status, output: [])
  }
}
