package import Diagnostics
package import Runs

/// What was salvaged of a damaged document, entity by entity, and what was not.
package struct RepairReport: RunReport {
  package static let name = "repair-crdt"

  /// How sure it is what an entity held.
  package enum Certainty: String, CaseIterable, Hashable, Sendable {
    /// All its values come from changes that verify.
    case verified
    /// Its values could be read, and nothing proves them.
    case readable
    /// It was there; what it held could not be read.
    case lost
  }

  /// One entity, or one other key of the document's root.
  package struct Entity: Hashable, Sendable {
    /// Its identity, or the key in display form.
    package var id: String
    /// What its kind is called, `entity` if its fields do not tell, or `other` for a key that is none.
    package var kind: String
    /// How sure it is what it held.
    package var certainty: Certainty
    /// The number of values that were read.
    package var valueCount: Int
    /// The fields that are known to have been there and could not be read.
    package var lostFields: [String]
  }

  /// A stretch of the damaged file.
  package struct Piece: Hashable, Sendable {
    /// What it is: `document`, `change`, `bundle`, `debris` or `zeros`.
    package var kind: String
    /// Where it begins.
    package var offset: Int
    /// How long it is.
    package var byteCount: Int
    /// How much of it was read.
    package var certainty: Certainty
    /// What is wrong with it; empty if nothing is.
    package var problem: String
    /// The changes in it that verify.
    package var changeCount: Int
  }

  /// A key or index with several values, of which the new document holds one.
  package struct Conflict: Hashable, Sendable {
    /// Where it is, from the root.
    package var path: [String]
    /// The value that the new document holds, as typed JSON.
    package var kept: String
    /// The other values, as typed JSON.
    package var losing: [String]
  }

  /// The damaged file.
  package var file: String
  /// The new document.
  package var output: String
  /// The size of the new document.
  package var byteCount = 0
  /// Every stretch of the file, in its order.
  package var pieces: [Piece] = []
  /// Every entity that was found, in the order of the keys.
  package var entities: [Entity] = []
  /// What the new document cannot hold.
  package var conflicts: [Conflict] = []
  /// Changes that others build on and that are not in the file.
  package var missingChangeCount = 0
  /// Operations that could not be read or placed.
  package var lostOperationCount = 0
  /// Deletions that nothing proves, of values that verify: they were not followed.
  package var ignoredDeletionCount = 0
  /// Whether everything in the file verifies.
  package var isWhole = false
  package var findings: [Finding] = []
  package var isDryRun: Bool
  /// Seconds from start to end.
  package var seconds = 0.0

  init(file: String, output: String, isDryRun: Bool) {
    self.file = file
    self.output = output
    self.isDryRun = isDryRun
  }

  package var differs: Bool {
    !isWhole || entities.contains { $0.certainty != .verified }
  }

  /// The number of entities of a certainty.
  package func count(of certainty: Certainty) -> Int {
    entities.count { $0.certainty == certainty }
  }

  package var items: [ReportObject] {
    pieces.map(\.item) + entities.map(\.item) + conflicts.map(\.item)
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("file", file)
    summary.add("output", output)
    summary.add("byteCount", byteCount)
    for certainty in Certainty.allCases { summary.add(certainty.rawValue, count(of: certainty)) }
    summary.add("conflicts", conflicts.count)
    summary.add("missingChanges", missingChangeCount)
    summary.add("lostOperations", lostOperationCount)
    summary.add("ignoredDeletions", ignoredDeletionCount)
    summary.add("isWhole", isWhole)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}

extension RepairReport.Piece {
  fileprivate var item: ReportObject {
    var item = ReportObject()
    item.add("type", "piece")
    item.add("kind", kind)
    item.add("offset", offset)
    item.add("byteCount", byteCount)
    item.add("certainty", certainty.rawValue)
    item.add("problem", problem)
    item.add("changes", changeCount)
    return item
  }
}

extension RepairReport.Entity {
  fileprivate var item: ReportObject {
    var item = ReportObject()
    item.add("type", "entity")
    item.add("kind", kind)
    item.add("id", id)
    item.add("certainty", certainty.rawValue)
    item.add("values", valueCount)
    item.add("lostFields", .array(lostFields.map { .string($0) }))
    return item
  }
}

extension RepairReport.Conflict {
  fileprivate var item: ReportObject {
    var item = ReportObject()
    item.add("type", "conflict")
    item.add("path", .array(path.map { .string($0) }))
    item.add("kept", kept)
    item.add("losing", .array(losing.map { .string($0) }))
    return item
  }
}
