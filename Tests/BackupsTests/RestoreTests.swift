import Backups
import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct RestoreTests {
  @Test(arguments: [false, true])
  func `the folder is what it was, and what was there is set aside`(isCompressed: Bool) throws {
    let place = try BackupPlace.sample()
    let before = try place.snapshot()
    let backup = try place.pack(isCompressed: isCompressed)
    try place.write("edited", to: "tags.json")
    try place.write("new", to: "new/file")
    try place.remove("records")
    let edited = try place.snapshot()
    let outcome = try place.restore(backup)
    #expect(try place.snapshot() == before)
    let aside = try #require(outcome.setAside)
    #expect(aside == ".automerge-migrate.nosync/restore/run/old")
    #expect(try BackupPlace.snapshot(of: place.folderPath + "/\(aside)") == edited)
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: place.folderPath + "/.automerge-migrate.nosync/restore/run") == ["old"])
    #expect(
      FileManager.default.fileExists(atPath: place.folderPath + "/.minuta.writelock.nosync"))
    #expect(try RestorePlace.unfinishedRun(in: place.folder()) == nil)
  }

  @Test func `what earlier restores set aside is looked at, or the sweep ends`() throws {
    let place = try BackupPlace.sample()
    try place.restore(place.pack())
    let all = FaultPlan(atCall: .max, .stop, calls: .openingDirectories)
    try RestoreSweep.removeDebris(in: place.folder(all))
    #expect(all.callCount > 3)
    for number in [EIO, EACCES, EMFILE] {
      // The first one opens the folder.
      for call in 2...all.callCount {
        let plan = FaultPlan(atCall: call, .failure(number), calls: .openingDirectories)
        let folder = try place.folder(plan)
        #expect(throws: FileError.self, "\(number) at \(plan.opened)") {
          try RestoreSweep.removeDebris(in: folder)
        }
      }
    }
  }

  @Test func `modes, times and owners come back`() throws {
    let place = try BackupPlace(["d/f": "x"])
    let folder = try place.folder()
    for (path, mode) in [("d/f", 0o640), ("d", 0o750)] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode, .modificationDate: Date(timeIntervalSince1970: 1_234_567_890.5)],
        ofItemAtPath: place.folderPath + "/" + path)
    }
    let paths: [RelativePath] = ["d", "d/f"]
    let before = try paths.map { try #require(try folder.stateIfPresent(of: $0)) }
    let backup = try place.pack()
    try place.remove("d")
    try place.restore(backup)
    for (path, old) in zip(paths, before) {
      let state = try #require(try folder.stateIfPresent(of: path))
      #expect(state.mode == old.mode)
      #expect(state.modified == old.modified)
      #expect(state.owner == old.owner)
    }
  }

  @Test func `a file does not come back with its owner's rights`() throws {
    let place = try BackupPlace(["f": "x"])
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o4755], ofItemAtPath: place.folderPath + "/f")
    let backup = try place.pack()
    try place.restore(backup)
    #expect(try place.folder().state(of: "f").mode == 0o755)
  }

  @Test func `an empty folder is filled and has nothing to set aside`() throws {
    let place = try BackupPlace.sample()
    let backup = try place.pack()
    let target = try BackupPlace()
    let outcome = try StagedRestore.stage(backup, into: target.folder(), run: "run").commit()
    #expect(outcome.setAside == nil)
    #expect(try target.snapshot() == place.snapshot())
  }

  @Test func `before it is committed nothing of the folder moved`() throws {
    let place = try BackupPlace.sample()
    let backup = try place.pack()
    try place.write("edited", to: "tags.json")
    let before = try place.snapshot()
    let staged = try StagedRestore.stage(backup, into: place.folder(), run: "run")
    #expect(try place.snapshot() == before)
    try staged.discard()
    #expect(try place.snapshot() == before)
    #expect(try RestorePlace.unfinishedRun(in: place.folder()) == nil)
  }

  @Test func `what the app wrote while entries moved in is set aside too`() throws {
    let place = try BackupPlace(["tags.json": "backup"])
    let backup = try place.pack()
    try place.write("before", to: "tags.json")
    try StagedRestore.stage(backup, into: place.folder(), run: "run").makeReady()
    // As if the run had died right after moving out; and then the app came.
    let run = place.folderPath + "/.automerge-migrate.nosync/restore/run"
    try FileManager.default.moveItem(
      atPath: run + "/new", toPath: run + "/incoming")
    try FileManager.default.createDirectory(atPath: run + "/old", withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: place.folderPath + "/tags.json", toPath: run + "/old/tags.json")
    try place.write("app", to: "tags.json")
    #expect(throws: BackupError.self) { try RestorePlace.requireFinished(in: place.folder()) }
    let outcome = try #require(try place.finishRestore())
    #expect(outcome.setAside != nil)
    #expect(try place.snapshot() == ["tags.json": "backup"])
    #expect(
      try BackupPlace.snapshot(of: run)
        == [
          "old": "/", "old/tags.json": "before", "arrived": "/", "arrived/tags.json": "app",
        ])
    #expect(
      outcome.arrived.map(\.description)
        == [".automerge-migrate.nosync/restore/run/arrived/tags.json"])
  }

  @Test func `a name that gets a number behind it is cut between letters`() throws {
    let name = "x" + String(repeating: "é", count: 127)
    let place = try BackupPlace([name: "backup"])
    let backup = try place.pack()
    try StagedRestore.stage(backup, into: place.folder(), run: "run").makeReady()
    // As above: the run died, and the app wrote the file once more.
    let run = place.folderPath + "/.automerge-migrate.nosync/restore/run"
    try FileManager.default.moveItem(atPath: run + "/new", toPath: run + "/incoming")
    try FileManager.default.createDirectory(atPath: run + "/old", withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: place.folderPath + "/" + name, toPath: run + "/old/" + name)
    try place.write("app", to: name)
    // And it was not the first time.
    try FileManager.default.createDirectory(
      atPath: run + "/arrived", withIntermediateDirectories: true)
    try Data("app".utf8).write(to: URL(filePath: run + "/arrived/" + name))
    _ = try #require(try place.finishRestore())
    let names = try Directory.open(path: run + "/arrived").entries().map(\.name)
    #expect(names.count == 2)
    #expect(names.allSatisfy { String(validating: $0.bytes, as: UTF8.self) != nil })
    #expect(names.contains { $0.hasSuffix("é.2") })
  }

  @Test func `an unfinished restore stops the next one and other writers`() throws {
    let place = try BackupPlace(["a": "x"])
    let backup = try place.pack()
    var staged: StagedRestore? = try .stage(backup, into: place.folder(), run: "one")
    try staged?.makeReady()
    let error = #expect(throws: BackupError.self) {
      try StagedRestore.stage(backup, into: place.folder(), run: "two")
    }
    #expect(error?.diagnostic.kind == .busy)
    // Its own process is still alive, so nobody else finishes it.
    #expect(throws: BackupError.self) { try place.finishRestore() }
    staged = nil
    #expect(try place.finishRestore() != nil)
    #expect(try place.finishRestore() == nil)
  }

  @Test func `what was unpacked is nothing to finish until it is ready`() throws {
    let place = try BackupPlace(["a": "backup"])
    let backup = try place.pack()
    try place.write("edited", to: "a")
    _ = try StagedRestore.stage(backup, into: place.folder(), run: "one")
    #expect(try place.finishRestore() == nil)
    #expect(try place.snapshot() == ["a": "edited"])
  }

  @Test func `a restore does not begin in the middle of another that died`() throws {
    let place = try BackupPlace(["a": "backup"])
    let first = try place.pack()
    try place.write("edited", to: "a")
    let second = try place.pack()
    let waiting = try StagedRestore.stage(second, into: place.folder(), run: "two")
    try StagedRestore.stage(first, into: place.folder(), run: "one").makeReady()
    #expect(throws: BackupError.self) { try waiting.commit() }
    #expect(try place.snapshot() == ["a": "edited"])
    #expect(try place.finishRestore() != nil)
    #expect(try place.snapshot() == ["a": "backup"])
    _ = try waiting.commit()
    #expect(try place.snapshot() == ["a": "edited"])
  }

  @Test func `a folder in the way with a link in it is not followed`() throws {
    let place = try BackupPlace(["d/f": "backup"])
    let backup = try place.pack()
    try place.remove("d")
    let outside = place.root + "/outside"
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place.folderPath + "/d", withDestinationPath: outside)
    try place.restore(backup)
    #expect(try BackupPlace.snapshot(of: outside).isEmpty)
    #expect(try place.snapshot() == ["d": "/", "d/f": "backup"])
  }

  @Test func `our state directory must not be a link`() throws {
    let place = try BackupPlace(["a": "x"])
    let backup = try place.pack()
    let outside = place.root + "/outside"
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place.folderPath + "/.automerge-migrate.nosync", withDestinationPath: outside)
    #expect(throws: BackupError.self) { try place.restore(backup) }
    #expect(try BackupPlace.snapshot(of: outside).isEmpty)
  }

  @Test func `a folder of many files comes back whole`() throws {
    let place = try BackupPlace()
    for number in 0..<700 { try place.write("\(number)", to: "d\(number % 7)/\(number)") }
    let before = try place.snapshot()
    let backup = try place.pack(isCompressed: true)
    for number in 0..<7 { try place.remove("d\(number)") }
    try place.restore(backup)
    #expect(try place.snapshot() == before)
  }
}
