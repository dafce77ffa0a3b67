import Backups
import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// A backup belongs to a folder by what it holds, wherever the two are.
@Suite struct FolderBondTests {
  private func folder(_ numbers: Range<Int> = 1..<4) throws -> TestFolder {
    let folder = try TestFolder()
    try write(numbers, to: folder)
    try folder.importing()
    return folder
  }

  private func write(_ numbers: Range<Int>, to folder: TestFolder) throws {
    for number in numbers {
      try folder.write(Legacy.record(number), to: "records/2024/0\(number % 9 + 1)/\(number).json")
    }
  }

  private func workflow(
    _ path: String, in place: String?, _ configure: (inout PackOptions) -> Void = { _ in }
  ) -> PackWorkflow {
    var options = PackOptions(folder: path)
    options.backupDirectory = place
    configure(&options)
    return PackWorkflow(options, context: TestFolder.context())
  }

  private func listed(_ path: String, in place: String? = nil) throws -> [String] {
    try workflow(path, in: place).list(isVerifying: true).archives.map { name(of: $0.path) }
  }

  private func name(of path: String) -> String { URL(filePath: path).lastPathComponent }

  private func names(in place: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place).sorted()
  }

  private func move(_ path: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: path, toPath: other)
  }

  /// Writes a backup as they were before folders had numbers.
  private func packWithoutNumber(_ folder: TestFolder) throws -> String {
    let place = folder.path + "-backups"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let (source, target) = (try Directory.open(path: folder.path), try Directory.open(path: place))
    let time = FileTime(seconds: 1_767_700_800)
    var packer = try BackupPacker(source, named: "Minuta", created: time)
    let names = try BackupStore(target, for: source, named: "Minuta")
      .nextNames(at: time, isCompressed: false)
    return try packer.pack(into: target, isCompressed: false, names: names).archive.path
  }

  @Test func `a folder that was moved has its backups, and drops the oldest of them`() throws {
    let folder = try folder()
    for number in 0..<3 {
      try folder.write("\(number)", to: "n.txt")
      try folder.packing()
    }
    let (elsewhere, place) = (folder.beside("far/away"), folder.path + "-backups")
    try FileManager.default.createDirectory(
      atPath: folder.beside("far"), withIntermediateDirectories: false)
    try move(folder.path, to: elsewhere)
    let all = try names(in: place)
    #expect(try listed(elsewhere, in: place) == all.reversed())
    let reused = try workflow(elsewhere, in: place) { $0.reusesVerified = true }.perform()
    #expect(reused.archives.map(\.outcome) == [.reused])
    #expect(reused.archives[0].origin?.hasSuffix("/Minuta") == true)
    let pruned = try workflow(elsewhere, in: place) { $0.retention.count = 1 }
      .prune(isApplying: true)
    #expect(pruned.archives.count { $0.outcome == .dropped } == 2)
    #expect(try names(in: place) == [all[2]])
  }

  @Test func `a folder that was renamed has the backups of its former name beside it`() throws {
    let folder = try folder()
    for _ in 0..<2 { try folder.packing() }
    let (renamed, former) = (folder.beside("Notes"), folder.path + "-backups")
    try move(folder.path, to: renamed)
    #expect(try listed(renamed) == names(in: former).reversed())
    let new = try workflow(renamed, in: nil) { $0.retention.count = 1 }.perform()
    #expect(try names(in: former) == [])
    #expect(try names(in: renamed + "-backups") == [name(of: new.archives[0].path)])
    // Those of a folder that is there are not even looked into.
    let other = try TestFolder("Other")
    try move(other.path, to: folder.path)
    try Data().write(to: URL(filePath: former + "/Minuta-20260106T120000Z-0009.tar"))
    #expect(try listed(renamed).count == 1)
  }

  @Test func `neither a folder nor its copy drops what was made of the other`() throws {
    let folder = try folder()
    let copy = folder.beside("copy/Minuta")
    let place = folder.path + "-backups"
    try folder.packing()
    try FileManager.default.createDirectory(
      atPath: folder.beside("copy"), withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: folder.path, toPath: copy)
    #expect(try listed(copy, in: place).count == 1)
    for number in 0..<3 {
      for path in [folder.path, copy] {
        try Data("\(number)".utf8).write(to: URL(filePath: path + "/n.txt"))
        _ = try workflow(path, in: place) { $0.retention.count = 1 }.perform()
      }
    }
    // One of each, and the first one, which knows of no copy yet, is the folder's.
    #expect(try names(in: place).count == 2)
    for path in [folder.path, copy] { #expect(try listed(path, in: place).count == 2) }
  }

  @Test func `another folder at the path of one that was moved has none of its backups`() throws {
    for hasNumber in [true, false] {
      let folder = try folder()
      let backup = try hasNumber ? folder.packing().archives[0].path : packWithoutNumber(folder)
      try move(folder.path, to: folder.beside("moved"))
      try write(5..<8, to: folder)
      try folder.importing()
      let place = folder.path + "-backups"
      #expect(try listed(folder.path) == [])
      for _ in 0..<3 { try folder.packing { $0.retention.count = 1 } }
      #expect(FileManager.default.fileExists(atPath: backup))
      #expect(try listed(folder.path).count == 1)
      #expect(try listed(folder.beside("moved"), in: place) == [name(of: backup)])
    }
  }

  @Test func `an old backup is known by the entities it shares with the folder`() throws {
    let folder = try folder()
    let old = try packWithoutNumber(folder)
    #expect(try BackupArchive(path: old).summary().folderNumber == nil)
    // The JSON is gone for good, and the documents were edited: the bytes have nothing in common.
    try folder.cleaning(backup: old)
    for month in 2...4 {
      try folder.edit("records/2024/0\(month).automerge", actor: 7) {
        let identity = Identity(Array(Legacy.id(month - 1).utf8).span)
        try $0.set("comment", of: #require(identity), to: "edited")
      }
    }
    let place = folder.path + "-backups"
    #expect(try listed(folder.path) == [name(of: old)])
    let elsewhere = folder.beside("elsewhere")
    // A copy that support got has no state of ours.
    try FileManager.default.copyItem(atPath: folder.path, toPath: elsewhere)
    try FileManager.default.removeItem(atPath: elsewhere + "/.automerge-migrate.nosync")
    #expect(try listed(elsewhere, in: place) == [name(of: old)])
    for _ in 0..<2 { _ = try workflow(elsewhere, in: place) { $0.retention.count = 1 }.perform() }
    #expect(FileManager.default.fileExists(atPath: old))
    let stranger = try TestFolder()
    try write(5..<8, to: stranger)
    #expect(try listed(stranger.path, in: place) == [])
    // Where it was made it is the folder's own.
    for _ in 0..<2 { try folder.packing { $0.retention.count = 1 } }
    #expect(FileManager.default.fileExists(atPath: old), "the newest with legacy files")
  }

  @Test func `a folder that cannot be looked at whole leaves no backup out without a word`() throws
  {
    let folder = try folder()
    let old = try packWithoutNumber(folder)
    // A copy that support got has no state of ours: only what it holds says whose it is.
    let elsewhere = folder.beside("elsewhere")
    try FileManager.default.copyItem(atPath: folder.path, toPath: elsewhere)
    try FileManager.default.removeItem(atPath: elsewhere + "/.automerge-migrate.nosync")
    var options = PackOptions(folder: elsewhere)
    options.backupDirectory = folder.path + "-backups"
    func list(_ plan: FaultPlan) throws(MigrationError) -> BackupReport {
      let context = TestFolder.context(workers: 1, faults: plan)
      return try PackWorkflow(options, context: context).list(isVerifying: false)
    }
    let all = FaultPlan(atCall: .max, .stop, calls: .openingDirectories)
    #expect(try list(all).archives.map { name(of: $0.path) } == [name(of: old)])
    for call in 1...all.callCount {
      let plan = FaultPlan(atCall: call, .failure(EIO), calls: .openingDirectories)
      do throws(MigrationError) {
        let report = try list(plan)
        // What can be read shares enough, or it is told.
        #expect(report.archives.count == 1 || report.endsWithDifferences, "\(plan.opened)")
      } catch {
        #expect(plan.hasFired)
      }
    }
  }

  @Test func `a folder that lost everything finds the backups that were made where it is`() throws {
    let folder = try folder()
    try folder.packing()
    try FileManager.default.removeItem(atPath: folder.path)
    try FileManager.default.createDirectory(
      atPath: folder.path, withIntermediateDirectories: false)
    #expect(try listed(folder.path).count == 1)
    try folder.packing { $0.retention.count = 1 }
    try folder.packing { $0.retention.count = 1 }
    #expect(try listed(folder.path).count == 2)
  }
}
