package import Diagnostics
package import Folders
package import Runs
package import SafeFiles

/// What an import did, or would do.
package struct ImportReport: RunReport {
  package static let name = "import-crdt"

  /// What happened to one document.
  package struct Document: Hashable, Sendable {
    /// The state of a document after the run.
    package enum Outcome: String, CaseIterable, Hashable, Sendable {
      case created
      case extended
      case updated
      case unchanged
      case waiting
    }

    /// Where it is, relative to the folder: as bytes, which the document that was built has, too.
    package var place: RelativePath
    /// The path relative to the folder.
    package var path: String { place.description }
    /// The size of the document afterwards.
    package var byteCount: Int
    // In 32 bits, as there may be a document for each entity: no folder has more of them.

    /// How many entities were added.
    package var entitiesAdded: UInt32
    /// How many entities that it showed already got new values.
    package var entitiesUpdated: UInt32
    /// How many changes were added.
    package var changesAdded: UInt32
    /// What happened to it.
    package var outcome: Outcome

    init(
      place: RelativePath, outcome: Outcome, entitiesAdded: Int = 0, entitiesUpdated: Int = 0,
      changesAdded: Int = 0, byteCount: Int = 0
    ) {
      (self.place, self.outcome, self.byteCount) = (place, outcome, byteCount)
      self.entitiesAdded = UInt32(clamping: entitiesAdded)
      self.entitiesUpdated = UInt32(clamping: entitiesUpdated)
      self.changesAdded = UInt32(clamping: changesAdded)
    }
  }

  /// How many entities there were, by what became of them; the parts add up to `read`.
  package struct Counts: Hashable, Sendable {
    /// Entities found in the source.
    package var read = 0
    /// Entities that became part of a document in this run.
    package var imported = 0
    /// Entities a document knew already and shows.
    package var known = 0
    /// Entities a document knew already, and that got new values of their legacy file.
    package var updated = 0
    /// Entities a document knew already and a user deleted there.
    package var deleted = 0
    /// Entities of old months that were set aside with their documents.
    package var setAside = 0
    /// Further files of an identity whose content is the same.
    package var duplicates = 0
    /// Entities that were not imported; each has a finding.
    package var rejected = 0
    /// Entities whose document cannot be read, or that wait because the run ended early.
    package var waiting = 0
    /// Entities of a private kind, which nobody asked for.
    package var leftOut = 0

    /// Creates counts of nothing.
    package init() {}
  }

  /// The folder the documents are in.
  package var target: String
  /// The layout that was written.
  package var layout: LayoutChoice
  /// The kind of history that was written.
  package var history: HistoryChoice
  /// What the kinds of entity are called, in the order of the profile.
  package let kindNames: [String]
  /// The counts of each kind, in that order.
  package var counts: [Counts]
  /// The counts of a kind.
  package subscript(kind: EntityKind) -> Counts {
    get { counts[Int(kind.index)] }
    set { counts[Int(kind.index)] = newValue }
  }

  /// The documents the run looked at, in path order.
  package var documents: [Document] = []
  package var findings: [Finding] = []
  package var isDryRun: Bool
  /// Seconds from start to end.
  package var seconds = 0.0

  /// Creates a report of nothing.
  package init(
    target: String, kindNames: [String], layout: LayoutChoice, history: HistoryChoice,
    isDryRun: Bool
  ) {
    self.target = target
    self.kindNames = kindNames
    counts = kindNames.map { _ in Counts() }
    self.layout = layout
    self.history = history
    self.isDryRun = isDryRun
  }

  /// Whether reports of the kinds are older than profiles, and have a member for each.
  package var isOlderThanProfiles: Bool { EntityKinds.haveOlderReports(kindNames) }

  package var items: [ReportObject] {
    documents.map { document in
      var item = ReportObject()
      item.add("type", "document")
      item.add("path", document.path)
      item.add("outcome", document.outcome.rawValue)
      item.add("entitiesAdded", Int(document.entitiesAdded))
      item.add("entitiesUpdated", Int(document.entitiesUpdated))
      item.add("changesAdded", Int(document.changesAdded))
      item.add("byteCount", document.byteCount)
      return item
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("target", target)
    summary.add("layout", layout.rawValue)
    summary.add("history", history.rawValue)
    if isOlderThanProfiles {
      for (name, counts) in zip(kindNames, counts) {
        summary.add(name + "s", .object(counts.members))
      }
    }
    var kinds = ReportObject()
    for (name, counts) in zip(kindNames, counts) { kinds.add(name, .object(counts.members)) }
    summary.add("kinds", .object(kinds))
    for outcome in Document.Outcome.allCases {
      summary.add(
        "documents" + outcome.rawValue.prefix(1).uppercased() + outcome.rawValue.dropFirst(),
        documents.count { $0.outcome == outcome })
    }
    summary.add("changesAdded", documents.reduce(0) { $0 + Int($1.changesAdded) })
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}

extension ImportReport.Counts {
  fileprivate var members: ReportObject {
    var object = ReportObject()
    object.add("read", read)
    object.add("imported", imported)
    object.add("known", known)
    object.add("updated", updated)
    object.add("deleted", deleted)
    object.add("setAside", setAside)
    object.add("duplicates", duplicates)
    object.add("rejected", rejected)
    object.add("waiting", waiting)
    object.add("leftOut", leftOut)
    return object
  }
}
