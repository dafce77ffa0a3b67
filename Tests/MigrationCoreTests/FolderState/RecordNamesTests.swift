import Diagnostics
import FileFaults
import FolderDocuments
import Folders
import Foundation
import SafeFiles
import Testing

@testable import FolderState
@testable import MigrationCore
@testable import Runs

@Suite struct RecordNamesTests {
  private static let place = ".automerge-migrate.nosync/quarantine"
  private static let run = "20260106T120000Z"
  private static let fileID = "6F9619FF-8B86-D011-B42D-00C04FC964FF"

  private static func id(_ number: Int) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  private static func line(_ path: String, _ ids: [String]) -> String {
    let shown = ids.map { "\"\($0)\"" }.joined(separator: ",")
    let hash = String(repeating: "0", count: 64)
    return #"{"path":"\#(path)","size":2,"sha256":"\#(hash)","ids":[\#(shown)]}"#
  }

  private static func first(_ count: Int, kind: String = "legacy") -> String {
    #"{"schema":"automerge-migrate/quarantine","version":1,"kind":"\#(kind)","files":\#(count)}"#
  }

  private static func add(
    _ run: String, _ lines: [String], kind: String = "legacy", to folder: TestFolder
  ) throws {
    let all = [first(lines.count, kind: kind)] + lines
    try folder.write(all.map { $0 + "\n" }.joined(), to: "\(place)/\(run).jsonl")
    try folder.write("{}", to: "\(place)/\(run)/other.txt")
  }

  /// A folder with a run whose manifest has these lines behind its first.
  private static func folder(_ lines: [String]) throws -> TestFolder {
    let folder = try TestFolder()
    try add(run, lines, to: folder)
    try folder.write(
      #"{"id":"\#(fileID)","startTime":"2024-01-15T09:30:00Z"}"#,
      to: "\(place)/\(run)/records/2024/01/of a file.json")
    return folder
  }

  private static func names(_ folder: TestFolder, threads: Int) throws -> NameTable {
    var findings: [Finding] = []
    let names = try Quarantine.recordNames(
      of: Directory.open(path: folder.path), rules: EntityRules(), threads: threads,
      noting: &findings)
    #expect(findings == [])
    return names
  }

