import Backups
import Folders
import Foundation
import SafeFiles
import Testing

/// Which backups stay, as somebody asks for it who runs `pack-backup`.
@Suite struct RetentionCommandTests {
  private let folder: SmallFolder

  init() throws { folder = try SmallFolder() }

  private var directory: URL { URL(filePath: folder.path + "-backups") }

  private func pack(_ options: String...) throws -> CommandRun {
    try run(
      BuiltCommands.directory.appending(path: "pack-backup"), [folder.path] + options, input: nil)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  /// Makes a backup as the command does, but at another time, and returns its name.
  @discardableResult
  private func backup(at text: String) throws -> String {
    let time = FileTime(seconds: try #require(RFC3339(text)).milliseconds / 1000)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let (source, place) = (
      try Directory.open(path: folder.path), try Directory.open(path: directory.path)
    )
    var packer = try BackupPacker(source, named: "Minuta", created: time)
    packer.note(folderNumber: try FolderIdentifier.ensure(in: source))
    let store = try BackupStore(place, for: source, named: "Minuta")
    let names = try store.nextNames(at: time, isCompressed: false)
    return try packer.pack(into: place, isCompressed: false, names: names).archive.name.description
  }

  private func damage(_ name: String, at text: String = "keep me") throws {
    let url = directory.appending(path: name)
    var bytes = try Data(contentsOf: url)
    let content = try #require(bytes.range(of: Data(text.utf8)))
    bytes[content.lowerBound] ^= 1
    try bytes.write(to: url)
  }

  private static func backups(_ run: CommandRun) -> [[String: Any]] {
    run.jsonLines.filter { $0["type"] as? String == "backup" }
  }

  private static func reasons(_ run: CommandRun) -> [[String]?] {
    backups(run).map { $0["keptBy"] as? [String] }
  }

  private static let rules = [
    "--keep", "1", "--keep-within", "30d", "--keep-daily", "3", "--keep-monthly", "3",
  ]
  /// Newest first, of the backups of the next function.
  private static let expected = [
    ["newest verified", "holds legacy files", "count", "within 30d", "daily", "monthly"],
    ["daily", "monthly"], ["daily"], [], ["monthly"], [],
  ]

  private func makeBackups() throws {
    for time in [
      "2024-01-05T08:00:00Z", "2024-01-31T23:59:59Z", "2024-02-10T08:00:00Z",
      "2024-02-10T20:00:00Z", "2024-02-11T09:00:00Z",
    ] { try backup(at: time) }
    _ = try folder.backup()
  }

  @Test func `a list with the rules shows what keeps each backup, and what would go`() throws {
    try makeBackups()
    let before = try names()
    let command = BuiltCommands.directory.appending(path: "pack-backup")
    let list = try run(command, [folder.path, "--list", "--json"] + Self.rules, input: nil)
    #expect(list.status == 0 && list.errors.isEmpty, "\(list.errors)")
    #expect(Self.reasons(list) == Self.expected)
    let goes = Self.backups(list).map { $0["wouldDrop"] as? Bool ?? false }
    #expect(goes == Self.expected.map(\.isEmpty))
    #expect(Self.backups(list).allSatisfy { $0["outcome"] as? String == "listed" })
    let text = try run(command, [folder.path, "--list"] + Self.rules, input: nil)
    #expect(text.status == 0 && text.errors.isEmpty)
    let lines = text.output.split(separator: "\n").map(String.init)
    #expect(lines[0].contains("kept by"))
    #expect(
      lines[1].contains("newest verified, holds legacy files, count, within 30d, daily, monthly"))
    #expect(lines.filter { $0.contains("would go") }.count == 2)
    #expect(text.output.hasSuffix("\n6 backups.\nWould drop 2 older backups.\n"), "\(text.output)")
    #expect(try names() == before)
  }

