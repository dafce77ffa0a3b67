import Diagnostics
import Foundation
import SafeFiles
import Testing

@testable import Folders

@Suite struct FolderInventoryTests {
  private let record = Samples.recordID

  @Test func `an empty folder has nothing in it`() throws {
    let inventory = try TestFolder().inventory()
    #expect(inventory.count == 0)
    #expect(!inventory.hasLegacyFiles)
    #expect(inventory.findings().isEmpty)
    #expect(inventory.recordGroups.isEmpty)
    #expect(inventory.legacyFiles(of: .tags).isEmpty)
    #expect(inventory.layoutEvidence == .none)
  }

  @Test func `every file of a folder has its class`() throws {
    let inventory = try TestFolder([
      "tags.json": "{}", "tags.automerge": "", "tags 2.json": "", "tags 2.automerge": "",
      "tags.automerge.conflict1": "", "notes.txt": "", "other.json": "", ".DS_Store": "",
      ".minuta.writelock.nosync": "", ".tags.automerge.ab12.tmp.nosync": "",
      ".automerge-migrate.nosync/quarantine/x/tags.json": "", ".git/config": "",
      "records/2024/01.automerge": "", "records/2024/1.automerge": "",
      "records/2024/01 2.automerge": "", "records/2024/01 (Anna's conflicted copy).automerge": "",
      "records/2024/notes.automerge": "", "records/2024/01/2024-01-15_093000.json": "",
      "records/2024/01/2024-01-15_093000 2.JSON": "",
      "records/2024/01/2024-01-15_093000.automerge": "", "records/2024/01/\(record)_0.jpg": "",
      "records/2024/01/\(record)_1.xyz": "", "records/2024/01/readme.txt": "",
      "records/2024/01/x.json.conflict1": "", "records/2024/01/.hidden.json": "",
      "records/stray.json": "", "records/2024-02 stray.json": "", "images/2024/01/a.png": "",
      "images/2024/01/a.txt": "", "other/records/2024/01/a.json": "", "other/a.automerge": "",
      "records/2024/01/deep/2024-03-01_000000.json": "", "records/2024/01/deep/x.automerge": "",
    ]).inventory()
    let expected: [String: FileClass] = [
      "tags.json": .fixedFile, "tags.automerge": .fixedDocument, "tags 2.json": .conflictCopy,
      "tags 2.automerge": .otherDocument, "tags.automerge.conflict1": .otherDocument,
      "notes.txt": .foreign, "other.json": .foreign, ".DS_Store": .foreign,
      ".minuta.writelock.nosync": .lock, ".tags.automerge.ab12.tmp.nosync": .ownTemporary,
      ".automerge-migrate.nosync": .ownState, ".git": .foreign,
      "records/2024/01.automerge": .monthDocument, "records/2024/1.automerge": .monthDocument,
      "records/2024/01 2.automerge": .otherDocument,
      "records/2024/01 (Anna's conflicted copy).automerge": .otherDocument,
      "records/2024/notes.automerge": .otherDocument,
      "records/2024/01/2024-01-15_093000.json": .patternFile,
      "records/2024/01/2024-01-15_093000 2.JSON": .patternFile,
      "records/2024/01/2024-01-15_093000.automerge": .entityDocument,
      "records/2024/01/\(record)_0.jpg": .image, "records/2024/01/\(record)_1.xyz": .image,
      "records/2024/01/readme.txt": .foreign, "records/2024/01/x.json.conflict1": .conflictCopy,
      "records/2024/01/.hidden.json": .foreign, "records/stray.json": .misplacedFile,
      "records/2024-02 stray.json": .patternFile, "images/2024/01/a.png": .image,
      "images/2024/01/a.txt": .foreign, "other/records/2024/01/a.json": .foreign,
      "other/a.automerge": .foreign, "records/2024/01/deep/2024-03-01_000000.json": .patternFile,
      "records/2024/01/deep/x.automerge": .otherDocument,
    ]
    let found = Dictionary(
      uniqueKeysWithValues: inventory.indices.map {
        (inventory.path(of: $0).description, inventory.fileClass(of: $0))
      })
    #expect(found == expected)
    #expect(inventory.legacyFiles(of: .tags).first.map(inventory.path(of:)) == "tags.json")
    #expect(inventory.documents.count == 10)
  }

