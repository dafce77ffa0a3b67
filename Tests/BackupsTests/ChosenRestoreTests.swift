import Diagnostics
import Foundation
import SafeFiles
import Testing

@testable import Backups

@Suite struct ChosenRestoreTests {
  private let aside = ".automerge-migrate.nosync/restore/run/old"

  @Test(arguments: [false, true])
  func `only what was chosen comes back, and only what it replaces is set aside`(
    isCompressed: Bool
  ) throws {
    let place = try BackupPlace.sample()
    let before = try place.snapshot()
    let backup = try place.pack(isCompressed: isCompressed)
    try place.write("edited", to: "tags.json")
    try place.write("edited", to: "records/2024/01/a_0.jpg")
    try place.remove("records/2024/01.automerge")
    try place.write("mine", to: "records/2024/01/mine")
    let outcome = try place.restore(
      ["records/2024/01/a_0.jpg", "records/2024/01.automerge"], of: backup.archive)
    #expect(outcome?.setAside?.description == aside)
    var expected = before
    expected["tags.json"] = "edited"
    expected["records/2024/01/mine"] = "mine"
    #expect(try place.snapshot() == expected)
    #expect(
      try BackupPlace.snapshot(of: place.folderPath + "/\(aside)").filter { $0.value != "/" }
        == ["records/2024/01/a_0.jpg": "edited"])
    #expect(try RestorePlace.unfinishedRun(in: place.folder()) == nil)
  }

  @Test func `a directory means everything in it, links and empty directories too`() throws {
    let place = try BackupPlace(["d/f": "x", "d/e/g": "y", "other": "z"])
    try FileManager.default.createDirectory(
      atPath: place.folderPath + "/d/empty", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place.folderPath + "/d/link", withDestinationPath: "f")
    let before = try place.snapshot()
    let backup = try place.pack()
    try place.remove("d")
    try place.write("edited", to: "other")
    try place.restore(["./d/"], of: backup.archive)
    #expect(try place.snapshot() == before.merging(["other": "edited"]) { $1 })
  }

  @Test func `what has the same bytes is not touched`() throws {
    let place = try BackupPlace(["a": "x", "d/b": "y"])
    let backup = try place.pack()
    let before = try place.folder().state(of: "a")
    #expect(try place.restore(["a", "d"], of: backup.archive) == nil)
    #expect(try place.folder().state(of: "a") == before)
    #expect(
      !FileManager.default.fileExists(atPath: place.folderPath + "/.automerge-migrate.nosync"))
  }

  @Test func `a file in the place of a directory is set aside, and the other way round`() throws {
    let place = try BackupPlace(["d/f": "backup", "e": "backup"])
    let before = try place.snapshot()
    let backup = try place.pack()
    try place.remove("d")
    try place.write("a file", to: "d")
    try place.remove("e")
    try place.write("inside", to: "e/f")
    try place.restore(["d/f", "e"], of: backup.archive)
    #expect(try place.snapshot() == before)
    #expect(
      try BackupPlace.snapshot(of: place.folderPath + "/\(aside)")
        == ["d": "a file", "e": "/", "e/f": "inside"])
  }

  @Test func `a link in the place of a directory is set aside and never followed`() throws {
    let place = try BackupPlace(["d/f": "backup"])
    let backup = try place.pack()
    try place.remove("d")
    let outside = place.root + "/outside"
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place.folderPath + "/d", withDestinationPath: outside)
    try place.restore(["d/f"], of: backup.archive)
    #expect(try BackupPlace.snapshot(of: outside).isEmpty)
    #expect(try place.snapshot() == ["d": "/", "d/f": "backup"])
  }

  @Test func `directories that nobody may write to come back as they were`() throws {
    let place = try BackupPlace(["d/e/f": "x", "d/e/g": "y"])
    for path in ["d/e", "d"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o555], ofItemAtPath: place.folderPath + "/" + path)
    }
    let backup = try place.pack()
    for path in ["d", "d/e"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: place.folderPath + "/" + path)
    }
    try place.write("edited", to: "d/e/f")
    try place.restore(["d"], of: backup.archive)
    #expect(try place.snapshot() == ["d": "/", "d/e": "/", "d/e/f": "x", "d/e/g": "y"])
    try place.remove("d")
    try place.restore(["d"], of: backup.archive, run: "second")
    #expect(try place.folder().state(of: "d").mode == 0o555)
    for path in ["d", "d/e"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: place.folderPath + "/" + path)
    }
  }

  @Test func `a backup that is damaged elsewhere still gives back what is whole`() throws {
    let place = try BackupPlace([
      "a": "first", "b": String(repeating: "b", count: 4_000), "c": "last",
    ])
    let archive = try place.pack().archive
    let file = place.backupsPath + "/" + archive.name.description
    var bytes = try Data(contentsOf: URL(filePath: file))
    let middle = try #require(bytes.firstRange(of: Data(repeating: UInt8(ascii: "b"), count: 999)))
    bytes[middle.lowerBound] ^= 1
    try bytes.write(to: URL(filePath: file))
    try place.write("edited", to: "a")
    try place.write("edited", to: "b")
    try place.write("edited", to: "c")
    #expect(throws: BackupError.self) { try archive.verify() }
    try place.restore(["a", "c"], of: archive)
    #expect(try place.snapshot() == ["a": "first", "b": "edited", "c": "last"])
    #expect(throws: BackupError.self) { try place.restore(["b"], of: archive, run: "second") }
    #expect(try place.snapshot()["b"] == "edited")
  }

  @Test func `a path that is not there is answered with those that are alike`() throws {
    let place = try BackupPlace([
      "records/2024/01.automerge": "x", "records/2024/02.automerge": "x", "tags.automerge": "x",
      "notes.txt": "x",
    ])
    let archive = try place.pack().archive
    for (asked, near) in [
      ("records/2024/1.automerge", "records/2024/01.automerge"),
      ("Tags.automerge", "tags.automerge"), ("tags.json", "tags.automerge"),
    ] {
      let error = #expect(throws: BackupError.self) { try archive.choose([asked]) }
      #expect(error?.diagnostic.kind == .missingInput)
      #expect(error?.diagnostic.problem == "holds no entry \(asked)")
      #expect(error?.diagnostic.remedy?.contains(near) ?? false, "\(asked)")
    }
    for asked in ["", "/etc/passwd", "../tags.automerge", "zzzzzzzzzzzzzzzzzzz"] {
      let error = #expect(throws: BackupError.self) { try archive.choose([asked]) }
      #expect(error?.diagnostic.kind == .missingInput, "\(asked)")
    }
  }

  @Test func `a name that is no text is chosen as it is listed`() throws {
    let place = try BackupPlace()
    let name = try #require(FileName([0x66, 0xFF]))
    try place.folder().publish([1, 2, 3], as: name)
    let backup = try place.pack()
    let shown = try #require(backup.manifest.entry(at: RelativePath(name))).path.description
    #expect(try backup.archive.choose([shown]).entries.map(\.path.bytes) == [[0x66, 0xFF]])
  }
}

