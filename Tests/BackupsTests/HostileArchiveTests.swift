import Backups
import Diagnostics
import Foundation
import SafeFiles
import Testing

/// Archives that lie. None of them may verify, and so none can be restored: a restore takes a
/// `VerifiedBackup` only.
@Suite struct HostileArchiveTests {
  private func expectRefused(
    _ forger: TarForger, _ reason: String, with tool: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let place = try BackupPlace(["keep": "kept"])
    let archive = try place.forge(forger, with: tool)
    let error = #expect(throws: BackupError.self, sourceLocation: sourceLocation) {
      try archive.verify()
    }
    let diagnostic = try #require(error).diagnostic
    #expect(diagnostic.kind == .damagedInput, sourceLocation: sourceLocation)
    let text = diagnostic.rendered(tool: "restore-backup")
    #expect(text.contains(reason), "\(text)", sourceLocation: sourceLocation)
    #expect(try BackupPlace.snapshot(of: place.folderPath) == ["keep": "kept"])
  }

  @Test func `the forger makes archives that verify when they tell the truth`() throws {
    let place = try BackupPlace(["old": "old"])
    var forger = TarForger()
    forger.add(.init(name: "a/", type: "5"), kind: "directory")
    forger.add(.init(name: "a/f", content: "text"))
    forger.add(.init(name: "link", type: "2", target: "/etc/passwd"), kind: "link")
    let backup = try place.forge(forger).verify()
    try place.restore(backup)
    #expect(try place.snapshot() == ["a": "/", "a/f": "text", "link": "-> /etc/passwd"])
    #expect(try place.forge(forger, with: "zstd").verify().manifest.count == 3)
  }

  @Test(arguments: [
    "/etc/evil", "../evil", "a/../../evil", "..", "a//b", "./a", "a/", "a/.", "",
  ])
  func `a name that leads out of the folder is refused`(name: String) throws {
    var forger = TarForger()
    forger.add(.init(name: name, content: "evil"))
    if name.hasSuffix("/") { forger.lines[0].path = name }
    try expectRefused(forger, "no place inside a folder")
  }

  @Test func `a name that leads out in the archive only is refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "good", content: "evil"))
    forger.entries[0].name = "../../evil"
    try expectRefused(forger, "the archive has ../../evil in its place")
  }

  @Test func `a file behind a link is refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "link", type: "2", target: "/tmp"), kind: "link")
    forger.add(.init(name: "link/evil", content: "evil"))
    try expectRefused(forger, "what contains it is no directory")
  }

  @Test func `a link that becomes a directory is refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "link", type: "2", target: "/tmp"), kind: "link")
    forger.add(.init(name: "link/", type: "5"), kind: "directory")
    forger.add(.init(name: "link/evil", content: "evil"))
    try expectRefused(forger, "is there twice")
  }

  @Test func `a file inside of a file is refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "a", content: "x"))
    forger.add(.init(name: "a/b", content: "x"))
    try expectRefused(forger, "what contains it is no directory")
  }

  @Test func `a file without its directory is refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "a/b", content: "x"))
    try expectRefused(forger, "what contains it is no directory")
  }

  @Test(arguments: ["1", "3", "4", "6", "7"] as [Character])
  func `hard links, devices and pipes are refused`(type: Character) throws {
    var forger = TarForger()
    forger.add(.init(name: "a", type: type, target: "/etc/passwd"))
    // Type 7, "contiguous", reads as a file; its link target says nothing.
    if type == "7" {
      let place = try BackupPlace()
      #expect(try place.forge(forger).verify().manifest.count == 1)
    } else {
      try expectRefused(forger, "is no file in the archive")
    }
  }

  @Test func `a duplicate is refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "a", content: "one"))
    forger.add(.init(name: "a", content: "two"))
    try expectRefused(forger, "is there twice")
  }

  @Test func `a duplicate in the archive only is refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "a", content: "one"))
    forger.entries.append(.init(name: "a", content: "two"))
    try expectRefused(forger, "is not in the manifest")
  }

  @Test func `entries out of order are refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "b", content: "x"))
    forger.add(.init(name: "a", content: "x"))
    try expectRefused(forger, "is out of order")
  }

  @Test func `an entry that is not in the manifest is refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "a", content: "x"))
    forger.entries.append(.init(name: "evil", content: "x"))
    try expectRefused(forger, "evil: is not in the manifest")
  }

  @Test func `an entry that is in the manifest only is refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "a", content: "x"))
    forger.add(.init(name: "b", content: "x"))
    forger.entries.removeLast()
    try expectRefused(forger, "is in the manifest and not in the archive")
  }

  @Test func `a wrong hash is refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "a", content: "good"))
    forger.entries[0].content = "evil"
    try expectRefused(forger, "do not have the hash")
  }

  @Test func `a wrong size is refused`() throws {
    for size in [3, 5] {
      var forger = TarForger()
      forger.add(.init(name: "a", content: "good"))
      forger.lines[0].size = size
      try expectRefused(forger, "has 4 bytes, expected \(size)")
    }
  }

  @Test func `a wrong link target is refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "link", type: "2", target: "here"), kind: "link")
    forger.entries[0].target = "there"
    try expectRefused(forger, "points to another place")
  }

  @Test func `a huge size is refused before anything is allocated`() throws {
    for claimed in [0o77777777777, 1 << 31] {
      var forger = TarForger()
      forger.add(.init(name: "a", content: "x"))
      forger.entries[0].claimedSize = claimed
      forger.lines[0].size = claimed
      try expectRefused(forger, "would grow")
    }
  }

  @Test func `our own state and the lock are in no backup`() throws {
    for name in [".minuta.writelock.nosync", ".automerge-migrate.nosync"] {
      var forger = TarForger()
      forger.add(.init(name: name, content: "x"))
      try expectRefused(forger, "belongs to the folder's own state")
      var deeper = TarForger()
      deeper.add(.init(name: name + "/", type: "5"), kind: "directory")
      deeper.add(.init(name: name + "/x", content: "x"))
      try expectRefused(deeper, "belongs to the folder's own state")
    }
  }

  @Test func `an archive cut anywhere is refused`() throws {
    var forger = TarForger()
    forger.add(.init(name: "a", content: String(repeating: "text", count: 300)))
    forger.add(.init(name: "b", content: "x"))
    let place = try BackupPlace()
    let length = forger.bytes.count
    for cut in stride(from: 0, to: length - 1_024, by: 256) {
      forger.cut = cut
      let error = #expect(throws: BackupError.self, "cut at \(cut)") {
        try place.forge(forger).verify()
      }
      #expect(error?.diagnostic.kind == .damagedInput)
    }
  }

  @Test func `a compressed archive that is cut is refused`() throws {
    let place = try BackupPlace.sample()
    let path = try place.pack(isCompressed: true).archive.path
    let whole = try Data(contentsOf: URL(filePath: path))
    for cut in stride(from: 0, to: whole.count, by: 16) {
      try whole.prefix(cut).write(to: URL(filePath: path))
      #expect(throws: BackupError.self, "cut at \(cut)") {
        try BackupArchive(path: path).verify()
      }
    }
  }

  @Test func `any flipped byte of a backup is noticed or harmless`() throws {
    let place = try BackupPlace.sample()
    let backup = try place.pack()
    let whole = try Data(contentsOf: URL(filePath: backup.archive.path))
    for position in stride(from: 0, to: whole.count, by: 61) {
      var bytes = whole
      bytes[position] ^= 0x10
      let path = place.backupsPath + "/flipped.tar"
      try bytes.write(to: URL(filePath: path))
      // What verifies in spite of it restores to the same: the flip hit padding.
      if let verified = try? BackupArchive(path: path).verify() {
        #expect(verified.manifest.summary == backup.manifest.summary, "at \(position)")
        #expect(try verified.firstDifference(from: place.folder()) == nil, "at \(position)")
      }
    }
  }

  @Test func `a bomb is refused by what it says of itself`() throws {
    // 600 MB of zeros in a few kilobytes, with a manifest that tells the truth about the size.
    let place = try BackupPlace()
    var forger = TarForger()
    forger.lines.append(
      .init(path: "bomb", size: 600_000_000, hash: String(repeating: "0", count: 64)))
    forger.cut = nil
    var head = forger.bytes
    head.removeLast(1_024)
    try Data(head).write(to: URL(filePath: place.backupsPath + "/head"))
    let (status, output) = try runTool([
      "sh", "-c",
      "cd '\(place.backupsPath)' && { cat head; head -c 600000000 /dev/zero; } | zstd -q -o bomb.tar.zst",
    ])
    #expect(status == 0, "\(output)")
    let error = #expect(throws: BackupError.self) {
      try BackupArchive(path: place.backupsPath + "/bomb.tar.zst").verify()
    }
    #expect(error?.diagnostic.problem.contains("would grow") ?? false)
  }

  @Test func `a bomb in the place of the manifest is refused`() throws {
    let place = try BackupPlace()
    let (status, output) = try runTool([
      "sh", "-c",
      """
      cd '\(place.backupsPath)' && mkdir x && cd x && truncate -s 900M manifest.json \
        && bsdtar --format ustar -c manifest.json | zstd -q -o ../bomb.tar.zst
      """,
    ])
    #expect(status == 0, "\(output)")
    let error = #expect(throws: BackupError.self) {
      try BackupArchive(path: place.backupsPath + "/bomb.tar.zst").verify()
    }
    #expect(
      error?.diagnostic.problem.contains("would grow") ?? false, "\(String(describing: error))")
  }

  @Test func `other formats and filters are not even looked at`() throws {
    var forger = TarForger()
    forger.add(.init(name: "a", content: "x"))
    try expectRefused(forger, "cannot be read as an archive", with: "gzip")
    let place = try BackupPlace()
    for text in [
      "", "PK\u{3}\u{4}", "not an archive at all", String(repeating: "\0", count: 2_048),
    ] {
      let path = place.backupsPath + "/other"
      try Data(text.utf8).write(to: URL(filePath: path))
      #expect(throws: BackupError.self) { try BackupArchive(path: path).verify() }
    }
  }

  @Test func `a tar without a manifest is no backup`() throws {
    let place = try BackupPlace.sample()
    let path = place.root + "/plain.tar"
    try runTool(["tar", "-cf", path, "-C", place.folderPath, "."])
    let error = #expect(throws: BackupError.self) { try BackupArchive(path: path).verify() }
    #expect(error == .notABackup(path: path, problem: "its first entry is no manifest"))
  }

  @Test func `a later version says so`() throws {
    var forger = TarForger()
    forger.manifestText = { $0.replacingOccurrences(of: "\"version\":1", with: "\"version\":2") }
    let place = try BackupPlace()
    let error = #expect(throws: BackupError.self) { try place.forge(forger).verify() }
    #expect(error?.diagnostic.kind == .featureAbsent)
  }

  @Test(arguments: [
    ("\"files\":1", "\"files\":2"), ("\"files\":1", "\"files\":0"), ("\"bytes\":1", "\"bytes\":2"),
    ("\"bytes\":1", "\"bytes\":01"), ("\"legacyFiles\":false", "\"legacyFiles\":true"),
    ("\"kind\":\"file\"", "\"kind\":\"directory\""), ("\"mode\":\"755\"", "\"mode\":\"799\""),
    ("\"mode\":\"755\"", "\"mode\":\"77777\""), ("\"uid\":0", "\"uid\":4294967296"),
    ("\"size\":1", "\"size\":-1"), ("\"size\":1", "\"size\":99999999999999999999"),
    ("1700000000.0", "1700000000."), ("{\"path\"", "{\"pathBytes\""), ("{\"path\"", " {\"path\""),
    ("}\n", "},\n"), ("}\n", "}\n\n"),
    ("\"path\":\"a\"", "\"path\":\"a\\n\""), ("\"path\":\"a\"", "\"path\":\"\\u0061\""),
    ("sha256\":\"", "sha256\":\"F"),
  ])
  func `a manifest that is not exactly what is written is damaged`(what: String, with: String)
    throws
  {
    var forger = TarForger()
    forger.add(.init(name: "a", content: "x"))
    forger.manifestText = { $0.replacingOccurrences(of: what, with: with) }
    #expect(forger.bytes != TarForger(entries: forger.entries, lines: forger.lines).bytes)
    let place = try BackupPlace()
    let error = #expect(throws: BackupError.self) { try place.forge(forger).verify() }
    #expect(error?.diagnostic.kind == .damagedInput)
  }

  @Test(arguments: [
    ("}\n", "}"), ("}\n", "}\n{}\n"), ("}\n", "}\n\n"), ("],", "],,"),
    ("\"sha256\":\"", "\"sha256\":\"0"),
    ("],", "]"),
  ])
  func `a manifest with another last line is damaged`(what: String, with: String) throws {
    var forger = TarForger()
    forger.add(.init(name: "a", content: "x"))
    forger.lastLine = { $0.replacingOccurrences(of: what, with: with) }
    let place = try BackupPlace()
    let error = #expect(throws: BackupError.self) { try place.forge(forger).verify() }
    #expect(error?.diagnostic.kind == .damagedInput)
  }

  @Test func `a manifest that does not have its own hash is damaged`() throws {
    var forger = TarForger()
    forger.add(.init(name: "a", content: "x"))
    forger.lastLine = { last in
      last.replacingOccurrences(of: last.dropFirst(12).prefix(4), with: "0123")
    }
    try expectRefused(forger, "do not have the hash its last line says")
  }
}
