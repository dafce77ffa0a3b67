import Diagnostics
import FolderDocuments
import Folders
import Foundation
import SampleStores
import Testing

@testable import MigrationCore
@testable import Runs

/// The second reader of a store's cells, which tells what the lines of the first one do not say.
@Suite struct StoreWitnessTests {
  /// Imports a stream that says something else than the store it came from, and verifies it against
  /// that stream, in which nothing differs, with the cells of the store as witness.
  private func verify(
    _ place: StorePlace, altering alter: (String) -> String
  ) throws -> VerificationReport {
    let lines = try place.exporting { $0.includesPrivate = true }.lines.map(alter)
    let file = place.folder.beside("stream.jsonl")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
    let stores = try #require(
      try StoreSource.open(place.stores.path, context: TestFolder.context()))
    var context = TestFolder.context()
    context.kinds = stores.kinds
    func source() throws -> (ByteSource, FileHandle) {
      let handle = try #require(FileHandle(forReadingAtPath: file))
      return (ByteSource(name: "stream", descriptor: handle.fileDescriptor), handle)
    }
    let (imported, first) = try source()
    var options = ImportOptions(source: .stream(imported), target: place.folder.path)
    options.includesPrivate = true
    _ = try ImportWorkflow(options, context: context).perform()
    withExtendedLifetime(first) {}
    let (compared, second) = try source()
    var references = try VerificationReferences.stream(
      compared, rules: EntityRules(), context: context)
    references.witness = StoreWitness(stores)
    let folder = try FolderAccess.open(place.folder.path, context: context)
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(of: folder, as: context.kinds, noting: &unlisted)
    var run = VerificationRun(
      folder, inventory, unlisted: unlisted, against: references, context: context)
    defer { withExtendedLifetime(second) {} }
    return try run.run().report
  }

  @Test(arguments: [SampleApp.ritualist, .laundryTime, .library])
  func `what a store says is what its cells say`(app: SampleApp) throws {
    let place = try StorePlace(StorePlace.plan(app))
    let report = try verify(place) { $0 }
    #expect(!report.findings.contains { $0.code == .fieldDiffers }, "\(report.findings)")
  }

  /// What lines could say wrong, and of which property that is told.
  private static let faults: [(from: String, to: String, property: String)] = [
    (#""kindRaw":0"#, #""kindRaw":1"#, "kindRaw"),
    (#""isActive":true"#, #""isActive":false"#, "isActive"),
    (#""timezone":"UTC""#, #""timezone":"utc""#, "timezone"), (#"T"#, #"t"#, ""),
    (#""remindersData":[{"#, #""remindersData":[{"x":1,"#, "remindersData"),
    (#""habit":""#, #""habit":"HabitModel/p1","more":""#, "habit"),
    (#""notes":null"#, #""notes":"""#, "notes"),
  ]

  @Test(arguments: faults.indices)
  func `a mistake in the lines is told by the cells`(index: Int) throws {
    let (from, to, property) = Self.faults[index]
    let place = try StorePlace(StorePlace.plan(.ritualist))
    let report = try verify(place) { line in
      guard !property.isEmpty, line.hasPrefix(#"{"kind":"#) else { return line }
      return line.replacingOccurrences(of: from, with: to)
    }
    let told = report.findings.filter {
      $0.code == .fieldDiffers && $0.message.contains("cells") && $0.message.contains(property)
    }
    #expect(told.isEmpty == property.isEmpty, "\(from): \(report.findings.prefix(3))")
  }

  /// What lines could say wrong about links: one less, one more, others.
  private static let wrongLinks: [(property: String, alter: @Sendable ([String]) -> [String])] = [
    ("tags", { Array($0.dropFirst()) }), ("tags", { $0 + ["Tag/p99"] }),
    ("shelves", { Array($0.dropFirst()) }), ("books", { $0.isEmpty ? ["Book/p1"] : [] }),
  ]

  @Test(arguments: wrongLinks.indices)
  func `links that lines say wrong are told by the tables of pairs`(index: Int) throws {
    let (property, alter) = Self.wrongLinks[index]
    let place = try StorePlace(StorePlace.plan(.library))
    let start = "\"\(property)\":["
    let count = Counter()
    let report = try verify(place) { line in
      guard line.hasPrefix(#"{"kind":"#), let range = line.range(of: start),
        let end = line[range.upperBound...].firstIndex(of: "]")
      else { return line }
      let links = line[range.upperBound..<end].split(separator: ",").map {
        String($0.dropFirst().dropLast())
      }
      let altered = alter(links)
      if altered != links { count.value += 1 }
      return line.replacingCharacters(
        in: range.upperBound..<end, with: altered.map { "\"\($0)\"" }.joined(separator: ","))
    }
    let told = report.findings.filter {
      $0.code == .fieldDiffers && $0.message.contains("cells") && $0.message.contains(property)
    }
    #expect(count.value > 0)
    #expect(told.count == count.value, "\(report.findings.prefix(3))")
  }

  @Test(arguments: [
    (#""latitude":52.52"#, #""latitude":52.53"#), (#""longitude":13.405"#, #""longitude":null"#),
    (#""home":{"#, #""home":{"height":1,"#), (#""home":null"#, #""home":{}"#),
  ])
  func `a composite that lines say wrong is told by the cells`(from: String, to: String) throws {
    let place = try StorePlace(StorePlace.plan(.library))
    let count = Counter()
    let report = try verify(place) { line in
      if line.hasPrefix(#"{"kind":"#), line.contains(from) { count.value += 1 }
      return line.replacingOccurrences(of: from, with: to)
    }
    let told = report.findings.filter {
      $0.code == .fieldDiffers && $0.message.contains("cells") && $0.message.contains("home")
    }
    #expect(count.value > 0)
    #expect(told.count == count.value, "\(report.findings.prefix(3))")
  }

  private final class Counter { var value = 0 }
}
