import Automerge
import MigrationCore
import Runs

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is measured on a document of many records in one change.
struct RecordMeasurements {
  private let documents: RecordDocuments
  private let doubled: RecordDocuments

  init(_ size: MeasurementSize) {
    let count = size.part(of: RecordDocuments.standardCount)
    documents = RecordDocuments(count: count, editCount: size.part(of: 1000))
    doubled = RecordDocuments(count: 2 * count)
  }

  /// The rows; those of memory come first, while this process is small.
  func rows(in place: MeasurementPlace) -> [Measurement] {
    memory(in: place) + storage + exchange + editing
  }

  private func memory(in place: MeasurementPlace) -> [Measurement] {
    [
      Measurement("memory-idle", "a process that loads nothing", in: .megabytes, rounds: 1) {
        try place.peak(of: .nothing)
      },
      Measurement(
        "memory", "a process that loads 100,000 records", in: .megabytes, target: .megabytes(100),
        rounds: 1
      ) {
        _ = try place.peak(of: .writeRecords)
        return try place.peak(of: .loadRecords)
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
