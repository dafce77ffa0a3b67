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
