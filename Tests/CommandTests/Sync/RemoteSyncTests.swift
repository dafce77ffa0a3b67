import Foundation
import Testing

#if os(Linux)
  private let hasNetworkTools = ["/usr/sbin/sshd", "/usr/sbin/ip", "/usr/bin/socat"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Two folders on two hosts: both are this machine, reached over the network.
  @Suite(
    .serialized,
    .enabled(
      if: geteuid() == 0 && hasNetworkTools,
      "as root, with sshd, ip and socat"))
  struct RemoteSyncTests {
    private let command = BuiltCommands.directory.appending(path: "sync-folder")

    @Test func `folders are synced over ssh`() throws {
      let host = try LoopbackHost()
      let folders = try SyncedFolders()
      // A name that a shell of the other host would take apart.
      let two = folders.place.url.appending(path: "It's two")
      try FileManager.default.moveItem(at: folders.two, to: two)
      let server = "'\(command.path)' --serve 'It'\\''s two'"
      let words =
        [folders.one.path, "--json", "--"] + host.ssh.split(separator: " ").map(String.init)
        + [LoopbackHost.name, "cd '\(folders.place.url.path)' && \(server)"]
      let run = try CommandTests.run(command, words, input: nil)
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      #expect(run.summary?["other"] as? String == "It's two")
      #expect(try SyncedFolders.heads(of: folders.one) == SyncedFolders.heads(of: two))
      #expect(try SyncedFolders.images(in: folders.one) == SyncedFolders.images(in: two))
      host.stop()
      let gone = try CommandTests.run(command, words, input: nil)
      #expect(gone.status == 74, "\(gone.output)\(gone.errors)")
      #expect(gone.errors.contains("ended with status 255 and said nothing"), "\(gone.errors)")
    }

    @Test func `a link that is cut in the middle is told, and the next run completes the work`()
      throws
    {
      let link = try #require(try NetworkLink(), "namespaces of the network are not allowed here")
      let folders = try SyncedFolders()
      let file = folders.one.appending(path: "records/2024/01/large.jpg")
      // More than pipes and sockets hold.
      try Data(repeating: 7, count: 24 << 20).write(to: file)
      let before = try [folders.one, folders.two].map(SyncedFolders.changes)
      let server = try link.there(
        "exec socat TCP-LISTEN:7007,reuseaddr,fork EXEC:\"'\(command.path)' --serve '\(folders.two.path)' --timeout 120\",nofork"
      )
      defer { server.sendToAll(SIGKILL) }
      func client(patience: Int) throws -> RunningCommand {
        try link.here(
          "exec '\(command.path)' '\(folders.one.path)' --timeout \(patience) -- socat - TCP:\(link.address):7007,connect-timeout=2,retry=20,interval=0.1"
        )
      }
      let cut = try client(patience: 3)
      let answering = try #require(try server.descendant(named: "sync-folder"))
      try answering.waitUntilListening(to: SIGTERM)
      answering.send(SIGSTOP)
      usleep(300_000)
      try link.cut()
      answering.send(SIGCONT)
      let run = try cut.wait()
      #expect(run.status == 74, "\(run.status) \(run.output)\(run.errors)")
      for (folder, changes) in zip([folders.one, folders.two], before) {
        let now = try SyncedFolders.changes(of: folder)
        #expect(changes.allSatisfy { now[$0.key]?.isSuperset(of: $0.value) == true })
      }
      try link.mend()
      let next = try client(patience: 120).wait()
      #expect(next.status == 0, "\(next.status) \(next.output)\(next.errors)")
      #expect(try folders.areEqual())
    }
  }

  /// Two namespaces of the network, with one link between them.
  private final class NetworkLink {
    let address: String
    private let names: [String]
    private let devices: [String]

    /// Nil where they are not allowed.
    init?() throws {
      let number = Int(getpid()) % 10_000
      names = ["here", "there"].map { "sync\($0)\(number)" }
      devices = ["sa\(number)", "sb\(number)"]
      let net = "10.213.\(number % 250)"
      address = "\(net).2"
      guard try Self.ip(["netns", "add", names[0]]) else { return nil }
      let isMade = try [
        ["netns", "add", names[1]],
        ["link", "add", devices[0], "type", "veth", "peer", "name", devices[1]],
        ["link", "set", devices[0], "netns", names[0]],
        ["link", "set", devices[1], "netns", names[1]],
        ["-n", names[0], "address", "add", "\(net).1/24", "dev", devices[0]],
        ["-n", names[1], "address", "add", "\(net).2/24", "dev", devices[1]],
        ["-n", names[0], "link", "set", devices[0], "up"],
        ["-n", names[1], "link", "set", devices[1], "up"],
      ].allSatisfy(Self.ip)
      guard isMade else { return nil }
    }

    deinit {
      // What is left of them goes with the machine.
      for name in names { _ = try? Self.ip(["netns", "delete", name]) }
    }

    func here(_ script: String) throws -> RunningCommand { try run(names[0], script) }

    func there(_ script: String) throws -> RunningCommand { try run(names[1], script) }

    private func run(_ name: String, _ script: String) throws -> RunningCommand {
      let command = try RunningCommand(
        URL(filePath: "/usr/sbin/ip"), ["netns", "exec", name, "/bin/sh", "-c", script])
      try command.input.close()
      return command
    }

    func cut() throws { #expect(try Self.ip(["-n", names[0], "link", "set", devices[0], "down"])) }

    func mend() throws { #expect(try Self.ip(["-n", names[0], "link", "set", devices[0], "up"])) }

    private static func ip(_ arguments: [String]) throws -> Bool {
      try CommandTests.run(URL(filePath: "/usr/sbin/ip"), arguments, input: nil).status == 0
    }
  }
#endif
