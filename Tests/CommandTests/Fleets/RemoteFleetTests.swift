import Foundation
import Testing

/// Fleets on other hosts, and on the nodes of a cluster: both are this machine, reached over the network.
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil && geteuid() == 0,
    "set AUTOMERGE_MIGRATE_SLOW=1, as root"))
struct RemoteFleetTests {
  private let program = BuiltCommands.directory.appending(path: BuiltCommands.program).path

  /// Runs a fleet with variables in its environment.
  private func fleet(
    _ place: FleetPlace, _ variables: [String], _ arguments: String...
  ) throws -> RunningCommand {
    let command = BuiltCommands.directory.appending(path: "migrate-fleet").path
    let running = try RunningCommand(
      URL(filePath: "/usr/bin/env"), variables + [command, place.list] + arguments)
    try running.input.close()
    return running
  }

  @Test func `folders are migrated over ssh`() throws {
    let host = try LoopbackHost()
    let place = try FleetPlace(["one", "it's {} $HOME", "né\nw"])
    try Data(place.folders.map { $0.path + "\0" }.joined().utf8)
      .write(to: URL(filePath: place.list))
    let run = try fleet(
      place, ["PARALLEL_SSH=\(host.ssh)"], "-0", "--ssh", LoopbackHost.name, "--program", program,
      "--", "--layout", "per-record"
    ).wait()
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try place.areMigrated())
    #expect(try place.lineCounts().values.elementsEqual([1, 1, 1]))
  }

  @Test func `a host that goes leaves folders to the next run`() throws {
    let host = try LoopbackHost()
    let place = try FleetPlace(count: 6)
    host.stop()
    let run = try fleet(
      place, ["PARALLEL_SSH=\(host.ssh) -o ConnectionAttempts=1"], "--ssh", LoopbackHost.name,
      "--program", program, "--jobs", "2", "--retries", "0", "--json"
    ).wait()
    #expect(run.status == 1)
    #expect((run.summary?["outcomes"] as? [String: Int])?["no-result"] == 6, "\(run.output)")
    #expect(try place.fleet().status == 0)
    #expect(try place.areMigrated())
  }

  @Test func `a job array of Slurm does a fleet, and what it leaves is gathered`() throws {
    let cluster = try SlurmNode()
    let place = try FleetPlace(count: 40)
    try Data("{".utf8).write(to: place.folders[7].appending(path: "tags.json"))
    // The one who waits dies while tasks are at work.
    let killed = try fleet(place, cluster.variables, "--slurm")
    let parts = place.results + ".parts"
    while killed.isRunning && !FileManager.default.fileExists(atPath: parts + "/0.results.jsonl") {
      usleep(20_000)
    }
    killed.send(SIGKILL)
    _ = try killed.wait()
    var next = try fleet(place, cluster.variables, "--slurm", "--json").wait()
    if next.status == 75 { #expect(next.errors.contains("tasks of Slurm are at work")) }
    while next.status == 75 {
      usleep(500_000)
      next = try fleet(place, cluster.variables, "--slurm", "--json").wait()
    }
    #expect(next.status == 1, "\(next.output)\(next.errors)")
    #expect((next.summary?["outcomes"] as? [String: Int])?["done"] == 39, "\(next.output)")
    #expect((next.summary?["outcomes"] as? [String: Int])?["differs"] == 1, "\(next.output)")
    #expect(try place.lineCounts().count == 40)
    #expect(!FileManager.default.fileExists(atPath: parts))
    // And once more, to its end.
    try Data(#"{"tags":[]}"#.utf8).write(to: place.folders[7].appending(path: "tags.json"))
    let last = try fleet(place, cluster.variables, "--slurm", "--retry-failed", "--json").wait()
    #expect(last.status == 0, "\(last.output)\(last.errors)")
    #expect(last.summary?["ran"] as? Int == 1)
    #expect(try place.areMigrated())
  }

  @Test func `without a cluster nothing is run`() throws {
    let place = try FleetPlace(count: 1)
    let run = try fleet(place, ["SLURM_CONF=/nowhere"], "--slurm").wait()
    #expect(run.status == 69, "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: place.results + ".parts"))
  }
}

/// This machine, reached by ssh.
final class LoopbackHost {
  static let name = "loopback"

  private let place: TemporaryDirectory
  private let daemon: Int32

  init() throws {
    place = try TemporaryDirectory()
    let path = place.url.path
    let port = 20_000 + Int(getpid()) % 10_000
    for key in ["host", "user"] {
      let made = try run(
        URL(filePath: "/usr/bin/ssh-keygen"),
        ["-q", "-t", "ed25519", "-N", "", "-f", "\(path)/\(key)"], input: nil)
      guard made.status == 0 else { throw CocoaError(.executableLoad) }
    }
    let settings = """
      Port \(port)
      ListenAddress 127.0.0.1
      HostKey \(path)/host
      AuthorizedKeysFile \(path)/user.pub
      PidFile \(path)/number
      StrictModes no
      UsePAM no
      PermitRootLogin yes
      """
    let client = """
      Host \(Self.name)
        HostName 127.0.0.1
        Port \(port)
        IdentityFile \(path)/user
        UserKnownHostsFile \(path)/known
        StrictHostKeyChecking no
        ConnectionAttempts 20
        LogLevel ERROR
      """
    try Data((settings + "\n").utf8).write(to: place.url.appending(path: "daemon"))
    try Data((client + "\n").utf8).write(to: place.url.appending(path: "client"))
    // Where the daemon leaves its privileges.
    try FileManager.default.createDirectory(atPath: "/run/sshd", withIntermediateDirectories: true)
    // It leaves its parent by itself, and closes what others have open: whoever waits for it as for a
    // process of its own would believe that it has ended.
    let started = try run(
      URL(filePath: "/usr/sbin/sshd"), ["-f", "\(path)/daemon", "-E", "\(path)/log"], input: nil)
    let file = place.url.appending(path: "number")
    var number: Int32?
    for _ in 1...500 where number == nil && started.status == 0 {
      // The daemon writes it some time after its parent has ended.
      let text = try? String(contentsOf: file, encoding: .utf8)
      number = text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
      if number == nil { usleep(10_000) }
    }
    guard let number else { throw CocoaError(.executableLoad) }
    daemon = number
  }

  deinit { stop() }

  /// What reaches it.
  var ssh: String { "ssh -F \(place.url.path)/client" }

  func stop() {
    // It may have inherited that it waits with every other signal.
    kill(daemon, SIGKILL)
  }
}

/// A cluster of this machine.
final class SlurmNode {
  private let place: TemporaryDirectory
  private static let script = BuiltCommands.packageRoot.appending(path: "bin/slurm-node")

  init() throws {
    place = try TemporaryDirectory()
    let started = try run(Self.script, ["start", place.url.path], input: nil)
    guard started.status == 0 else {
      Issue.record("\(started.output)\(started.errors)")
      throw CocoaError(.executableLoad)
    }
  }

  deinit {
    // A daemon that has gone needs no end.
    _ = try? run(Self.script, ["stop", place.url.path], input: nil)
  }

  var variables: [String] { ["SLURM_CONF=\(place.url.path)/slurm.conf"] }
}
