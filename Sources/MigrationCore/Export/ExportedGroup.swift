package import Diagnostics
import FolderDocuments
package import Folders
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
        .ofEarlierMonth(
          EntityKinds.minuta.title(entity.kind, identity), path: entity.place.description))
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

  /// What has a month in a group is of one: the names alone decide, which is most of the work.
  private static func order(_ left: EntityPlace, _ right: EntityPlace) -> Bool? {
    switch (left, right) {
    case (.dated(_, let one), .dated(_, let other)):
      one == other ? nil : ByteOrder.precedes(one, other)
    default: left == right ? nil : left < right
    }
  }
}

/// What an export wrote.
package struct ExportReport: RunReport {
  package static let name = "export-json"

  /// What the kinds of entity are called, in the order of the profile.
  package let kindNames: [String]
  /// How many entities of each kind were written, in that order.
  package private(set) var counts: [Int]
  /// How many entities of each kind were not, because the kind is private and nobody asked for it.
  package var leftOut: [Int]
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
  package init(kindNames: [String]) {
    self.kindNames = kindNames
    counts = kindNames.map { _ in 0 }
    leftOut = counts
  }

  /// How many entities of a kind were written.
  package subscript(kind: EntityKind) -> Int {
    get { counts[Int(kind.index)] }
    set { counts[Int(kind.index)] = newValue }
  }

  /// Whether reports of the kinds are older than profiles, and have a member for each.
  package var isOlderThanProfiles: Bool { EntityKinds.haveOlderReports(kindNames) }

  /// Adds that queued changes are not in the export.
  mutating func noteOmittedChanges(_ count: Int) {
    guard count > 0 else { return }
    findings.append(
      Finding(
        .notExported, .warning,
        message: count.counted(
          "change that waits for others is not exported",
          "changes that wait for others are not exported"),
        next: "fetch the documents from the device that wrote them"))
  }

  package var items: [ReportObject] { [] }

  package var summary: ReportObject {
    var summary = ReportObject()
    if isOlderThanProfiles {
      for (name, count) in zip(kindNames, counts) { summary.add(name + "s", count) }
    }
    summary.add("others", others)
    summary.add("deleted", deleted)
    var kinds = ReportObject()
    for (index, name) in kindNames.enumerated() {
      var object = ReportObject()
      object.add("exported", counts[index])
      object.add("leftOut", leftOut[index])
      kinds.add(name, .object(object))
    }
    summary.add("kinds", .object(kinds))
    summary.add("filesCreated", filesCreated)
    summary.add("filesUnchanged", filesUnchanged)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