@Suite struct NameCollisionTests {
  private func manifest(_ paths: [String]) throws -> BackupManifest {
    let place = try BackupPlace()
    for path in paths { try place.write("x", to: path) }
    return try place.pack().manifest
  }

  @Test func `names that differ only by case or form are found`() throws {
    let manifest = try manifest([
      "A.jpg", "a.jpg", "b", "caf\u{e9}", "cafe\u{301}", "d/x", "e/x",
    ])
    func found(case ignoresCase: Bool, form ignoresForm: Bool) -> [[UInt8]] {
      manifest.collisions(on: VolumeNames(ignoresCase: ignoresCase, ignoresForm: ignoresForm))
        .map(\.path.bytes)
    }
    #expect(found(case: false, form: false) == [])
    #expect(found(case: true, form: false) == [Array("a.jpg".utf8)])
    #expect(found(case: false, form: true) == [Array("caf\u{e9}".utf8)])
    #expect(found(case: true, form: true).count == 2)
    #expect(manifest.collisions().map(\.earlier.description).contains("A.jpg"))
  }

  @Test func `a volume is asked how it compares, and nothing stays behind`() throws {
    let place = try BackupPlace()
    let volume = try VolumeNames(probing: place.folder())
    try place.write("1", to: "q")
    #expect(volume.ignoresCase == FileManager.default.fileExists(atPath: place.folderPath + "/Q"))
    #expect(try place.snapshot() == ["q": "1"])
  }

  @Test func `a volume that tells names apart gets both`() throws {
    let place = try BackupPlace()
    guard try !VolumeNames(probing: place.folder()).ignoresCase else { return }
    for name in ["A", "a"] { try place.write(name, to: name) }
    let backup = try place.pack()
    try place.remove("a")
    try place.restore(backup)
    #expect(try place.snapshot() == ["A": "A", "a": "a"])
  }
}
