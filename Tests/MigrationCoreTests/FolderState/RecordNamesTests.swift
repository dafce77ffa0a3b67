import Diagnostics
import FileFaults
import FolderDocuments
import Folders
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

  /// A folder with a run whose manifest has these lines behind its first.
  private static func folder(_ lines: [String]) throws -> TestFolder {
    let folder = try TestFolder()
    let first = #"{"schema":"automerge-migrate/quarantine","version":1,"kind":"legacy"}"#
    try folder.write(
      ([first] + lines).map { $0 + "\n" }.joined(), to: "\(place)/\(run).jsonl")
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
    let names = try Self.names(Self.folder(lines), threads: threads)
    for number in 0..<200 {
      #expect(
        Self.name(number, in: names)
          == String(repeating: "n", count: number % 131) + "\(number)")
    }
    #expect(Self.name(200, in: names) == nil)
    #expect(Self.name(1000, in: names) == nil)
  }

  @Test(arguments: 0..<9)
  func `with a damaged line anywhere the files tell their names`(damaged: Int) throws {
    var lines = (0..<9).map { Self.line("records/2024/01/\($0).json", [Self.id($0)]) }
    lines[damaged].removeLast()
    let names = try Self.names(Self.folder(lines), threads: 2)
    #expect((0..<9).allSatisfy { Self.name($0, in: names) == nil })
    let identity = try #require(Identity(Self.fileID))
    #expect(names.name(of: identity) == Array("of a file".utf8))
  }
}
