package import Diagnostics
import Folders
package import Runs
package import SafeFiles

/// What a verification found out.
package struct VerificationReport: RunReport {
  package static let name = "verify-counts"

  /// The entities of one kind in one month, on both sides.
  package struct Count: Hashable, Sendable {
    /// What the kind is called.
    package var kind: String
    /// `YYYY-MM`; empty where files tell no month.
    package var month: String
    /// Distinct identities in the reference.
    package var reference = 0
    /// Visible entities in the documents.
    package var documents = 0
    /// Reference entities that are proven.
    package var proven = 0
    /// Entities present in both whose fields are equal.
    package var equal = 0

    /// Creates counts of nothing.
    package init(kind: String, month: String) {
      self.kind = kind
      self.month = month
    }

    /// Whether both sides hold as many.
    package var isEqual: Bool { reference == documents }
  }

  /// What the documents were compared with, for people: `legacy files`, `quarantine`, a path.
  package var reference: String
  /// What the kinds of entity are called, in the order of the profile.
  package let kindNames: [String]
  /// Counts by kind and month, in the order of the profile, then of the months.
  package var counts: [Count] = []
  /// How many entities of each kind are in the reference and in no document, because the kind is private
  /// and nobody asked for it; in the order of the profile.
  package var leftOut: [Int]
  /// Whether stores were compared with stores: what is counted as in documents is in the first of them.
  package var isOfStores = false
  /// Documents that were loaded and whose every hash verified.
  package var documentsVerified = 0
  /// Changes whose hashes were recomputed.
  package var changesVerified = 0
  /// Fields that were compared, both directions.
  package var fieldsCompared = 0
  /// Images that records name and that exist.
  package var imagesFound = 0
  /// The places where images would lie that records name and that do not exist; each could have
  /// several.
  package var missingImagePlaces: [RelativePath] = []
  package var findings: [Finding] = []
  /// Seconds from start to end.
  package var seconds = 0.0

  /// Creates a report of nothing.
  package init(reference: String, kindNames: [String]) {
    self.reference = reference
    self.kindNames = kindNames
    leftOut = kindNames.map { _ in 0 }
  }

  /// Whether every count is equal and no finding of severity error remains.
  package var isSound: Bool { !endsWithDifferences }

  /// Whether there were neither documents nor anything to compare them with.
  package var isOfNothing: Bool { documentsVerified == 0 && counts.isEmpty }

  /// How many findings below error tell of something that is not there, or was not compared.
  package var gapCount: Int { findings.count { $0.severity < .error && $0.code.isGap } }

  /// How many findings below error tell that readers see something else than the reference says, which
  /// the document holds, too, or that they see it in two places.
  package var otherViewCount: Int {
    findings.count { finding in
      switch finding.code {
      case .editedSince, .deletedSince, .duplicateID: finding.severity < .error
      case .duplicate, .movedMonth: finding.severity == .warning
      default: false
      }
    }
  }

  /// Whether nothing differs, and nothing is missing or was left out either.
  package var isComplete: Bool { isSound && gapCount == 0 }

  package var items: [ReportObject] {
    counts.map { count in
      var item = ReportObject()
      item.add("type", "count")
      item.add("kind", count.kind)
      item.add("month", count.month)
      count.addMembers(to: &item)
      return item
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("reference", reference)
    let isOlderThanProfiles = EntityKinds.haveOlderReports(kindNames)
    var kinds = ReportObject()
    for (kind, leftOut) in zip(kindNames, leftOut) {
      var total = Count(kind: kind, month: "")
      for count in counts where count.kind == kind { total.add(count) }
      var object = ReportObject()
      total.addMembers(to: &object)
      object.add("leftOut", leftOut)
      if isOlderThanProfiles { summary.add(kind + "s", .object(object)) }
      kinds.add(kind, .object(object))
    }
    summary.add("kinds", .object(kinds))
    summary.add("documentsVerified", documentsVerified)
    summary.add("changesVerified", changesVerified)
    summary.add("fieldsCompared", fieldsCompared)
    summary.add("imagesFound", imagesFound)
    summary.add("sound", isSound)
    summary.add("complete", isComplete)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}

extension VerificationReport.Count {
  fileprivate mutating func add(_ other: Self) {
    reference += other.reference
    documents += other.documents
    proven += other.proven
    equal += other.equal
  }

  fileprivate func addMembers(to object: inout ReportObject) {
    object.add("reference", reference)
    object.add("documents", documents)
    object.add("countsEqual", isEqual)
    object.add("equal", equal)
    object.add("proven", proven)
  }
}

extension Finding.Code {
  /// Whether it tells of something that is not there, or that was not compared.
  fileprivate var isGap: Bool {
    switch self {
    case .missingImage, .changedImage, .missingFile, .unknownMember, .incompleteDocument,
      .conflictCopy, .placeholder, .symbolicLink, .specialFile, .unreadable, .notExported,
      .filtered, .notCarried, .setAside, .displaced, .notLookedAt, .stopped, .privateKind,
      .nothingToCompare, .keptValue, .staleLog:
      true
    default: false
    }
  }
}
