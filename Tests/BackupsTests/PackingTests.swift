import Backups
import Diagnostics
import Foundation
import SafeFiles
import Testing

@Suite struct PackingTests {
  @Test(arguments: [false, true])
  func `a backup holds everything but the lock and our own state`(isCompressed: Bool) throws {
    let place = try BackupPlace.sample()
    let backup = try place.pack(isCompressed: isCompressed)
    let paths = (0..<backup.manifest.count).map { backup.manifest[$0].path.description }
    #expect(Set(paths) == Set(try place.snapshot().keys))
    #expect(paths.count == Set(paths).count)
    for (path, content) in try place.snapshot() {
      let place = try #require(RelativePath(path))
      let entry = try #require(backup.manifest.entry(at: place))
      switch entry.kind {
      case .file:
        #expect(entry.hash == ContentHash(of: Array(content.utf8)))
        #expect(try backup.contents(of: entry.path) == Array(content.utf8))
      case .directory: #expect(content == "/")
      case .link: #expect(content == "-> " + String(decoding: entry.target ?? [], as: UTF8.self))
      case .special: Issue.record("\(path)")
      }
    }
    #expect(backup.manifest.summary.holdsLegacyFiles)
    #expect(backup.manifest.summary.created == "2026-01-06T12:00:00Z")
    let again = try backup.archive.verify()
    #expect(again.manifest.summary == backup.manifest.summary)
    #expect(try backup.firstDifference(from: place.folder()) == nil)
  }

  @Test(arguments: ["tar", "bsdtar"], [false, true])
  func `other programs extract it`(program: String, isCompressed: Bool) throws {
    let place = try BackupPlace.sample()
    let long = String(repeating: "long-", count: 30)
    try place.write("long name", to: "\(long)/\(long)/\(long).txt")
    try place.write("split name", to: "\(String(long.prefix(90)))/\(String(long.prefix(90)))")
    try place.write("decomposed", to: "cafe\u{301}.txt")
    try place.write("composed", to: "caf\u{e9}s.txt")
    try FileManager.default.createSymbolicLink(
      atPath: place.folderPath + "/long-link",
      withDestinationPath: String(repeating: "somewhere/", count: 20))
    let backup = try place.pack(isCompressed: isCompressed)
    let target = place.root + "/extracted"
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    let (status, output) = try runTool([program, "-xf", backup.archive.path, "-C", target])
    #expect(status == 0, "\(output)")
    #expect(output == "")
    var extracted = try BackupPlace.snapshot(of: target)
    #expect(extracted.removeValue(forKey: "manifest.json")?.hasPrefix("{\"schema\"") ?? false)
    #expect(extracted == (try place.snapshot()))
  }