  @Test func `files are numbered in the byte order of their paths`() throws {
    let paths = [
      "records/2024/01 2/a.json", "records/2024/01.automerge", "records/2024/01/a.json",
      "records/2024/01-x/a.json", "records/2024/010.json", "records/2024/01/b/2024-01.json",
      "records/2024/01/b.json", "records 2/2024/01/a.json", "records.txt", "records/2024/01/ä.json",
      "records/2024/01/Z.json", "tags.json", "records/2024 2/01/a.json",
    ]
    let inventory = try TestFolder(Dictionary(uniqueKeysWithValues: paths.map { ($0, "") }))
      .inventory()
    let expected = paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    #expect(
      inventory.indices.map { inventory.path(of: $0).bytes } == expected.map { Array($0.utf8) })
  }

  // MARK: Months

  @Test(arguments: [
    ("records/2024/01/x.json", "2024-01"), ("records/2024/1/x.json", "2024-01"),
    ("records/2024/12/x.json", "2024-12"), ("records/2024/01 2/x.json", "2024-01"),
    ("records/2024/1 3/x.json", "2024-01"), ("records/2024 2/01/x.json", "2024-01"),
    ("records 2/2024/01/x.json", "2024-01"), ("records 2/2024 3/1 4/x.json", "2024-01"),
    ("records/0000/01/x.json", "0000-01"),
    // The directory decides, whatever the name or the start time says.
    ("records/2024/01/2023-07-15_093000.json", "2024-01"),
    // Anywhere else the first seven characters of the name do.
    ("records/2024-03-15_093000.json", "2024-03"),
    ("records/2024/2023-07-15_093000.json", "2023-07"),
    ("records/2024/13/2024-03.json", "2024-03"), ("records/2024/01/sub/2022-12x.json", "2022-12"),
    ("records/24/01/2024-05.json", "2024-05"), ("records/old/2024/01/2021-02-01.json", "2021-02"),
    ("records/2024 1/01/2024-06.json", "2024-06"),
  ])
  func `the month of a record is its directory's, else its name's`(path: String, month: String)
    throws
  {
    let inventory = try TestFolder([path: Samples.record()]).inventory()
    let file = try #require(inventory.file(path))
    #expect(inventory.fileClass(of: file) == .patternFile)
    #expect(inventory.month(of: file)?.description == month)
    #expect(inventory.recordGroups.map(\.month?.description) == [month])
  }

  @Test(arguments: [
    "records/x.json", "records/2024/x.json", "records/2024/2024-13-01.json",
    "records/2024/2024-1.json",
    "records/2024/00/202-01-01.json", "records/2024/01/sub/x.json", "records/2024_01_15.json",
    "records/2024/2024-00.json",
  ])
  func `a record without a month is an error and in no group`(path: String) throws {
    let inventory = try TestFolder([path: Samples.record()]).inventory()
    #expect(inventory.fileClass(path) == .misplacedFile)
    #expect(inventory.recordGroups.isEmpty)
    let finding = try #require(inventory.findings().first)
    #expect(finding.code == .unknownMonth && finding.severity == .error && finding.path == path)
  }

  @Test func `names that start with a dot are skipped`() throws {
    let inventory = try TestFolder([
      "records/2024/01/.x.json": "", "records/.2024/01/x.json": "", ".records/2024/01/x.json": "",
      "records/2024/.01/x.json": "",
    ]).inventory()
    #expect(inventory.recordFiles.isEmpty)
    #expect(!inventory.hasLegacyFiles)
  }

  @Test func `records are grouped by month across all directories that mean it`() throws {
    let inventory = try TestFolder([
      "records/2024/01/b.json": "", "records/2024/1/a.json": "", "records/2024 2/01/c.json": "",
      "records/2023/12/d.json": "", "records/2024-01-e.json": "", "records/2024/02/f.json": "",
    ]).inventory()
    let groups = inventory.recordGroups.map { group in
      [group.month?.description ?? ""]
        + inventory.legacyFiles(of: group).map { inventory.path(of: $0).description }
    }
    #expect(
      groups == [
        ["2023-12", "records/2023/12/d.json"],
        [
          "2024-01", "records/2024 2/01/c.json", "records/2024-01-e.json",
          "records/2024/01/b.json", "records/2024/1/a.json",
        ],
        ["2024-02", "records/2024/02/f.json"],
      ])
  }

  @Test func `a document's month is in its name or in its directory`() throws {
    let inventory = try TestFolder([
      "records/2024/01.automerge": "", "records/2024/3.automerge": "",
      "records/2023/12/x.automerge": "", "records/2024/.02.automerge.icloud": "",
      "tags.automerge": "",
    ]).inventory()
    func month(_ path: String) throws -> String? {
      inventory.month(of: try #require(inventory.file(path)))?.description
    }
    #expect(try month("records/2024/01.automerge") == "2024-01")
    #expect(try month("records/2024/3.automerge") == "2024-03")
    #expect(try month("records/2023/12/x.automerge") == "2023-12")
    #expect(try month("records/2024/.02.automerge.icloud") == "2024-02")
    #expect(try month("tags.automerge") == nil)
  }

  // MARK: Not what they seem

  @Test func `placeholders are what they stand for, and an error if that is data`() throws {
    let inventory = try TestFolder([
      ".tags.json.icloud": "", "records/2024/01/.a.json.icloud": "",
      "records/2024/.01.automerge.icloud": "", "records/2024/01/.\(record)_0.jpg.icloud": "",
      ".records.icloud": "",
    ]).inventory()
    #expect(inventory.recordFiles.isEmpty && inventory.documents.isEmpty)
    #expect(inventory.legacyFiles(of: .tags).isEmpty && inventory.hasLegacyFiles)
    #expect(inventory.layoutEvidence == .only(.monthly))
    let expected: [(String, FileClass, Severity)] = [
      (".records.icloud", .directory, .error), (".tags.json.icloud", .fixedFile, .error),
      ("records/2024/.01.automerge.icloud", .monthDocument, .error),
      ("records/2024/01/.\(record)_0.jpg.icloud", .image, .warning),
      ("records/2024/01/.a.json.icloud", .patternFile, .error),
    ]
    let findings = inventory.findings()
    #expect(findings.map(\.path) == expected.map(\.0))
    #expect(findings.map(\.severity) == expected.map(\.2))
    #expect(findings.allSatisfy { $0.code == .placeholder && $0.next != nil })
    for (path, nominal, _) in expected {
      let file = try #require(inventory.file(path))
      #expect(inventory.fileClass(of: file) == .placeholder)
      #expect(inventory.nominalClass(of: file) == nominal)
    }
  }

  @Test func `symbolic links are never followed`() throws {
    let outside = try TestFolder([
      "2024/01/x.json": Samples.record(), "tags.json": "[]", "x.json": Samples.record(),
    ])
    let folder = try TestFolder(["records/2023/01/a.json": Samples.record()])
    try folder.link("records/2024", to: outside.url.appending(path: "2024").path)
    try folder.link("tags.json", to: outside.url.appending(path: "tags.json").path)
    try folder.link("records/2023/01/b.json", to: "a.json")
    try folder.link("records/2023/02", to: "01")
    try folder.link("records/2023/01/loop", to: "..")
    try folder.link("elsewhere", to: "/")
    let inventory = try folder.inventory()
    #expect(inventory.recordFiles.map { inventory.path(of: $0) } == ["records/2023/01/a.json"])
    #expect(inventory.legacyFiles(of: .tags).isEmpty)
    let findings = inventory.findings()
    #expect(findings.allSatisfy { $0.code == .symbolicLink })
    #expect(
      findings.filter { $0.severity == .error }.map(\.path) == [
        "records/2023/01/b.json", "records/2023/02", "records/2024", "tags.json",
      ])
    #expect(
      findings.filter { $0.severity == .warning }.map(\.path) == [
        "elsewhere", "records/2023/01/loop",
      ])
  }

  @Test func `a link in place of records hides data and is an error`() throws {
    let outside = try TestFolder(["2024/01/x.json": Samples.record()])
    let folder = try TestFolder()
    try folder.link("records", to: outside.url.path)
    let findings = try folder.inventory().findings()
    #expect(findings.map(\.code) == [.symbolicLink])
    #expect(findings.map(\.severity) == [.error])
  }

  @Test func `pipes are skipped with a finding and never opened`() throws {
    let folder = try TestFolder(["records/2024/01/": ""])
    for path in ["records/2024/01/x.json", "pipe"] { try folder.makePipe(path) }
    let inventory = try folder.inventory()
    #expect(inventory.recordFiles.isEmpty)
    #expect(inventory.findings().map(\.code) == [.specialFile, .specialFile])
    #expect(inventory.findings().map(\.severity) == [.warning, .error])
  }

  @Test func `names that are no UTF-8 are listed as bytes and shown escaped`() throws {
    #if os(Linux)
      let folder = try TestFolder(["records/2024/01/": ""])
      try folder.create([0x62, 0xff, 0x0a] + Array(".json".utf8), in: "records/2024/01")
      let inventory = try folder.inventory()
      #expect(inventory.recordFiles.count == 1)
      #expect(Array(inventory.nameBytes(of: 0)) == [0x62, 0xff, 0x0a] + Array(".json".utf8))
      #expect(inventory.path(of: 0).description == #"records/2024/01/b\xff\n.json"#)
    #endif
  }

  @Test func `directories deeper than the limit are an error and not entered`() throws {
    let folder = try TestFolder()
    let deep = (0..<70).map { _ in "d" }.joined(separator: "/")
    try folder.write("", to: deep + "/x.txt")
    let (inventory, unlisted) = try folder.listing()
    #expect(inventory.count == 1)
    #expect(unlisted.map(\.code) == [.unreadable])
    #expect(unlisted.map(\.severity) == [.error])
    #expect(unlisted.map(\.path) == inventory.indices.map { inventory.path(of: $0).description })
  }

  @Test func `foreign files are listed, and counted when there are many`() throws {
    let folder = try TestFolder()
    for number in 0..<130 { try folder.write("", to: "notes/\(number).txt") }
    let findings = try folder.inventory().findings()
    #expect(findings.count == 101)
    #expect(findings.allSatisfy { $0.code == .foreignFile && $0.severity == .info })
    #expect(findings.last?.message.hasPrefix("30 more") == true)
  }

  // MARK: Images

  @Test func `images are found beside the record, in its month and under images`() throws {
    let inventory = try TestFolder([
      "records/2024/01/a.json": "", "records/2024/01/1.jpg": "", "records/2024/1/2.jpg": "",
      "images/2024/01/3.jpg": "", "images/2024/02/4.jpg": "", "records/2024/01/note": "",
      "records/2024/01/sub/5.jpg": "", "records/2024/01/1.jpg 2": "",
    ]).inventory()
    let record = try #require(inventory.file("records/2024/01/a.json"))
    func found(_ name: String) -> String? {
      let bytes = Array(name.utf8)
      return inventory.image(named: bytes.span, of: record)
        .map { inventory.path(of: $0).description }
    }
    #expect(found("1.jpg") == "records/2024/01/1.jpg")
    #expect(found("2.jpg") == "records/2024/1/2.jpg")
    #expect(found("3.jpg") == "images/2024/01/3.jpg")
    #expect(found("note") == "records/2024/01/note")
    for name in [
      "4.jpg", "5.jpg", "sub/5.jpg", "", "1.jp", "1.jpg2", "a.json", "../01/1.jpg", "0", "zzz",
    ] {
      #expect(found(name) == nil, "\(name)")
    }
  }

  @Test func `an image name matches under normalisation and prefers equal bytes`() throws {
    let composed = "caf\u{e9}.jpg"
    let decomposed = "cafe\u{301}.jpg"
    let only = try TestFolder(["records/2024/01/\(decomposed)": ""]).inventory()
    let both = try TestFolder([
      "records/2024/01/\(decomposed)": "", "images/2024/01/\(composed)": "",
    ]).inventory()
    let month = try #require(Month(year: 2024, month: 1))
    let name = Array(composed.utf8)
    let found = only.image(named: name.span, in: month)
    #expect(found.map { Array(only.nameBytes(of: $0)) } == Array(decomposed.utf8))
    let exact = both.image(named: name.span, in: month)
    #expect(exact.map { both.path(of: $0).bytes } == Array("images/2024/01/\(composed)".utf8))
  }

  @Test func `every file of a crowded month is found by its name and no other is`() throws {
    let folder = try TestFolder()
    for number in 0..<300 { try folder.write("", to: "records/2024/01/\(number * 7).jpg") }
    for name in ["1", "14", "7.jpg 2", "70"] {
      try folder.write("", to: "records/2024/01/\(name)/inside.jpg")
    }
    let inventory = try folder.inventory()
    let month = try #require(Month(year: 2024, month: 1))
    for number in 0..<2200 {
      let name = Array("\(number).jpg".utf8)
      let found = inventory.image(named: name.span, in: month)
      #expect((found != nil) == (number % 7 == 0 && number < 2100), "\(number)")
      if let found { #expect(Array(inventory.nameBytes(of: found)) == name) }
    }
  }

  // MARK: Layouts

  @Test func `the layout is what the documents show`() throws {
    let monthly = try TestFolder(["records/2024/01.automerge": ""]).inventory()
    let perRecord = try TestFolder(["records/2024/01/a.automerge": ""]).inventory()
    let mixed = try TestFolder([
      "records/2024/01.automerge": "", "records/2024/01/a.automerge": "",
    ]).inventory()
    let none = try TestFolder(["tags.automerge": ""]).inventory()
    #expect(monthly.layoutEvidence == .only(.monthly) && monthly.automaticLayout == .monthly)
    #expect(
      perRecord.layoutEvidence == .only(.perRecord) && perRecord.automaticLayout == .perRecord)
    #expect(mixed.layoutEvidence == .mixed && mixed.automaticLayout == .monthly)
    #expect(none.layoutEvidence == .none && none.automaticLayout == .monthly)
  }

  #if os(Linux)
    @Test func `names that only case or a Unicode form tells apart are told`() throws {
      let folder = try TestFolder()
      // One by one: as keys of a dictionary two of them are one.
      for name in ["a.json", "A.json", "e\u{301}.jpg", "\u{e9}.jpg", "B.jpg", "b.json"] {
        try folder.write("", to: "records/2024/01/\(name)")
      }
      try folder.write("", to: "records/2024/02/A.json")
      let inventory = try folder.inventory()
      let told = inventory.findings().filter { $0.code == .nameCollision }
      #expect(told.map(\.path) == ["records/2024/01/A.json", "records/2024/01/\u{e9}.jpg"])
      #expect(told.allSatisfy { $0.severity == .warning })
    }
  #endif
}
