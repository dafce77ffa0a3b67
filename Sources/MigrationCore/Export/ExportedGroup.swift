package import Diagnostics
import FolderDocuments
import Folders
package import Runs
import SafeFiles

/// The entities of one group as JSON, ready to be written in their order.
struct ExportedGroup: Sendable {
  /// One entity.
  struct Entity: Sendable {
    var kind: EntityKind
    /// The identity, if it comes from a document: then other documents may show it, too.
    var documentIdentity: Identity?
    /// The identity, or the key of an entity of kind `other`.
    var id: [UInt8]
    var place: EntityPlace
    /// Its line of a stream, or its object of a legacy file.
    var json: Range<Int>
  }

  var group: EntityGroup
  var entities: [Entity] = []
  var bytes: [UInt8] = []
  var findings: [Finding] = []
  /// Dates that were numbers and are text.
  var convertedDates = ConvertedDates()
  /// Queued changes that are not in the export.
  var omittedChanges = 0

  init(_ group: EntityGroup) {
    self.group = group
  }

  /// Takes out the entities that other groups had before, and notes the rest in `exported`.
  mutating func removeRepeated(_ exported: inout Set<Identity>) {
    entities.removeAll { entity in
      guard let identity = entity.documentIdentity, !exported.insert(identity).inserted else {
        return false
      }
      findings.append(
        Finding(
          .notExported, .warning, path: entity.place.description,
          message: "record \(identity) is in the document of an earlier month, too; "
            + "this one is not exported",
          next: "look at both with inspect-crdt, and delete the record in one of them with the app")
      )
      return true
    }
  }

  /// Adds the entities of another part of the group.
  mutating func append(_ other: ExportedGroup) {
    let start = bytes.count
    bytes.append(contentsOf: other.bytes)
    for var entity in other.entities {
      entity.json = entity.json.lowerBound + start..<entity.json.upperBound + start
      entities.append(entity)
    }
    sort()
  }

  /// Sorts the entities as a stream lists them: by place, then by identity.
  mutating func sort() {
    entities.sort { left, right in
      if let order = Self.order(left.place, right.place) { return order }
      return left.id.lexicographicallyPrecedes(right.id)
    }
  }

  private static func order(_ left: EntityPlace, _ right: EntityPlace) -> Bool? {
    switch (left, right) {
    case (.record(_, let one), .record(_, let other)):
      one == other ? nil : one.lexicographicallyPrecedes(other)
    case (.tags, .tags): nil
    case (.tags, .record): true
    case (.record, .tags): false
    }
  }
}

/// What an export wrote.
package struct ExportReport: RunReport {
  package static let name = "export-json"

  /// Tags that were written.
  package var tags = 0
  /// Time records that were written.
  package var records = 0
  /// Lines of kind `other` that were written.
  package var others = 0
  /// Entities of the backup that the folder does not show any more.
  package var deleted = 0
  /// Files that were created under the destination.
  package var filesCreated = 0
  /// Files of the destination that held the same bytes already.
  package var filesUnchanged = 0
  package var findings: [Finding] = []
  package var isDryRun = false
  /// Seconds from start to end.
  package var seconds = 0.0

  /// Creates a report of nothing.
  package init() {}

  package var items: [ReportObject] { [] }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("tags", tags)
    summary.add("records", records)
    summary.add("others", others)
    summary.add("deleted", deleted)
    summary.add("filesCreated", filesCreated)
    summary.add("filesUnchanged", filesUnchanged)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
