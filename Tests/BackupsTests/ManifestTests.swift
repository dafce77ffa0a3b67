@testable import Backups
import Diagnostics
import Folders
import SafeFiles
import Testing

@Suite struct ManifestTests {
  private func manifest(_ paths: [[UInt8]], target: [UInt8] = []) -> BackupManifest {
    var manifest = BackupManifest(
      BackupSummary(folderName: "a \"b\" \\ \u{1}", origin: "/ö", created: "2026-01-06T12:00:00Z"))
    for path in paths {
      manifest.append(
        path: path, target: target[...], kind: target.isEmpty ? .file : .link, mode: 0o7777,
        owner: FileOwner(user: .max, group: 0), size: target.isEmpty ? 12 : 0,
        modified: FileTime(seconds: -3, nanoseconds: 7), hash: ContentHash(of: path))
    }
    return manifest
  }

  private func roundTrip(_ manifest: BackupManifest) throws -> BackupManifest {
    var text: [UInt8] = []
    let hash = try ManifestWriter.write(manifest, threads: 1) { text += $0 }
    #expect(hash == ContentHash(of: text))
    for threads in 1...3 {
      #expect(text.count == ManifestWriter.length(of: manifest, threads: threads))
    }
    #expect(String(validating: text, as: UTF8.self) != nil)
    var reader = ManifestReader(path: "test", length: Int64(text.count))
    for byte in text {
      // SAFETY: the byte is only read inside of the call.
      try unsafe [byte].withUnsafeBytes { try unsafe reader.read($0) }
    }
    return try reader.finish()
  }

  @Test func `a manifest of many pieces is as long as was counted, and says the hash of its text`()
    throws
  {
    for count in [0, 1, 255, 256, 257, 4_096, 4_097, 9_000] {
      let written = manifest((0..<count).map { Array("file \(100_000 + $0)".utf8) })
      var text: [UInt8] = []
      let hash = try ManifestWriter.write(written, threads: 2) { text += $0 }
      #expect(hash == ContentHash(of: text))
      for threads in 1...3 {
        #expect(text.count == ManifestWriter.length(of: written, threads: threads))
      }
      var reader = ManifestReader(path: "test", length: Int64(text.count))
      // SAFETY: the text is only read inside of the call.
      try unsafe text.withUnsafeBytes { try unsafe reader.read($0) }
      let read = try reader.finish()
      #expect(read.count == count && read.hash == hash)
    }
  }

  @Test func `every byte a name can have comes back`() throws {
    var names: [[UInt8]] = []
    for byte in UInt8(1)...255 where byte != UInt8(ascii: "/") && byte != UInt8(ascii: ".") {
      names.append([byte])
      names.append([byte, 0xc3, 0xa9])
    }
    names.sort { ByteOrder.precedes($0, $1) }
    let written = manifest(names)
    let read = try roundTrip(written)
    #expect(read.summary == written.summary)
    #expect((0..<read.count).map { read[$0] } == (0..<written.count).map { written[$0] })
    for name in names {
      let path = try #require(RelativePath(name))
      #expect(read.entry(at: path)?.hash == ContentHash(of: name))
    }
    #expect(read.entry(at: "missing") == nil)
  }