  private static func name(_ number: Int, in names: NameTable) -> String? {
    Identity(id(number)).flatMap(names.name).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [1, 2, 3])
  func `a manifest tells the name of each record, and the first of two`(threads: Int) throws {
    var lines = (0..<200).map { number in
      // Lines of many lengths begin at any place of the parts that threads read.
      let name = String(repeating: "n", count: number % 131) + "\(number)"
      return Self.line("records/2024/01/\(name).json", [Self.id(number)])
    }
    lines.append(Self.line("records/2024/02/later.json", [Self.id(7)]))
    lines.append(Self.line("tags.json", [Self.id(1000)]))
    lines.append(Self.line("records/2024/02/none.json", []))
    lines.append(Self.line("records/2024/02/two.json", [Self.id(2000), Self.id(2001)]))
    let names = try Self.names(Self.folder(lines), threads: threads)
    for number in 0..<200 {
      #expect(
        Self.name(number, in: names)
          == String(repeating: "n", count: number % 131) + "\(number)")
    }
    #expect(Self.name(1000, in: names) == nil)
    #expect(Self.name(2000, in: names) == "two")
    #expect(Self.name(2001, in: names) == nil)
  }

  /// Returns the names where a manifest has this text, and whether the files told them.
  private static func names(inManifest text: String) throws -> (told: Set<Int>, byFiles: Bool) {
    let folder = try folder([])
    try folder.write(text, to: "\(place)/\(run).jsonl")
    let names = try names(folder, threads: 2)
    let identity = try #require(Identity(fileID))
    return (
      Set((0..<9).filter { name($0, in: names) == String($0) }),
      names.name(of: identity) == Array("of a file".utf8)
    )
  }

  private static let lines = (0..<9).map { line("records/2024/01/\($0).json", [id($0)]) }

  @Test func `a manifest is read however its lines are parted`() throws {
    let space = String(repeating: " ", count: 900)
    let blank = String(repeating: "\n", count: 900)
    func text(_ lines: [String], separator: String = "\n") -> String {
      lines.joined(separator: separator)
    }
    let plain = [Self.first(9)] + Self.lines
    // And with a line that is longer than any that several threads read.
    let longest = String(repeating: " ", count: 1 << 20) + "}"
    let texts: [String] = [
      text(plain), text(plain, separator: "\r\n") + "\r\n", text(plain, separator: blank),
      blank + text(plain), text(plain.map { "\($0.dropLast())\(space)}" }),
      text(plain.dropLast() + plain.suffix(1).map { "\($0.dropLast())\(longest)" }),
    ]
    for text in texts {
      let (told, byFiles) = try Self.names(inManifest: text)
      #expect(told == Set(0..<9) && !byFiles, "\(text.prefix(200))")
    }
  }

  @Test func `files tell their names where a manifest lacks lines`() throws {
    let (first, lines) = (Self.first(9), Self.lines)
    var texts = ["", "\n", first, first + "\n\n", Self.first(0), lines.joined(separator: "\n")]
    texts += (0..<9).map { ([first] + lines.prefix($0)).joined(separator: "\n") + "\n" }
    texts.append(([Self.first(8)] + lines).joined(separator: "\n"))
    for text in texts {
      let (told, byFiles) = try Self.names(inManifest: text)
      #expect(told.isEmpty && byFiles, "\(text)")
    }
  }

  @Test(arguments: 0..<9)
  func `with a damaged line anywhere the files tell their names`(damaged: Int) throws {
    var lines = Self.lines
    lines[damaged].removeLast()
    let text = ([Self.first(9)] + lines).joined(separator: "\n")
    let (told, byFiles) = try Self.names(inManifest: text)
    #expect(told.isEmpty && byFiles)
  }

  @Test func `a conflict copy names a record that nothing else names`() throws {
    let folder = try TestFolder()
    // Ascending by their paths, as they are in a manifest.
    try Self.add(
      "20260106T120000Z",
      [
        Self.line("records/2024/01/a 2.json", [Self.id(1)]),
        Self.line("records/2024/01/a.json", [Self.id(1)]),
        Self.line("records/2024/01/b.json", [Self.id(2)]),
        Self.line("records/2024/01/c 2.json", [Self.id(3)]),
      ], to: folder)
    try Self.add(
      "20260107T120000Z", [Self.line("records/2024/01/of a device.json", [Self.id(2)])],
      kind: "copies", to: folder)
    let names = try Self.names(folder, threads: 2)
    #expect((1...3).map { Self.name($0, in: names) } == ["a", "b", "c 2"])
  }

  @Test func `the latest run names a record that several have`() throws {
    let folder = try TestFolder()
    // The first run died before it moved the file, which then got another name.
    try Self.add(
      "20260106T120000Z", [Self.line("records/2024/01/old.json", [Self.id(1)])], to: folder)
    try Self.add(
      "20260107T120000Z", [Self.line("records/2024/01/New.JSON", [Self.id(1)])], to: folder)
    #expect(try Self.name(1, in: Self.names(folder, threads: 2)) == "New")
  }

  @Test func `a file that cannot tell its name is told where no manifest does`() throws {
    let folder = try TestFolder()
    let path = "\(Self.place)/\(Self.run)/records/2024/01/a.json"
    try folder.write("{", to: path)
    var findings: [Finding] = []
    _ = try Quarantine.recordNames(
      of: Directory.open(path: folder.path), rules: EntityRules(), threads: 1,
      noting: &findings)
    #expect(findings.map(\.path) == [path] && findings.allSatisfy { $0.severity == .error })
  }

  @Test func `a manifest of any claimed length has some thousand parts at most`() throws {
    let folder = try Self.folder(Self.lines)
    let path = "\(folder.path)/\(Self.place)/\(Self.run).jsonl"
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.truncate(atOffset: 1 << 40)
    try handle.close()
    let quarantine = try Directory.open(path: "\(folder.path)/\(Self.place)")
    let name = try #require(FileName(Array("\(Self.run).jsonl".utf8)))
    let reader = try QuarantineManifestReader(name, in: quarantine)
    let parts = try reader.parts(of: 1)
    #expect(parts.count <= 4_096 && parts.last?.upperBound == 1 << 40)
    #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
  }
}
