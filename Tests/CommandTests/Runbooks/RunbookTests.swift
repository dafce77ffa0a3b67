import Foundation
import Testing

/// Runbooks are followed when something is wrong, so nothing in them may be.
@Suite struct RunbookTests {
  /// `UPDATE_GOLDEN=1 swift test --filter RunbookTests` puts today's output into the runbooks; what a
  /// page leaves out with `...` stays left out where the rest is right.
  @Test(arguments: Runbook.executable + Runbook.guides)
  func `every command of a runbook does what the page says`(name: String) throws {
    var runbook = try Runbook(name)
    #expect(!runbook.commands.isEmpty, "\(name) holds no command")
    var pages: [(range: Range<Int>, lines: [String])] = []
    for example in runbook.examples {
      guard let situation = RunbookSituation.all[example.situation] else {
        Issue.record("\(name):\(example.line): no such situation: \(example.situation)")
        continue
      }
      let sandbox = try RunbookSandbox()
      try situation(sandbox)
      var names = RunbookNames(home: sandbox.home)
      for step in example.steps {
        let run = try sandbox.run(names.typed(step.command))
        let output = Self.lines(names.shown(run.output))
        #expect(run.status != 127, "\(name):\(step.line): no such command: \(step.command)")
        let isAsSaid = run.status == step.status && step.matches(output)
        if Self.isUpdating {
          if !isAsSaid {
            pages.append((step.outputRange, step.page(of: output, status: run.status)))
          }
        } else if !isAsSaid {
          let printed = step.page(of: output, status: run.status).joined(separator: "\n")
          Issue.record("\(name):\(step.line): $ \(step.command)\nprinted:\n\(printed)")
        }
      }
    }
    for page in pages.reversed() { runbook.lines.replaceSubrange(page.range, with: page.lines) }
    if !pages.isEmpty { try runbook.write() }
  }

  @Test(arguments: Runbook.names)
  func `every runbook has the same sections`(name: String) throws {
    let runbook = try Runbook(name)
    #expect(runbook.headings == Runbook.headings, "\(name)")
    #expect(runbook.defects.isEmpty, "\(runbook.defects.joined(separator: "\n"))")
  }

  /// A command that is mentioned may be its name alone; with more it must be one that was executed,
  /// word for word, or a part of it.
  @Test(arguments: Runbook.names + ["README.md"])
  func `no runbook names a command line that is not executed`(name: String) throws {
    let runbook = try Runbook(name)
    let executed = try name == "README.md" ? Self.allCommands() : runbook.commands
    let commands = Set(BuiltCommands.names)
    for (index, line) in runbook.lines.enumerated() {
      for span in line.matches(of: /`([^`]+)`/).map({ String($0.1) }) {
        let words = span.split(separator: " ").map(String.init)
        guard let first = words.first, words.count > 1, commands.contains(first) else { continue }
        let isExecuted = executed.contains { command in
          let typed = command.split { $0 == " " || $0 == "\n" }.map(String.init)
          return typed.contains(first) && words.allSatisfy(typed.contains)
        }
        #expect(isExecuted, "\(name):\(index + 1): `\(span)` is not executed")
      }
    }
  }

  @Test func `every situation is shown by a runbook`() throws {
    let shown = Set(
      try (Runbook.names + Runbook.guides).flatMap { try Runbook($0).examples.map(\.situation) })
    #expect(shown == Set(RunbookSituation.all.keys))
  }

  private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"

  private static func allCommands() throws -> [String] {
    try Runbook.names.flatMap { try Runbook($0).commands }
  }

  private static func lines(_ output: String) -> [String] {
    var lines = output.components(separatedBy: "\n")
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
