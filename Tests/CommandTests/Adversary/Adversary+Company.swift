import FileFaults
import Foundation
import Testing

// Commands in pairs and threes, on one folder and on several that share their backups, while a sync
// service carries files between two of them.
extension Adversary {
  /// What is there besides the folder: one that a sync service keeps equal to it, one that has its
  /// name and shares its backups, and, in time, a backup restored elsewhere.
  private enum Companion: String, CaseIterable {
    case replica = "Laptop/App"
    case neighbour = "Neighbour/App"
    case copy = "Copy"
  }

  /// Brings in the others.
  func gather() throws {
    let own = folder
    for companion in [Companion.replica, .neighbour] {
      folder = place.url.appending(path: companion.rawValue)
      try makeFolder()
    }
    folder = own
    sharesBackups = true
    peer = SyncPeer(between: own, and: place.url.appending(path: Companion.replica.rawValue))
  }

  /// One edit, or two or three commands at once.
  func stepInCompany() throws {
    let own = folder
    defer { folder = own }
    switch random.number(below: 8) {
    case 0...2:
      folder = anyFolder()
      try edit()
    case 3 where newestBackup != nil: try runElsewhere()
    default:
      peer?.start()
      defer { peer?.stop() }
      try runTogether()
    }
  }

  /// Brings everything to rest, one after the other.
  func settleCompany() throws {
    let own = folder
    defer { folder = own }
    for path in [own.path] + Companion.allCases.map({ place.url.appending(path: $0.rawValue).path })
    where FileManager.default.fileExists(atPath: path) {
      folder = URL(filePath: path)
      try settle()
    }
  }

  /// The folder is moved, a command runs on it there, and it comes back; or a backup is restored
  /// elsewhere.
  private func runElsewhere() throws {
    let copy = place.url.appending(path: Companion.copy.rawValue)
    if let newestBackup, !FileManager.default.fileExists(atPath: copy.path) {
      try run(["restore-backup", newestBackup, "--into", copy.path])
      return
    }
    let own = folder
    folder = place.url.appending(path: "Moved")
    tell("the folder is moved")
    try FileManager.default.moveItem(at: own, to: folder)
    try runTogether(among: [folder])
    tell("and back")
    try FileManager.default.moveItem(at: folder, to: own)
    folder = own
  }

  private func runTogether(among folders: [URL] = []) throws {
    let count = 2 + random.number(below: 2)
    let own = folder
    var running: [(words: [String], command: RunningCommand, end: UInt32?)] = []
    for _ in 1...count {
      folder = folders.first ?? anyFolder()
      let words = anyCommand()
      let pause = random.number(below: words[0].hasSuffix("-folder") ? 600_000 : 80_000)
      tell("\(told(words)) begins")
      running.append(
        (words, try start(words, room: nil), random.isOne(in: 4) ? UInt32(pause) : nil))
      usleep(UInt32(random.number(below: 30_000)))
    }
    folder = own
    if random.isOne(in: 2) {
      tell("meanwhile:")
      counts.edits += 1
      try edit()
    }
    for one in running {
      guard let end = one.end else { continue }
      usleep(end)
      one.command.sendToAll(SIGKILL)
    }
    for one in running {
      try expectUsual(try one.command.wait(), told(one.words), mayBeKilled: one.end != nil)
    }
    counts.accompanied += count
  }

  private func anyFolder() -> URL {
    let companions = Companion.allCases.map { place.url.appending(path: $0.rawValue) }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
    return random.isOne(in: 2) ? folder : companions[random.number(below: companions.count)]
  }
}
