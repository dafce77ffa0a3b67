import FileFaults
import Foundation
import SafeFiles
import Testing

@Suite struct PublishingTests {
  @Test func `a file appears with its bytes and nothing else`() throws {
    let place = try TestPlace()
    try place.open().publish(Array("new".utf8), as: "a.json")
    #expect(try place.read("a.json") == "new")
    #expect(try place.names() == ["a.json"])
  }

  @Test func `a replaced file keeps its mode`() throws {
    let place = try TestPlace()
    try place.write("old", to: "a")
    try place.setMode(0o640, of: "a")
    try place.open().publish(Array("new".utf8), as: "a")
    #expect(try place.mode("a") == 0o640)
    #expect(try place.read("a") == "new")
  }

  @Test func `a replaced file keeps its owner when root runs us`() throws {
    guard geteuid() == 0 else { return }
    let place = try TestPlace()
    try place.write("old", to: "a")
    try place.setOwner(FileOwner(user: 1234, group: 2345), of: "a")
    try place.open().publish(Array("new".utf8), as: "a")
    let owner = try place.open().state(of: "a").owner
    #expect(owner == FileOwner(user: 1234, group: 2345))
  }

  @Test func `a new file belongs to the owner of the folder when root runs us`() throws {
    guard geteuid() == 0 else { return }
    let place = try TestPlace()
    try place.setOwner(FileOwner(user: 1234, group: 2345), of: "")
    let folder = try place.open()
    try folder.createDirectory("deep").createDirectory("er").publish([1], as: "a")
    let deeper = try folder.openDirectory("deep/er" as RelativePath)
    #expect(try deeper.state(of: "a").owner == FileOwner(user: 1234, group: 2345))
    #expect(try deeper.state().owner == FileOwner(user: 1234, group: 2345))
  }

