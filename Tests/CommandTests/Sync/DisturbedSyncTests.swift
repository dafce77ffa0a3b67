import Foundation
import Testing

/// Connections that are cut after any byte, sides that say what no side says, and sides that die.
///
/// A few points of each; all of them with `AUTOMERGE_MIGRATE_SLOW=1`.
@Suite struct DisturbedSyncTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil

  /// Places in so many bytes: the first ones, where the sides greet each other, and some of the rest.
  private static func points(in count: Int, few: Int) -> [Int] {
    guard !isSlow else { return Array(0..<count) }
    let step = max(1, count / few)
    return [0, 5, 9] + Array(stride(from: 20, to: count, by: step))
  }

  /// What both sides say, in a sync of which nothing is disturbed.
  private struct Talk {
    let folders: SyncedFolders
    let changes: [[String: Set<String>]]
    let ofServer: [UInt8]
    let ofClient: [UInt8]

    init() throws {
      folders = try SyncedFolders()
      changes = try [folders.one, folders.two].map(SyncedFolders.changes)
      let copy = try folders.copied()
      let place = copy.place.url.path
      let run = try copy.sync(
        through: "tee '\(place)/client' | \(copy.server) | tee '\(place)/server'")
      #expect(run.status == 0, "\(run.errors)")
      ofServer = Array(try Data(contentsOf: copy.place.url.appending(path: "server")))
      ofClient = Array(try Data(contentsOf: copy.place.url.appending(path: "client")))
    }

    /// Whether both folders have all that they had, and nothing that neither had.
    func expectNothingLost(in copy: SyncedFolders, _ comment: Comment) throws {
      let all = changes[0].merging(changes[1]) { $0.union($1) }
      for (folder, before) in zip([copy.one, copy.two], changes) {
        let now = try SyncedFolders.changes(of: folder)
        for (path, changes) in before {
          #expect(now[path]?.isSuperset(of: changes) == true, comment)
        }
        for (path, changes) in now { #expect(all[path]?.isSuperset(of: changes) == true, comment) }
      }
    }
  }

  @Test func `a connection may be cut after any byte of either side`() throws {
    let talk = try Talk()
    for (name, bytes) in [("server", talk.ofServer), ("client", talk.ofClient)] {
      for count in Self.points(in: bytes.count, few: 14) {
        let copy = try talk.folders.copied()
        let cut = "dd bs=1 count=\(count) status=none"
        // The shell keeps open what was cut, until the server has waited in vain.
        let run = try copy.sync(
          through: name == "server"
            ? "\(copy.server) --timeout 1 | \(cut)" : "\(cut) | \(copy.server)")
        // Of a last word that is cut the first side may not know.
        #expect([0, 65, 74].contains(run.status), "\(name) \(count): \(run.status) \(run.errors)")
        try talk.expectNothingLost(in: copy, "\(name) \(count)")
        let next = try copy.sync()
        #expect(next.status == 0, "\(name) \(count): \(next.output)\(next.errors)")
        #expect(try copy.areEqual(), "\(name) \(count)")
      }
    }
  }

  @Test func `a side that lies makes nothing trap, and nothing lost`() throws {
    let talk = try Talk()
    // A digit of a month, too: what is said of one document must not come into another.
    let path = Array("records/2024/03".utf8)
    let month = try #require(
      talk.ofServer.indices.first { talk.ofServer[$0...].starts(with: path) })
    let points = Self.points(in: talk.ofServer.count, few: 40)
    for (index, position) in (points + [month + path.count - 1]).enumerated() {
      var bytes = talk.ofServer
      bytes[position] ^= UInt8(truncatingIfNeeded: 1 << (index % 8))
      let copy = try talk.folders.copied()
      let file = copy.place.url.appending(path: "said")
      try Data(bytes).write(to: file)
      let run = try copy.sync(
        through: "cat '\(file.path)' & cat >/dev/null; wait", "--timeout", "5")
      #expect(run.signal == nil && run.status != 70, "\(position): \(run.status) \(run.errors)")
      try talk.expectNothingLost(in: copy, "server, byte \(position)")
    }
    for (index, position) in Self.points(in: talk.ofClient.count, few: 40).enumerated() {
      var bytes = talk.ofClient
      bytes[position] ^= UInt8(truncatingIfNeeded: 1 << (index % 8))
      let copy = try talk.folders.copied()
      let file = copy.place.url.appending(path: "said")
      try Data(bytes).write(to: file)
      let run = try runInShell(
        "exec \"$0\" --serve '\(copy.two.path)' <'\(file.path)' >/dev/null", "sync-folder")
      #expect(run.signal == nil && run.status != 70, "\(position): \(run.status) \(run.errors)")
      try talk.expectNothingLost(in: copy, "client, byte \(position)")
    }
  }

  @Test func `what was recorded can be said again, and is taken once`() throws {
    let talk = try Talk()
    let copy = try talk.folders.copied()
    let file = copy.place.url.appending(path: "said")
    try Data(talk.ofServer).write(to: file)
    let run = try copy.sync(through: "cat '\(file.path)' & cat >/dev/null; wait")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    let all = talk.changes[0].merging(talk.changes[1]) { $0.union($1) }
    #expect(try SyncedFolders.changes(of: copy.one) == all)
    // Whoever says it was not there; the folder behind it has nothing new.
    #expect(try SyncedFolders.changes(of: copy.two) == talk.changes[1])
  }

  #if os(Linux)
    @Test func `a watch syncs what changes on either side, and outlives the other one`() throws {
      let folders = try SyncedFolders()
      let watch = try RunningCommand(
        BuiltCommands.directory.appending(path: "sync-folder"),
        [folders.one.path, folders.two.path, "--watch", "--brief"])
      try watch.input.close()
      try wait(watch) { try folders.areEqual() }
      try folders.edit("hier", in: folders.one)
      try wait(watch) { try folders.areEqual() }
      let server = try #require(try watch.descendant(named: "sync-folder"))
      server.send(SIGKILL)
      try folders.edit("dort", in: folders.two)
      try wait(watch) { try folders.areEqual() }
      #expect(try watch.errorsSoFar().contains("the connection ended"))
      watch.send(SIGTERM)
      let run = try watch.wait()
      #expect(run.signal == SIGTERM, "\(run.status) \(run.output)\(run.errors)")
      #expect(try folders.areEqual())
    }

    private func wait(_ command: RunningCommand, until isTrue: () throws -> Bool) throws {
      let end = Date(timeIntervalSinceNow: 60)
      while try !isTrue() {
        guard command.isRunning, Date() < end else {
          Issue.record("\(try command.outputSoFar())\(try command.errorsSoFar())")
          throw CancellationError()
        }
        usleep(100_000)
      }
    }
  #endif
}
