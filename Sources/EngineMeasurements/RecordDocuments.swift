import Automerge
import SampleFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The records and the documents made of them, each when it is first asked for.
final class RecordDocuments {
  static let standardCount = 100_000

  let count: Int
  private(set) lazy var records = TimeRecords(count: count)
  private var savedRecords: Data?
  private var savedForks: [Data] = []
  private var loadedRecords: Document?
  private var loadedFork: Document?
  /// How many changes each fork has that the other lacks.
  let editCount: Int

  init(count: Int = standardCount, editCount: Int = 1000) {
    self.count = count
    self.editCount = editCount
  }

  /// Returns the document of all records as a file.
  func saved() throws -> Data {
    if let savedRecords { return savedRecords }
    let bytes = try records.document().save()
    savedRecords = bytes
    return bytes
  }

  /// Returns the loaded document of all records.
  func loaded() throws -> Document {
    if let loadedRecords { return loadedRecords }
    let document = try Document(saved())
    loadedRecords = document
    return document
  }

  /// Returns two forks as files, each with changes the other lacks.
  func forks() throws -> [Data] {
    if savedForks.isEmpty { savedForks = try (1...2).map(fork) }
    return savedForks
  }

  /// Returns the second fork loaded, for those who only read it.
  func secondFork() throws -> Document {
    if let loadedFork { return loadedFork }
    let document = try Document(forks()[1])
    loadedFork = document
    return document
  }

  private func fork(_ number: Int) throws -> Data {
    var random = SeededRandom(seed: UInt64(number))
    let fork = try Document(saved())
    for edit in 0..<editCount {
      let record = random.pick(records.all)
      guard case .Object(let map, .Map) = try fork.get(obj: .ROOT, key: record.id) else {
        throw MeasurementError.wrongResult("a record is missing")
      }
      try fork.put(obj: map, key: "comment", value: .String("edit \(edit) of fork \(number)"))
      fork.commitWith(timestamp: record.end)
    }
    return fork.save()
  }
}