  @Test func `an exclusive file never replaces another`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    let staged = try folder.stage([1], as: "a", replacing: .nothing)
    try place.write("somebody else's", to: "a")
    #expect(throws: FileError.alreadyExists(path: place.path + "/a")) { try staged.publish() }
    #expect(throws: FileError.alreadyExists(path: place.path + "/a")) {
      try folder.publish([1], as: "a", replacing: .nothing)
    }
    #expect(try place.read("a") == "somebody else's")
    #expect(try place.names() == ["a"])
  }

  @Test func `a file that changed since it was read is left alone`() throws {
    let place = try TestPlace()
    try place.write("old", to: "a")
    let folder = try place.open()
    let version = try folder.version(of: "a")
    let staged = try folder.stage([1], as: "a", replacing: .unchanged(version))
    try place.write("edited", to: "a")
    #expect(throws: FileError.changedSince(path: place.path + "/a")) { try staged.publish() }
    #expect(try place.read("a") == "edited")
    #expect(try place.names() == ["a"])
    try FileManager.default.removeItem(atPath: place.path + "/a")
    #expect(throws: FileError.changedSince(path: place.path + "/a")) {
      try folder.stage([1], as: "a", replacing: .unchanged(version)).publish()
    }
  }

  @Test func `links and directories are never written through or replaced`() throws {
    let place = try TestPlace()
    try place.write("outside", to: "target")
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/link", withDestinationPath: "target")
    let folder = try place.open()
    _ = try folder.createDirectory("directory")
    #expect(throws: FileError.inTheWay(path: place.path + "/link", found: .symbolicLink)) {
      try folder.publish([1], as: "link")
    }
    #expect(throws: FileError.inTheWay(path: place.path + "/directory", found: .directory)) {
      try folder.publish([1], as: "directory")
    }
    #expect(throws: FileError.inTheWay(path: place.path + "/target", found: .regular)) {
      try folder.createDirectory("target")
    }
    #expect(try place.read("target") == "outside")
    #expect(try place.names() == ["directory", "link", "target"])
  }

  @Test(arguments: [226, 227, 254, 255])
  func `a name as long as file systems take is published`(length: Int) throws {
    let place = try TestPlace()
    // Two bytes each, so that a cut in the middle of a scalar would show.
    let text = String(repeating: "é", count: length / 2) + (length % 2 == 1 ? "x" : "")
    let name = try #require(FileName(text))
    try place.open().publish([1], as: name)
    #expect(try place.names() == [text])
  }

  @Test func `a temporary name is recognised and nothing else is`() throws {
    let random = "0123456789abcdef"
    for (text, isTemporary) in [
      (".a.\(random).tmp.nosync", true), ("..\(random).tmp.nosync", true),
      ("a.\(random).tmp.nosync", false), (".a.\(random).tmp", false),
      (".a.0123456789ABCDEF.tmp.nosync", false), (".a.12.tmp.nosync", false),
      (".\(random).tmp.nosync", false),
    ] {
      #expect(try TemporaryName.matches(#require(FileName(text))) == isTemporary, "\(text)")
    }
  }

  @Test func `a batch is published in its order`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    let names: [FileName] = ["a", "b", "c"]
    let below = try folder.createDirectory("d")
    let files =
      try names.map { try folder.stage(Array("\($0)".utf8), as: $0) }
      + [below.stage([1], as: "e")]
    #expect(try place.names().filter { !$0.contains(".") } == ["d"])
    try StagedFile.publish(files)
    #expect(try place.names() == ["a", "b", "c", "d", "d/e"])
  }

  @Test func `a batch that fails in the middle leaves no temporaries`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    let files = try ["a", "b", "c"].map { name in
      try folder.stage([1], as: #require(FileName(name)), replacing: .nothing)
    }
    try place.write("in the way", to: "b")
    #expect(throws: FileError.alreadyExists(path: place.path + "/b")) {
      try StagedFile.publish(files)
    }
    #expect(try place.names() == ["a", "b"])
    #expect(try place.read("b") == "in the way")
  }

  @Test func `bytes that the disk did not keep get no name`() throws {
    let place = try TestPlace()
    try place.write("old", to: "a")
    // Somebody spoils the temporary between its synchronization and the read back.
    let plan = FaultPlan(beforeCall: 5, calls: .looking) {
      guard let name = try? place.names().first(where: { $0.hasSuffix(".tmp.nosync") }) else {
        return
      }
      try? place.write("spoilt", to: name)
    }
    #expect(throws: FileError.writtenBytesDiffer(path: place.path + "/a")) {
      try place.open(plan).publish([1, 2, 3], as: "a")
    }
    #expect(plan.hasFired)
    #expect(try place.names() == ["a"])
    #expect(try place.read("a") == "old")
  }

  @Test func `a file of equal size and times is told from the one that was read`() throws {
    let place = try TestPlace()
    try place.write("old", to: "a")
    let folder = try place.open()
    let version = try folder.version(of: "a")
    // As programs do that write in place and set the time to that of their source.
    let file = try #require(FileHandle(forWritingAtPath: place.path + "/a"))
    try file.write(contentsOf: Data("new".utf8))
    try file.close()
    try place.setModified(version.state.modified, of: "a")
    #expect(try folder.state(of: "a").isUnchanged(since: version.state))
    #expect(throws: FileError.changedSince(path: place.path + "/a")) {
      try folder.publish([1], as: "a", replacing: .unchanged(version))
    }
    #expect(try place.read("a") == "new")
    #expect(try place.names() == ["a"])
  }

  @Test func `a file given the first free name replaces nothing`() throws {
    let place = try TestPlace()
    try place.write("first", to: "1")
    let writer = try place.open().stageFile(as: "x")
    try writer.write([7])
    let staged = try writer.finish()
    #expect(try staged.publish(asFirstFreeOf: ["1"]) == nil)
    #expect(try staged.publish(asFirstFreeOf: ["1", "2"]) == "2")
    #expect(try place.names() == ["1", "2"])
    #expect(try place.read("1") == "first")
  }

  @Test func `a line is appended whole and ends a torn one`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    try folder.appendLine(Array("one".utf8), to: "log")
    try folder.appendLine(Array("two".utf8), to: "log")
    #expect(try place.read("log") == "one\ntwo\n")
    try place.write("one\ntw", to: "log")
    try folder.appendLine(Array("three".utf8), to: "log")
    #expect(try place.read("log") == "one\ntw\nthree\n")
  }
}