  @Test func `modes and times are those of the folder`() throws {
    let place = try BackupPlace(["a": "x"])
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640, .modificationDate: Date(timeIntervalSince1970: 1_500_000_000.25)],
      ofItemAtPath: place.folderPath + "/a")
    let entry = try #require(place.pack().manifest.entry(at: "a"))
    #expect(entry.mode == 0o640)
    #expect(entry.modified == FileTime(seconds: 1_500_000_000, nanoseconds: 250_000_000))
    let (_, listing) = try runTool(
      ["tar", "--utc", "--full-time", "-tvf", place.backupsPath + "/" + place.backupNames()[0]])
    #expect(listing.contains("-rw-r-----"))
    #expect(listing.contains("2017-07-14 02:40:00"))
  }

  @Test func `the same folder and time give the same bytes, whatever the number of threads`() throws
  {
    let place = try BackupPlace.sample()
    for number in 0..<3_000 {
      try place.write(String(repeating: "\(number)", count: number % 700), to: "many/\(number)")
    }
    let one = try place.pack(context: BackupContext(workerCount: 1))
    let four = try place.pack(context: BackupContext(workerCount: 4))
    let bytes = try [one, four].map { try Data(contentsOf: URL(filePath: $0.archive.path)) }
    #expect(bytes[0] == bytes[1])
  }

  @Test func `a file larger than a piece is packed whole`() throws {
    let place = try BackupPlace(["small": "x", "z": "after"])
    let large = String(repeating: "0123456789abcde\n", count: 200_000) + "odd"
    try place.write(large, to: "large")
    for isCompressed in [false, true] {
      let backup = try place.pack(isCompressed: isCompressed)
      #expect(try backup.archive.verify().contents(of: "large") == Array(large.utf8))
      #expect(try backup.contents(of: "z") == Array("after".utf8))
    }
  }

  @Test func `an empty folder has an empty backup`() throws {
    let place = try BackupPlace()
    for isCompressed in [false, true] {
      let backup = try place.pack(isCompressed: isCompressed)
      #expect(backup.manifest.count == 0)
      #expect(try backup.archive.verify().manifest.count == 0)
      #expect(try backup.firstDifference(from: place.folder()) == nil)
    }
  }

  @Test func `pipes and sockets are listed and left out`() throws {
    let place = try BackupPlace(["a": "x"])
    try runTool(["mkfifo", place.folderPath + "/pipe"])
    let backup = try place.pack()
    #expect(backup.manifest.entry(at: "pipe")?.kind == .special)
    #expect(backup.manifest.summary.specialCount == 1)
    #expect(try backup.archive.verify().manifest.count == 2)
    #expect(try backup.firstDifference(from: place.folder()) == nil)
    try place.remove("a")
    try place.restore(backup)
    #expect(try place.snapshot() == ["a": "x"])
  }

  @Test func `a backup inside the folder is refused, through a link too`() throws {
    let place = try BackupPlace(["deep/er/x": ""])
    try FileManager.default.createSymbolicLink(
      atPath: place.root + "/elsewhere", withDestinationPath: place.folderPath + "/deep")
    for path in [place.folderPath, place.folderPath + "/deep/er", place.root + "/elsewhere"] {
      var packer = try BackupPacker(
        place.folder(), named: "Minuta", created: FileTime(seconds: 0))
      let target = try Directory.open(path: path)
      let error = #expect(throws: BackupError.self) {
        try packer.pack(into: target, isCompressed: false, names: ["b.tar"] as [FileName])
      }
      #expect(error == .insideFolder(path: path, folder: place.folderPath))
    }
    #expect(try place.snapshot().count == 3)
  }

  @Test(arguments: ["write", "grow", "shrink", "add", "remove", "replace", "rename", "retarget"])
  func `a folder that changes meanwhile gives no backup`(change: String) throws {
    let place = try BackupPlace(["a/f": "before", "a/g": "other"])
    try FileManager.default.createSymbolicLink(
      atPath: place.folderPath + "/link", withDestinationPath: "a")
    for isCompressed in [false, true] {
      try place.write("before", to: "a/f")
      var packer = try BackupPacker(
        place.folder(), named: "Minuta", created: FileTime(seconds: 0))
      switch change {
      case "write": try place.write("AFTER!", to: "a/f")
      case "grow": try place.write("before and after", to: "a/f")
      case "shrink": try place.write("b", to: "a/f")
      case "add": try place.write("new", to: "a/new\(isCompressed)")
      case "remove": try place.remove("a/f")
      case "replace":
        try place.folder().openDirectory("a" as FileName).publish(Array("before".utf8), as: "f")
      case "rename":
        let directory = try place.folder().openDirectory("a" as FileName)
        try directory.move("f", to: directory, as: isCompressed ? "h" : "i")
      default:
        try place.remove("link")
        try FileManager.default.createSymbolicLink(
          atPath: place.folderPath + "/link", withDestinationPath: "b\(isCompressed)")
      }
      let error = #expect(throws: BackupError.self) {
        try packer.pack(
          into: place.backups(), isCompressed: isCompressed, names: ["b.tar"] as [FileName])
      }
      #expect(error?.diagnostic.kind == .busy, "\(String(describing: error))")
      #expect(try place.backupNames() == [])
    }
  }

  @Test func `the app taking its lock meanwhile is no change`() throws {
    let place = try BackupPlace(["a": "x"])
    var packer = try BackupPacker(place.folder(), named: "Minuta", created: FileTime(seconds: 0))
    try place.write("", to: ".minuta.writelock.nosync")
    try place.write("", to: ".automerge-migrate.nosync/history.jsonl")
    let backup = try packer.pack(
      into: place.backups(), isCompressed: false, names: ["b.tar"] as [FileName])
    #expect(backup.manifest.count == 1)
  }

  @Test func `a run that is interrupted publishes nothing`() throws {
    let place = try BackupPlace.sample()
    let context = BackupContext(isInterrupted: { true })
    #expect(throws: BackupError.interrupted) { try place.pack(context: context) }
    #expect(try place.backupNames() == [])
  }

  @Test func `progress ends at the number of entries`() throws {
    let place = try BackupPlace.sample()
    let highest = Highest()
    try place.pack(
      context: BackupContext(reportProgress: { completed, total in
        highest.see(completed)
        #expect(completed <= total)
      }))
    #expect(highest.value == (try place.snapshot().count))
  }
}