  @Test func `every entry is found among directories and names that begin alike`() throws {
    let paths: [(path: String, isDirectory: Bool)] = [
      ("a", true), ("a 2.json", false), ("a.json", false), ("a", false), ("a/b", true),
      ("a/b", false), ("a/b.json", false), ("a/b/c", false), ("a0", false), ("b", false),
      ("b!", true), ("b!/x", false), ("b", true), ("b/", false), ("b/x", false), ("b0", true),
    ]
    for seed in 0..<64 {
      // A path is a directory or a file, never both; what is under a name makes it a directory.
      var chosen: [String: Bool] = [:]
      for (number, entry) in paths.enumerated()
      where !entry.path.hasSuffix("/") && (seed * 37 + number * 11) % 3 != 0 {
        if chosen[entry.path] == nil { chosen[entry.path] = entry.isDirectory }
      }
      func key(_ path: String) -> [UInt8] { Array((chosen[path] == true ? path + "/" : path).utf8) }
      var manifest = BackupManifest(
        BackupSummary(folderName: "f", origin: "/f", created: "2026-01-06T12:00:00Z"))
      for path in chosen.keys.sorted(by: { ByteOrder.precedes(key($0), key($1)) }) {
        manifest.append(
          path: Array(path.utf8), kind: chosen[path] == true ? .directory : .file, mode: 0o700,
          owner: FileOwner(user: 0, group: 0), size: 0,
          modified: FileTime(seconds: 0, nanoseconds: 0))
      }
      for path in Set(paths.map(\.path)) where !path.hasSuffix("/") {
        let sought = try #require(RelativePath(Array(path.utf8)))
        let found = manifest.entry(at: sought)
        #expect(found?.kind == chosen[path].map { $0 ? .directory : .file }, "\(path), \(seed)")
        #expect(found.map { $0.path == sought } ?? true)
      }
      let files = BackedUpFiles(manifest)
      for path in Set(paths.map(\.path)).filter({ !$0.hasSuffix("/") }) {
        let found = files[try #require(RelativePath(path))]
        #expect((found != nil) == (chosen[path] == false), "\(path), \(seed)")
      }
    }
  }

  @Test func `a link's target comes back byte for byte`() throws {
    for target: [UInt8] in [[0xff], Array("../ü\"\\".utf8), [UInt8](repeating: 0xfe, count: 4_000)]
    {
      let read = try roundTrip(manifest([[0x61]], target: target))
      #expect(read[0].target == target)
    }
  }

  @Test func `the steps that were done come back, or that there are none`() throws {
    let step = NotedStep(SchemaRecord.Step(id: "a \"b\"", checksum: ContentHash(of: [1])))
    let undone = NotedStep(.init(id: "c", checksum: .zero), isUndone: true)
    for steps in [[step, undone], []] {
      var written = manifest([[0x61]])
      written.summary.steps = steps
      let read = try roundTrip(written)
      #expect(read.summary == written.summary && read.summary.steps == steps)
    }
  }

  @Test func `the number of the folder comes back, and a manifest without one is read as ever`()
    throws
  {
    var numbered = manifest([[0x61]])
    numbered.summary.folderNumber = "0123456789abcdef0123456789abcdef"
    #expect(try roundTrip(numbered).summary == numbered.summary)
    #expect(try roundTrip(manifest([[0x61]])).summary.folderNumber == nil)
    numbered.summary.folderNumber = ""
    #expect(throws: BackupError.self) { _ = try roundTrip(numbered) }
  }

  @Test func `every time that a file can have comes back`() throws {
    for seconds in [Int64.min, .min + 1, -62_167_219_201, -1, 0, 253_402_300_800, .max] {
      for nanoseconds: Int32 in [0, 999_999_999] {
        let time = FileTime(seconds: seconds, nanoseconds: nanoseconds)
        var written = manifest([])
        written.append(
          path: [0x61], kind: .file, mode: 0o644, owner: FileOwner(user: 0, group: 0), size: 1,
          modified: time)
        #expect(try roundTrip(written)[0].modified == time)
      }
    }
  }

  @Test(arguments: ["", "now", "2026-13-06T12:00:00Z", "99999999999999999999-01-06T12:00:00Z"])
  func `a backup that was made at no time is refused`(_ created: String) throws {
    var manifest = manifest([[0x61]])
    manifest.summary.created = created
    #expect(throws: BackupError.self) { _ = try roundTrip(manifest) }
  }

  @Test(arguments: [
    "9223372036854775808.000000000", "-9223372036854775809.000000000", "-0.000000000",
    "00.000000000", "1.00000000", "1.0000000000", "--1.000000000", ".000000000",
  ])
  func `a time that no file can have is refused`(_ time: String) throws {
    var text: [UInt8] = []
    var written = manifest([])
    written.append(
      path: [0x61], kind: .file, mode: 0o644, owner: FileOwner(user: 0, group: 0), size: 1,
      modified: FileTime(seconds: 7))
    _ = try ManifestWriter.write(written, threads: 1) { text += $0 }
    let forged = String(decoding: text, as: UTF8.self).replacing("7.000000000", with: time)
    var reader = ManifestReader(path: "test", length: Int64(forged.utf8.count))
    let error = #expect(throws: BackupError.self) {
      // SAFETY: the bytes are only read inside of the call.
      try unsafe Array(forged.utf8).withUnsafeBytes { try unsafe reader.read($0) }
      _ = try reader.finish()
    }
    #expect(error?.diagnostic.problem.contains("an entry is malformed") == true, "\(forged)")
  }

  @Test func `an empty manifest comes back`() throws {
    #expect(try roundTrip(manifest([])).count == 0)
  }

  @Test func `legacy files are what the app would migrate`() {
    for (path, isLegacy) in [
      ("tags.json", true), ("records/2024/01/x.json", true), ("records 2/2024/01/x.json", true),
      ("records/x.json", true), ("recordsx/x.json", false), ("notes.json", false),
      ("a/tags.json", false), ("records/2024/01/x.automerge", false), ("records.json", false),
    ] {
      #expect(manifest([Array(path.utf8)]).summary.holdsLegacyFiles == isLegacy, "\(path)")
    }
  }
}
