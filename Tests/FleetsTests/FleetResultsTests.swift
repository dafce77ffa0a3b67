import Diagnostics
import FileFaults
import Fleets
import Foundation
import Runs
import SafeFiles
import Testing

@Suite final class FleetResultsTests {
  private let place = FileManager.default.temporaryDirectory.appending(
    path: "automerge-migrate-tests-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
  }

  deinit {
    // A directory left behind is the system's to clean.
    try? FileManager.default.removeItem(at: place)
  }

  private var path: String { place.appending(path: "results.jsonl").path }

  private func open(
    isForWriting: Bool = true, task: FleetTask = FleetResultTests.task,
    operations: any FileOperations = SystemFileOperations()
  ) throws -> FleetResults {
    try FleetResults(at: path, of: task, isForWriting: isForWriting, operations: operations)
  }

  @Test func `the last line of a folder counts`() throws {
    let results = try open()
    try results.append([
      FleetResultTests.result(of: "a", status: 1), FleetResultTests.result(of: "b"),
    ])
    try results.append([FleetResultTests.result(of: "a")])
    for results in [results, try open(isForWriting: false)] {
      #expect(results.standings.mapValues(\.status) == ["a": 0, "b": 0])
      #expect(results.foreignLineCount == 0)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == 3)
  }

  @Test func `its user alone reads it`() throws {
    try open().append([FleetResultTests.result()])
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `a missing file has no results, and reading makes none`() throws {
    #expect(try open(isForWriting: false).standings.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  /// Whatever a crash or a full disk left of a line: the folders before it are known, that one is not,
  /// and what is appended behind it is.
  @Test func `a torn line spoils itself only`() throws {
    let first = FleetResultTests.result(of: "a").line + [0x0a]
    let second = FleetResultTests.result(of: "b").line
    for length in 1..<second.count {
      try Data(first + second.prefix(length)).write(to: URL(filePath: path))
      let results = try open()
      #expect(results.standings.keys.sorted() == ["a"])
      #expect(results.foreignLineCount == 1)
      try results.append([FleetResultTests.result(of: "c")])
      #expect(try open(isForWriting: false).standings.keys.sorted() == ["a", "c"])
    }
  }

  @Test func `a line without an end is whole if it is one`() throws {
    try Data(FleetResultTests.result(of: "a").line).write(to: URL(filePath: path))
    let results = try open()
    #expect(results.foreignLineCount == 1)
    #expect(results.standings.isEmpty)
  }

  @Test func `a line that is longer than any of ours is passed over`() throws {
    let line = FleetResultTests.result(of: "a").line + [0x0a]
    try Data([UInt8](repeating: 0x20, count: 3 << 20) + [0x0a] + line).write(
      to: URL(filePath: path))
    let results = try open(isForWriting: false)
    #expect(results.standings.keys.sorted() == ["a"])
    #expect(results.foreignLineCount == 1)
  }

  @Test func `results of another task are refused`() throws {
    try open().append([FleetResultTests.result()])
    let other = FleetTask(.verifyCounts, options: ["--equal"])
    let error = #expect(throws: MigrationError.self) { try open(task: other) }
    #expect(error?.diagnostic.kind == .conflictsWithData)
    #expect(error?.diagnostic.problem.contains("verify-counts --equal") == true)
  }

  @Test func `one run at a time appends`() throws {
    let first = try open()
    let error = #expect(throws: MigrationError.self) { try open() }
    #expect(error?.diagnostic.kind == .busy)
    _ = try open(isForWriting: false)
    try first.append([FleetResultTests.result()])
  }

  @Test(arguments: [FaultPlan.Fault.failure(28), .stop, .shortWrite, .interruption])
  func `whatever call fails, what is appended after it is whole`(fault: FaultPlan.Fault) throws {
    var call = 0
    var hasFired = true
    while hasFired {
      call += 1
      // There is none before the first.
      try? FileManager.default.removeItem(atPath: path)
      let plan = FaultPlan(atCall: call, fault)
      do {
        let results = try open(operations: plan)
        try results.append([
          FleetResultTests.result(of: "a"), FleetResultTests.result(of: "b"),
        ])
      } catch is MigrationError {
        #expect(plan.hasFired)
      }
      hasFired = plan.hasFired
      try open().append([FleetResultTests.result(of: "c")])
      let read = try open(isForWriting: false)
      #expect(read.standings["c"] != nil)
      #expect(read.standings.keys.allSatisfy { ["a", "b", "c"].contains($0) })
    }
    #expect(call > 3)
  }
}
