import Diagnostics
import Folders
import SafeFiles
import Testing

@testable import FolderState
@testable import MigrationCore
@testable import Runs

/// Files that leave by several threads.
@Suite struct DepartureTests {
  @Test(arguments: [1, 2, 4])
  func `of a directory of which some files leave something, each is where it belongs`(
    threads: Int
  ) throws {
    let folder = try TestFolder()
    let rest: [UInt8] = [1, 2, 3]
    let names = (1000..<1600).map { "\($0).json" }
    for name in names { try folder.write(Array(name.utf8), to: "d/\(name)") }
    let directory = try Directory.open(path: folder.path)
    let place = try Directory.open(path: folder.path + "/d")
    let files = try names.map { name in
      QuarantinedFile(
        path: try #require(RelativePath("d/\(name)")),
        version: try place.version(of: #require(FileName(name))),
        rest: name.hasSuffix("50.json") ? ContentHash(of: rest) : nil, identities: [])
    }
    var context = RunContext(command: "test")
    context.workerCount = threads
    let mover = try QuarantineMover(directory, begun: FileTime(seconds: 1_700_000_000))
    try mover.publishManifest(files, of: .legacy, command: "test")
    var departure = Departure(files, with: mover, context: context)
    var outcomes: [RelativePath: QuarantineMover.Outcome] = [:]
    try departure.perform(preparing: {}, leaving: { _ in rest }) { batch in
      #expect(batch.findings.isEmpty)
      for (file, outcome) in zip(batch.files, batch.outcomes) { outcomes[file.path] = outcome }
      return true
    }
    #expect(departure.restCount == 0 && outcomes.count == files.count)
    #expect(outcomes.values.allSatisfy { $0 == .moved })
    for name in names {
      #expect(try folder.bytes("\(mover.run.path)/d/\(name)") == Array(name.utf8))
      if name.hasSuffix("50.json") {
        #expect(try folder.bytes("d/\(name)") == rest)
      } else {
        #expect(!folder.exists("d/\(name)"))
      }
    }
    #expect(try !folder.files(includingState: true).keys.contains { $0.hasSuffix(".moving") })
  }
}
