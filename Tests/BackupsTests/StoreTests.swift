import Backups
import Diagnostics
import Foundation
import SafeFiles
import Testing

@Suite struct StoreTests {
  @Test func `backups of one second count up and are listed newest first`() throws {
    let place = try BackupPlace(["a": "x"])
    for _ in 0..<3 { try place.pack() }
    // The clock went back; the order does not.
    try place.pack(at: FileTime(seconds: 0))
    #expect(
      try place.store().list().map(\.archive.name.description) == [
        "Minuta-19700101T000000Z-0004.tar", "Minuta-20260106T120000Z-0003.tar",
        "Minuta-20260106T120000Z-0002.tar", "Minuta-20260106T120000Z-0001.tar",
      ])
  }

  @Test func `two runs that chose one name get two`() throws {
    let place = try BackupPlace(["a": "x"])
    let names = try Array(place.store().nextNames(at: FileTime(seconds: 0), isCompressed: false))
    var published: [FileName] = []
    for _ in 0..<2 {
      var packer = try BackupPacker(
        place.folder(), named: "Minuta", created: FileTime(seconds: 0))
      published.append(
        try packer.pack(into: place.backups(), isCompressed: false, names: names).archive.name)
    }
    #expect(published == Array(names.prefix(2)))
  }

  @Test func `a list says what each backup holds, and what cannot be read`() throws {
    let place = try BackupPlace(["tags.json": "{}"])
    try place.pack()
    try Data("damaged".utf8).write(
      to: URL(filePath: place.backupsPath + "/Minuta-20260107T120000Z-0002.tar"))
    try Data("foreign".utf8).write(to: URL(filePath: place.backupsPath + "/notes.tar"))
    let items = try place.store().list()
    #expect(items.map(\.name.counter) == [2, 1])
    #expect(items[0].summary == nil)
    #expect(items[1].summary?.fileCount == 1)
    #expect(items[1].summary?.holdsLegacyFiles == true)
    #expect(items[1].state.size > 512)
  }

  @Test func `a folder of the same name elsewhere has backups of its own`() throws {
    let place = try BackupPlace(["a": "x"])
    try place.pack()
    let other = try BackupPlace(["a": "x"])
    let store = try BackupStore(place.backups(), for: other.folder(), named: "Minuta")
    #expect(try store.list().isEmpty)
    #expect(try store.reusable(for: other.folder()) == nil)
    // The counter goes on all the same: names must not clash.
    #expect(
      try store.nextNames(at: FileTime(seconds: 0), isCompressed: false).first { _ in true }
        == "Minuta-19700101T000000Z-0002.tar")
  }

  @Test func `the newest backup is reused while the folder is what it holds`() throws {
    let place = try BackupPlace.sample()
    let store = try place.store()
    #expect(try store.reusable(for: place.folder()) == nil)
    let backup = try place.pack()
    #expect(try store.reusable(for: place.folder())?.archive.name == backup.archive.name)
    for (change, undo) in [
      ({ try place.write("no", to: "empty") }, { try place.write("", to: "empty") }),
      (
        { try place.write(#"{"tags":{}}"#, to: "tags.json") },
        { try place.write(#"{"tags":[]}"#, to: "tags.json") }
      ),
      ({ try place.write("", to: "new") }, { try place.remove("new") }),
    ] as [(() throws -> Void, () throws -> Void)] {
      try change()
      #expect(try store.reusable(for: place.folder()) == nil)
      try undo()
      #expect(try store.reusable(for: place.folder()) != nil)
    }
  }

  @Test func `a damaged backup is not reused`() throws {
    let place = try BackupPlace.sample()
    let backup = try place.pack()
    var bytes = try Data(contentsOf: URL(filePath: backup.archive.path))
    let jpeg = try #require(bytes.range(of: Data("jpegjpeg".utf8)))
    bytes[jpeg.lowerBound] ^= 1
    try bytes.write(to: URL(filePath: backup.archive.path))
    #expect(try place.store().reusable(for: place.folder()) == nil)
  }

  @Test func `the newest stay, with the newest sound one and the newest with legacy files`() throws
  {
    let place = try BackupPlace(["tags.json": "{}"])
    try place.pack()  // 1: legacy
    try place.pack()  // 2: legacy
    try place.remove("tags.json")
    for number in 3...6 {
      try place.write("\(number)", to: "document")
      try place.pack()
    }
    for number in 5...6 { try damage(number, place) }
    let decisions = try retention(of: place, keeping: 1).decisions
    #expect(
      decisions.map(\.reasons) == [
        [.newest, .count], [], [.newestVerified], [], [.holdsLegacyFiles], [],
      ])
    #expect(decisions.map(\.isDropped) == decisions.map(\.reasons.isEmpty))
    #expect(try retention(of: place, keeping: 5).decisions.count { $0.isDropped } == 1)
    let everything = try Retention(place.store().list(), by: RetentionPolicy(), at: Self.now)
    #expect(!everything.decisions.contains { $0.isDropped || $0.isVerified != nil })
  }

  @Test func `nothing goes while nothing is sound`() throws {
    let place = try BackupPlace(["a": "x"])
    for _ in 0..<3 { try place.pack() }
    for number in 1...3 { try damage(number, place) }
    let decisions = try retention(of: place, keeping: 1).decisions
    #expect(
      decisions.map(\.reasons) == [
        [.newest, .noneVerified, .count], [.noneVerified], [.noneVerified],
      ])
  }

  @Test func `what cannot be read is kept`() throws {
    let place = try BackupPlace(["a": "x"])
    for _ in 0..<3 { try place.pack() }
    try Data("?".utf8).write(
      to: URL(filePath: place.backupsPath + "/Minuta-20260107T120000Z-0004.tar"))
    let decisions = try retention(of: place, keeping: 1).decisions
    #expect(
      decisions.map(\.reasons) == [[.unreadable], [.newestVerified, .count], [], []])
    for decision in decisions where decision.isDropped {
      #expect(try place.store().drop(decision.item))
    }
    #expect(
      try place.backupNames() == [
        "Minuta-20260106T120000Z-0003.tar", "Minuta-20260107T120000Z-0004.tar",
      ])
  }

  @Test func `a backup that was replaced since it was looked at is not dropped`() throws {
    let place = try BackupPlace(["a": "x"])
    let archive = try place.pack().archive
    let item = try #require(place.store().list().first)
    try Data("another".utf8).write(to: URL(filePath: archive.path))
    #expect(throws: BackupError.file(.changedSince(path: archive.path))) {
      try place.store().drop(item)
    }
  }

  @Test func `a place of a sync service is recognised`() throws {
    let place = try BackupPlace()
    #expect(try SyncedPlace.service(of: place.backups()) == nil)
    for (path, service) in [
      ("Dropbox/x", "Dropbox"), ("Dropbox (Team)/x", "Dropbox"), ("OneDrive - Firma/x", "OneDrive"),
      ("Library/Mobile Documents/x", "iCloud Drive"),
    ] {
      let directory = try Directory.open(path: place.root).createDirectory(
        #require(RelativePath(path)))
      #expect(try SyncedPlace.service(of: directory) == service)
    }
    _ = try Directory.open(path: place.root).createDirectory(".stfolder")
    #expect(try SyncedPlace.service(of: place.backups()) == "Syncthing")
  }

  @Test func `what is in the way of all is the reason where no other is`() throws {
    let place = try BackupPlace(["a": "x"])
    for _ in 0..<2 { try place.pack() }
    var policy = RetentionPolicy()
    policy.count = 1
    let retention = try Retention(
      place.store().list(), by: policy, at: Self.now, obstacles: [.damagedDocument])
    #expect(retention.isHeldBack)
    #expect(
      retention.decisions.map(\.reasons) == [[.newestVerified, .count], [.damagedDocument]])
    #expect(!retention.decisions.contains { $0.isDropped })
  }

  @Test func `a backup that is to be made counts as if it were there`() throws {
    let place = try BackupPlace(["tags.json": "{}"])
    for _ in 0..<2 { try place.pack() }
    try place.write("{}", to: "later.json")
    let packer = try BackupPacker(place.folder(), named: "Minuta", created: Self.now)
    var policy = RetentionPolicy()
    policy.count = 1
    let planned = try Retention(
      place.store().list(), by: policy, at: Self.now, upcoming: packer.manifest)
    #expect(planned.reasonsForUpcoming == [.newestVerified, .holdsLegacyFiles, .count])
    #expect(planned.decisions.map(\.isDropped) == [true, true])
    // Nothing had to be read for that.
    #expect(planned.decisions.map(\.isVerified) == [nil, nil])
    let others = try place.store().list()
    let made = try place.pack(at: Self.now)
    // What it will have as an archive counts, to the byte.
    for spare in [0, -1] as [Int64] {
      var bySize = RetentionPolicy()
      bySize.byteCount = try made.archive.state().size + others[0].state.size + spare
      let planned = try Retention(others, by: bySize, at: Self.now, upcoming: packer.manifest)
      #expect(planned.decisions.map(\.isDropped) == [spare < 0, true])
    }
    let done = try Retention(place.store().list(), by: policy, at: Self.now) {
      $0.state.isSameFile(as: made.state) ? true : nil
    }
    #expect(done.decisions.map(\.isDropped) == [false, true, true])
  }

  private static let now = FileTime(seconds: 1_767_700_800)

  private func retention(of place: BackupPlace, keeping count: Int) throws -> Retention {
    var policy = RetentionPolicy()
    policy.count = count
    return try Retention(place.store().list(), by: policy, at: Self.now)
  }

  private func damage(_ number: Int, _ place: BackupPlace) throws {
    let name = try #require(place.backupNames().first { $0.contains("-000\(number).tar") })
    let url = URL(filePath: place.backupsPath + "/" + name)
    var bytes = try Data(contentsOf: url)
    // The only file's content lies in the last block before the two empty ones.
    bytes[bytes.count - 1_024 - 512] ^= 1
    try bytes.write(to: url)
  }
}
