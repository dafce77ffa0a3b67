import Automerge
import MigrationCore
import Runs
import SampleFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is measured on a document of many records in one change.
struct RecordMeasurements {
  let documents: RecordDocuments
  private let doubled: RecordDocuments

  init(_ size: MeasurementSize) {
    let count = size.part(of: RecordDocuments.standardCount)
    documents = RecordDocuments(count: count, editCount: size.part(of: 1000))
    doubled = RecordDocuments(count: 2 * count)
  }

  /// The rows; those of memory come first, while this process is small.
  func rows(in place: MeasurementPlace) -> [Measurement] {
    memory(in: place) + storage + reading + exchange + editing
  }

  private func memory(in place: MeasurementPlace) -> [Measurement] {
    [
      Measurement("memory-idle", "a process that loads nothing", in: .megabytes, rounds: 1) {
        try place.peak(of: .nothing)
      },
      Measurement(
        "memory", "a process that loads 100,000 records", in: .megabytes, target: .megabytes(80),
        rounds: 1
      ) {
        _ = try place.peak(of: .writeRecords)
        return try place.peak(of: .loadRecords)
      },
      Measurement(
        "memory-merge", "a process that merges two forks of them", in: .megabytes,
        target: .megabytes(150), rounds: 1
      ) {
        _ = try place.peak(of: .writeForks)
        return try place.peak(of: .mergeForks)
      },
    ]
  }

  private var storage: [Measurement] {
    [
      load("load", "load of \(documents.count) records", documents, .units(0.3)),
      save("save", "save of \(documents.count) records", documents, .units(0.12)),
      load(
        "load-doubled", "load of \(doubled.count) records", doubled,
        .ratio(Measurement.doubling, to: "load")),
      save(
        "save-doubled", "save of \(doubled.count) records", doubled,
        .ratio(Measurement.doubling, to: "save")),
      Measurement("save-put", "save of them after one put", target: .units(0.12)) { [documents] in
        let document = try Document(documents.saved())
        try document.put(obj: .ROOT, key: "edit", value: .Int(1))
        document.commitWith(timestamp: Date(timeIntervalSince1970: 0))
        return ProcessorTime.milliseconds { document.save() }
      },
      Measurement("commits-load", "load of \(documents.count) commits") { [documents] in
        let bytes = try documents.savedCommits()
        return try ProcessorTime.milliseconds { try Document(bytes) }
      },
      json("json", "full state to plain JSON", .plain),
      json("json-typed", "full state to typed JSON", .typed),
    ]
  }

  private func load(
    _ name: String, _ work: String, _ documents: RecordDocuments, _ target: Measurement.Target
  ) -> Measurement {
    Measurement(name, work, target: target) {
      let bytes = try documents.saved()
      return try ProcessorTime.milliseconds { try Document(bytes) }
    }
  }

  private func save(
    _ name: String, _ work: String, _ documents: RecordDocuments, _ target: Measurement.Target
  ) -> Measurement {
    Measurement(name, work, target: target) {
      let document = try documents.loaded()
      return ProcessorTime.milliseconds { document.save() }
    }
  }

  private func json(_ name: String, _ work: String, _ view: InspectionView) -> Measurement {
    Measurement(name, work, target: .units(0.3)) { [documents] in
      let state = try documents.loaded().state
      let sink = ByteSink(name: "nowhere") { _ in }
      return try ProcessorTime.milliseconds {
        try DocumentInspection(state, name: "records", at: nil).write(view, to: sink)
      }
    }
  }

  private var exchange: [Measurement] {
    [
      Measurement("merge", "merge of two loaded forks", target: .units(0.009)) { [documents] in
        let fork = try Document(documents.forks()[0])
        let other = try documents.secondFork()
        let time = try ProcessorTime.milliseconds { try fork.merge(other: other) }
        guard fork.state.changeCount == 2 * documents.editCount + 1 else {
          throw MeasurementError.wrongResult("the merge lacks changes")
        }
        return time
      },
      Measurement("sync", "sync of two forks to the end", target: .units(0.3)) { [documents] in
        let forks = try documents.forks().map { try Document($0) }
        let time = try ProcessorTime.milliseconds { try Self.synchronize(forks[0], forks[1]) }
        guard forks[0].heads() == forks[1].heads(), forks[0].heads().count == 2 else {
          throw MeasurementError.wrongResult("the forks differ after a sync")
        }
        return time
      },
    ]
  }

  private static func synchronize(_ left: Document, _ right: Document) throws {
    let leftState = SyncState()
    let rightState = SyncState()
    while true {
      let fromLeft = left.generateSyncMessage(state: leftState)
      if let fromLeft { try right.receiveSyncMessage(state: rightState, message: fromLeft) }
      let fromRight = right.generateSyncMessage(state: rightState)
      if let fromRight { try left.receiveSyncMessage(state: leftState, message: fromRight) }
      if fromLeft == nil, fromRight == nil { return }
    }
  }

  private var editing: [Measurement] {
    [
      Measurement(
        "puts", "\(documents.count) records in one transaction, then save",
        target: .units(0.6)
      ) { [documents] in
        let records = documents.records
        return try ProcessorTime.milliseconds { try records.document().save() }
      },
      Measurement("commits", "\(documents.count) commits of one record each", target: .units(0.9)) {
        [documents] in
        let records = documents.records
        return try ProcessorTime.milliseconds { try records.documentOfSmallChanges() }
      },
    ]
  }
}

/// The records and the documents made of them, each when it is first asked for.
final class RecordDocuments {
  static let standardCount = 100_000

  let count: Int
  private(set) lazy var records = TimeRecords(count: count)
  private var savedRecords: Data?
  private var savedForks: [Data] = []
  private var savedSmallChanges: Data?
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

  /// Returns the document of all records, each in a change of its own, as a file.
  func savedCommits() throws -> Data {
    if let savedSmallChanges { return savedSmallChanges }
    let bytes = try records.documentOfSmallChanges().save()
    savedSmallChanges = bytes
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

  /// The actors are always the same, and so are the hashes: whether a Bloom filter passes a change
  /// over, and a sync takes a message more, is no matter of luck.
  private func fork(_ number: Int) throws -> Data {
    var random = SeededRandom(seed: UInt64(number))
    let fork = try Document(saved())
    fork.actor = ActorId(bytes: .init(repeating: UInt8(truncatingIfNeeded: number), count: 16))
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