  @Test func `all rules at once keep what one of them keeps`() throws {
    try makeBackups()
    let before = try names()
    let command = BuiltCommands.directory.appending(path: "pack-backup")
    let plan = try run(command, [folder.path, "--prune", "--json"] + Self.rules, input: nil)
    #expect(plan.status == 0 && plan.errors.isEmpty, "\(plan.errors)")
    #expect(Self.reasons(plan) == Self.expected)
    #expect(plan.summary?["dropped"] as? Int == 2)
    #expect(plan.summary?["dryRun"] as? Bool == true)
    #expect(try names() == before)
    let done = try run(command, [folder.path, "--prune", "--apply"] + Self.rules, input: nil)
    #expect(done.status == 0 && done.errors.isEmpty, "\(done.errors)")
    #expect(done.output.hasSuffix("Dropped 2 older backups.\n"))
    #expect(try names() == before.filter { !$0.contains("-0001") && !$0.contains("-0003") })
  }

  @Test func `a dry run counts the backup that would be made`() throws {
    for time in ["2024-01-05T08:00:00Z", "2024-01-06T08:00:00Z", "2024-01-07T08:00:00Z"] {
      try backup(at: time)
    }
    let before = try names()
    let plan = try pack("--keep-daily", "2", "-n", "--json")
    #expect(plan.status == 0 && plan.errors.isEmpty, "\(plan.errors)")
    let reasons = [["newest verified", "holds legacy files", "daily"], ["daily"], [], []]
    #expect(Self.reasons(plan) == reasons)
    #expect(
      Self.backups(plan).map { $0["outcome"] as? String } == [
        "created", "kept", "dropped", "dropped",
      ])
    #expect(try names() == before)
    let done = try pack("--keep-daily", "2", "--json")
    #expect(done.status == 0 && Self.reasons(done) == reasons, "\(done.output)")
    #expect(done.summary?["dropped"] as? Int == 2)
    #expect(try names().count == 2)
  }

  @Test func `without an option nothing goes, and nothing would`() throws {
    for time in ["2000-01-05T08:00:00Z", "2000-01-06T08:00:00Z"] { try backup(at: time) }
    let made = try pack("--json")
    #expect(made.status == 0 && Self.reasons(made) == [nil])
    let list = try pack("--list", "--json")
    #expect(Self.reasons(list) == [["newest"], [], []])
    #expect(!list.output.contains("wouldDrop"))
    let verified = try pack("--list", "--verify", "--json")
    #expect(Self.reasons(verified) == [["newest verified", "holds legacy files"], [], []])
    #expect(try pack("--list").output.hasSuffix("\n3 backups.\n"))
    #expect(try pack("--prune").status == 64)
    #expect(try names().count == 3)
  }

  @Test func `the oldest go until the rest fits in a size`() throws {
    var sizes: [Int] = []
    for time in ["2024-01-05T08:00:00Z", "2024-01-06T08:00:00Z", "2024-01-07T08:00:00Z"] {
      let name = try backup(at: time)
      sizes.append(try Data(contentsOf: directory.appending(path: name)).count)
    }
    let fitting = "\(sizes[1] + sizes[2])"
    let list = try pack("--list", "--keep-size", fitting, "--json")
    #expect(
      Self.reasons(list) == [["newest verified", "holds legacy files"], ["size"], []])
    #expect(list.status == 0 && !list.output.contains("\"finding\""), "\(list.output)")
    // The size comes last: what another rule keeps goes, too.
    let pruned = try pack("--prune", "--apply", "--keep", "3", "--keep-size", fitting)
    #expect(pruned.status == 0 && pruned.errors.isEmpty, "\(pruned.errors)")
    #expect(pruned.output.hasSuffix("Dropped 1 older backup.\n"))
    #expect(try names().map { $0.hasSuffix("-0001.tar") } == [false, false])
  }

  @Test func `what never goes stays although it is too large, and that is said`() throws {
    let (json, _) = try folder.clean()
    for time in ["2024-01-06T08:00:00Z", "2024-01-07T08:00:00Z"] { try backup(at: time) }
    let pruned = try pack("--prune", "--apply", "--keep-size", "1k", "--json")
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(
      Self.reasons(pruned) == [["newest verified"], [], ["holds legacy files"]])
    let findings = pruned.jsonLines.filter { $0["type"] as? String == "finding" }
    #expect(findings.map { $0["code"] as? String } == ["kept"])
    #expect(findings.map { $0["severity"] as? String } == ["warning"])
    let message = try #require(findings.first?["message"] as? String)
    #expect(message.contains("never dropped") && message.contains("--keep-size"))
    #expect(FileManager.default.fileExists(atPath: json))
    #expect(try names().count == 2)
    let text = try pack("--list", "--keep-size", "1k")
    #expect(text.status == 0 && text.output.contains("never dropped"), "\(text.output)")
  }

  @Test func `of several on one day the newest stays`() throws {
    for hour in ["00:00:00", "12:00:00", "23:59:59"] { try backup(at: "2024-02-29T\(hour)Z") }
    try backup(at: "2024-03-01T00:00:00Z")
    let pruned = try pack("--prune", "--apply", "--keep-daily", "7")
    #expect(pruned.status == 0 && pruned.output.hasSuffix("Dropped 2 older backups.\n"))
    #expect(
      try names() == [
        "Minuta-20240229T235959Z-0003.tar", "Minuta-20240301T000000Z-0004.tar",
      ])
  }

  @Test func `a name or a manifest without a time that can be read makes nothing go`() throws {
    let first = try backup(at: "2024-01-05T08:00:00Z")
    _ = try backup(at: "2024-01-06T08:00:00Z")
    let files = FileManager.default
    let odd = "Minuta-20249999T999999Z-0001.tar"
    try files.moveItem(
      at: directory.appending(path: first), to: directory.appending(path: odd))
    // One whose manifest says no time cannot be read, and one of no such name is nobody's backup.
    let unread = try backup(at: "2024-01-07T08:00:00Z")
    try damage(unread, at: "-01-07T08:00:00Z")
    try Data("something else".utf8).write(to: directory.appending(path: "Minuta-yesterday.tar"))
    let pruned = try pack(
      "--prune", "--apply", "--keep-within", "1d", "--keep-daily", "1", "--json")
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(
      Self.reasons(pruned) == [
        ["unreadable"], ["newest verified", "holds legacy files", "daily"], ["time unknown"],
      ])
    #expect(pruned.summary?["dropped"] as? Int == 0)
    // A count does not look at times.
    let counted = try pack("--prune", "--apply", "--keep", "1", "--json")
    #expect(
      counted.status == 0 && Self.reasons(counted).last??.isEmpty == true, "\(counted.errors)")
    #expect(try names() == ["Minuta-20240106T080000Z-0002.tar", unread, "Minuta-yesterday.tar"])
  }

  @Test func `a backup of the future has no age and takes no day`() throws {
    try backup(at: "2024-01-05T08:00:00Z")
    try backup(at: "9998-01-05T08:00:00Z")
    try backup(at: "2024-01-06T08:00:00Z")
    let list = try pack("--list", "--keep-daily", "1", "--json")
    #expect(
      Self.reasons(list) == [
        ["newest verified", "holds legacy files", "daily"], ["time unknown"], [],
      ])
  }

  @Test func `a damaged backup lets none go for which it would have to stand`() throws {
    for time in ["2024-01-05T08:00:00Z", "2024-01-06T08:00:00Z"] { try backup(at: time) }
    try damage(try backup(at: "2024-01-07T08:00:00Z"))
    let list = try pack("--list", "--keep-daily", "1", "--json")
    #expect(list.status == 0, "\(list.errors)")
    #expect(
      Self.reasons(list) == [["newest", "daily"], ["newest verified", "holds legacy files"], []])
    #expect(Self.backups(list).map { $0["verified"] as? Bool } == [false, true, nil])
    let verified = try pack("--list", "--verify", "--keep-daily", "1", "--json")
    #expect(verified.status == 1 && Self.reasons(verified) == Self.reasons(list))
    for name in try names() where !name.hasSuffix("-0003.tar") { try damage(name) }
    let none = try pack("--prune", "--apply", "--keep", "1", "--keep-size", "1", "--json")
    #expect(none.status == 0, "\(none.errors)")
    #expect(
      Self.reasons(none) == [
        ["newest", "none verified", "count"], ["none verified"], ["none verified"],
      ])
    #expect(try names().count == 3)
  }

  @Test func `a backup that a purge relied on stays, and says so`() throws {
    let old = try backup(at: "2024-01-05T08:00:00Z")
    for time in ["2024-01-06T08:00:00Z", "2024-01-07T08:00:00Z"] { try backup(at: time) }
    try Data().write(to: directory.appending(path: old + ".keep"))
    let pruned = try pack("--prune", "--apply", "--keep", "1", "--keep-size", "1", "--json")
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(
      Self.reasons(pruned) == [
        ["newest verified", "holds legacy files", "count"], [], ["in use"],
      ])
    #expect(try names().contains(old))
  }

  @Test func `while a document does not load the rules drop nothing, and that is why`() throws {
    for time in ["2024-01-05T08:00:00Z", "2024-01-06T08:00:00Z"] { try backup(at: time) }
    try folder.write("no document", to: "records/2024/03.automerge")
    let list = try pack("--list", "--keep-daily", "1", "--json")
    #expect(list.status == 1)
    #expect(
      Self.reasons(list) == [
        ["newest verified", "holds legacy files", "daily"], ["damaged document"],
      ])
    #expect(!list.output.contains("wouldDrop"))
    #expect(try pack("--prune", "--apply", "--keep-daily", "1").status == 1)
    #expect(try names().count == 2)
  }

  /// What stands in the place of a file: a sync service's placeholder, or a link.
  private func put(_ stand: String, inPlaceOf path: String) throws {
    let url = folder.file(path)
    try FileManager.default.removeItem(at: url)
    if stand == "link" {
      try FileManager.default.createSymbolicLink(
        at: url, withDestinationURL: folder.url.appending(path: "nowhere"))
    } else {
      let name = ".\(url.lastPathComponent).icloud"
      try Data("bplist00".utf8).write(to: url.deletingLastPathComponent().appending(path: name))
    }
  }

  @Test(
    arguments: ["link", "placeholder"],
    [
      "records/2024/01/2024-01-15_093000.json", "records/2024/01/\(SmallFolder.firstID)_0.jpg",
    ])
  func `while a file is a link or not downloaded the rules drop nothing`(
    stand: String, path: String
  ) throws {
    for time in ["2024-01-05T08:00:00Z", "2024-01-06T08:00:00Z"] { try backup(at: time) }
    try put(stand, inPlaceOf: path)
    let isData = path.hasSuffix(".json")
    let list = try pack("--list", "--keep-daily", "1", "--json")
    #expect(list.status == (isData ? 1 : 0), "\(list.output)")
    #expect(
      Self.reasons(list) == [
        ["newest verified", "holds legacy files", "daily"], ["content elsewhere"],
      ])
    #expect(!list.output.contains("wouldDrop"))
    let made = try pack("--keep", "1", "--json")
    #expect(made.summary?["dropped"] as? Int == 0)
    let findings = made.jsonLines.filter { $0["type"] as? String == "finding" }
    #expect(findings.contains { $0["code"] as? String == "kept" }, "\(made.output)")
    let pruned = try pack("--prune", "--apply", "--keep", "1")
    #expect(pruned.output.contains("no backup is dropped while a file"), "\(pruned.output)")
    #expect(try names().count == 3)
  }
}
