import Foundation
import Testing

@testable import SafeFiles

@Suite struct MovingTests {
  @Test func `a move never replaces anything`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    let target = try folder.createDirectory("d")
    try place.write("new", to: "a")
    try place.write("old", to: "d/a")
    #expect(throws: FileError.alreadyExists(path: place.path + "/d/a")) {
      try folder.move("a", to: target)
    }
    #expect(try place.read("a") == "new")
    #expect(try place.read("d/a") == "old")
    try folder.move("a", to: target, as: "b")
    #expect(try place.names() == ["d", "d/a", "d/b"])
  }

  @Test func `a directory moves with all it holds, onto nothing, not even an empty one`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    try folder.createDirectory("from/deep" as RelativePath).publish([1], as: "f")
    let target = try folder.createDirectory("to")
    _ = try target.createDirectory("from")
    #expect(throws: FileError.alreadyExists(path: place.path + "/to/from")) {
      try folder.move("from", to: target)
    }
    try folder.move("from", to: target, as: "moved")
    #expect(try place.names() == ["to", "to/from", "to/moved", "to/moved/deep", "to/moved/deep/f"])
  }

  @Test func `a tree is copied with links as links, modes and times, and stays where it is`() throws
  {
    let place = try TestPlace()
    let folder = try place.open()
    let target = try folder.createDirectory("copies")
    try folder.createDirectory("tree/deep" as RelativePath).publish([1, 2], as: "f")
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/tree/link", withDestinationPath: "/etc")
    let time = FileTime(seconds: 1_600_000_000, nanoseconds: 7)
    try place.setModified(time, of: "tree")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o550], ofItemAtPath: place.path + "/tree/deep")
    let before = try place.names()
    try folder.copyTree("tree", to: target)
    #expect(
      try place.names()
        == (before + ["copies/tree", "copies/tree/deep", "copies/tree/deep/f", "copies/tree/link"])
        .sorted())
    let copy = try target.openDirectory("tree" as FileName)
    #expect(try copy.target(ofLink: "link") == Array("/etc".utf8))
    #expect(try copy.contents(of: "deep/f" as RelativePath) == [1, 2])
    #expect(try copy.state().modified == folder.state(of: "tree").modified)
    // The copy can be written to.
    #expect(try copy.state(of: "deep").mode & 0o777 == 0o750)
    try target.removeOwnTree("tree")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o750], ofItemAtPath: place.path + "/tree/deep")
  }

  @Test func `content moves in the place of files of the same names, and never through a link`()
    throws
  {
    let place = try TestPlace()
    let folder = try place.open()
    let new = try folder.createDirectory("new")
    let old = try folder.createDirectory("old")
    try new.createDirectory("both" as FileName).publish([1], as: "f")
    try new.createDirectory("only").publish([2], as: "g")
    try old.createDirectory("both").publish([3], as: "f")
    try old.createDirectory("both").publish([4], as: "h")
    try new.moveContent(to: old)
    #expect(
      try place.names()
        == [
          "new", "new/both", "old", "old/both", "old/both/f", "old/both/h", "old/only",
          "old/only/g",
        ])
    #expect(try old.contents(of: "both/f" as RelativePath) == [1])
    #expect(try old.contents(of: "both/h" as RelativePath) == [4])
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/old/out", withDestinationPath: place.path)
    try new.createDirectory("out").publish([5], as: "escaped")
    #expect(throws: FileError.self) { try new.moveContent(to: old) }
    #expect(!place.exists("escaped"))
  }

  @Test func `only the proven file is removed`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    try place.write("proven", to: "a")
    let state = try folder.state(of: "a")
    try folder.publish(Array("edited".utf8), as: "a")
    #expect(throws: FileError.changedSince(path: place.path + "/a")) {
      try folder.removeFile("a", ifUnchangedSince: state)
    }
    #expect(try place.read("a") == "edited")
    try folder.removeFile("a", ifUnchangedSince: folder.state(of: "a"))
    #expect(try place.names().isEmpty)
  }

  @Test func `a sweep removes dead temporaries only`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    let random = "0123456789abcdef"
    let own = [".x.\(random).tmp.nosync"]
    let foreign = ["x", ".x.tmp.nosync", ".syncthing.x.tmp", "~x.tmp"]
    for name in own + foreign { try place.write("", to: name) }
    let living = try folder.stageFile(as: "living")
    try living.write([1])
    #expect(try folder.sweepTemporaries().isEmpty)
    let staged = try living.finish()
    #expect(try folder.sweepTemporaries().isEmpty)
    try staged.publish()
    #expect(try place.names() == (foreign + ["living"]).sorted())
  }

  @Test func `a sweep for one name leaves the temporaries of all others`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    let random = "0123456789abcdef"
    let others = [
      ".x.\(random).tmp.nosync", ".backup.tar.\(random).tmp.nosync",
      SwapName(for: "backup", new: ContentHash(of: [1]), old: ContentHash(of: [2])).name
        .description,
    ]
    for name in others + [".backup.\(random).tmp.nosync"] { try place.write("", to: name) }
    try folder.sweepTemporaries(for: "backup")
    #expect(try place.names() == others.sorted())
  }

  @Test func `a tree of our own goes with its links and nothing behind them`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    try folder.createDirectory("keep").publish([1], as: "f")
    try folder.createDirectory("tree/deep" as RelativePath).publish([1], as: "f")
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/tree/link", withDestinationPath: "../keep")
    try place.setMode(0o500, of: "tree/deep")
    try folder.removeOwnTree("tree")
    #expect(try place.names() == ["keep", "keep/f"])
  }
}
