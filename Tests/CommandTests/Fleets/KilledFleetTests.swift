import Foundation
import Testing

@Suite struct KilledFleetTests {
  enum Target: String, CaseIterable { case driver, all, scheduler }

  /// Killed again and again, each run gets further, and the last one finds nothing left.
  @Test(arguments: Target.allCases)
  func `killed at any moment and run again, each folder has one line`(target: Target) throws {
    let place = try FleetPlace(count: 24)
    let program = BuiltCommands.directory.appending(path: "migrate-fleet")
    for step in 1...6 {
      let command = try RunningCommand(program, [place.list, "--jobs", "2"])
      try command.input.close()
      let goal = step * 3
      while command.isRunning, (try? place.lines().count) ?? 0 < goal { usleep(5_000) }
      switch target {
      case .driver: command.send(SIGKILL)
      case .all: command.sendToAll(SIGKILL)
      case .scheduler: try command.descendant(named: "perl")?.send(SIGKILL)
      }
      _ = try command.wait()
    }
    // Jobs that outlive their run still hold a folder: the command waits for them.
    let last = try place.fleet()
    #expect(last.status == 0, "\(last.output)\(last.errors)")
    #expect(try place.lineCounts().count == 24)
    #expect(try place.lineCounts().values.allSatisfy { $0 == 1 })
    #expect(try place.areMigrated())
    #expect(try place.fleet("--json").summary?["ran"] as? Int == 0)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal ends the run, which dies by it, and what ended is kept`(signal: Int32) throws {
    let place = try FleetPlace(count: 24)
    let command = try RunningCommand(
      BuiltCommands.directory.appending(path: "migrate-fleet"), [place.list, "--jobs", "1"])
    try command.input.close()
    while command.isRunning && ((try? place.lines().count) ?? 0) == 0 { usleep(5_000) }
    command.send(signal)
    let run = try command.wait()
    #expect(run.signal == signal, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("run the same command again"), "\(run.errors)")
    let kept = try place.lineCounts().count
    #expect(kept < 24)
    let next = try place.fleet("--json")
    #expect(next.status == 0)
    #expect(next.summary?["ran"] as? Int == 24 - kept)
  }
}
