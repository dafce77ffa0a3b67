package import Diagnostics
package import Runs

/// What a merge of conflict copies did, or would do.
package struct MergeReport: RunReport {
  package static let name = "merge-conflicts"

  /// One copy and what became of it.
  package struct Copy: Hashable, Sendable {
    /// What becomes of a copy.
    package enum Outcome: String, CaseIterable, Hashable, Sendable {
      /// What only it held is in the base now, or in the report where the base of a legacy file has
      /// another value; it moved to quarantine.
      case merged
      /// The base held all of it; it moved to quarantine.
      case redundant
      /// There was no base: it has that name now.
      case adopted
      /// It stays; a finding says why.
      case kept
      /// It is another record that shares a second with the base, and no copy.
      case twoRecords = "two-records"
      /// It has no history in common with the base, and stays.
      case unrelated
      /// It cannot be read, and stays.
      case damaged
      /// It, or its base, is not downloaded yet or is changing.
      case waiting

      /// Whether it is not, or will not be, where it was found.
      package var leavesItsName: Bool { self == .merged || self == .redundant || self == .adopted }
    }

    /// The path relative to the folder.
    package var path: String
    /// Whose names look like this.
    package var service: String
    /// What became of it.
    package var outcome: Outcome
  }

  /// A place where two sides have different values: both are here.
  package struct Difference: Hashable, Sendable {
    /// What it is about.
    package var entity: Entity
    /// The field, with the names of the maps it lies in.
    package var field: String
    /// What readers see now.
    package var kept: ReportValue
    /// What the other side says.
    package var other: ReportValue
    /// Where the other value comes from.
    package var source: String
  }

  /// What a difference is about: an entity, or what is beside the entities.
  package struct Entity: Hashable, Sendable {
    /// What the entity is; empty where its identity says enough.
    package var kind = ""
    /// Its identity; empty of what is no entity.
    package var identity = ""

    /// What the entity is called.
    package var title: String { kind.isEmpty ? identity : "\(kind) \(identity)" }
  }

  /// One file with its copies.
  package struct Base: Hashable, Sendable {
    /// The path relative to the folder.
    package var path: String
    /// Whether it was written, or would be.
    package var isWritten = false
    /// How many changes a document got.
    package var changesAdded = 0
    /// The copies in path order.
    package var copies: [Copy] = []
    /// Where values differ.
    package var differences: [Difference] = []
  }

  /// The quarantine directory of this run, relative to the folder; empty if there is none.
  package var quarantine = ""
  /// The files that have copies or that were changed, in path order.
  package var bases: [Base] = []
  package var findings: [Finding] = []
  package var isDryRun: Bool
  /// Seconds from start to end.
  package var seconds = 0.0

  /// Creates a report of nothing.
  package init(isDryRun: Bool) {
    self.isDryRun = isDryRun
  }

  /// How many copies came to this.
  package func count(_ outcome: Copy.Outcome) -> Int {
    bases.reduce(0) { $0 + $1.copies.count { $0.outcome == outcome } }
  }

  package var items: [ReportObject] {
    bases.map { base in
      var item = ReportObject()
      item.add("type", "base")
      item.add("path", base.path)
      item.add("written", base.isWritten)
      item.add("changesAdded", base.changesAdded)
      item.add("copies", .array(base.copies.map { .object($0.object) }))
      item.add("differences", .array(base.differences.map { .object($0.object) }))
      return item
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("quarantine", quarantine)
    summary.add("bases", bases.count)
    summary.add("written", bases.count(where: \.isWritten))
    for outcome in Copy.Outcome.allCases { summary.add(outcome.rawValue, count(outcome)) }
    summary.add("differences", bases.reduce(0) { $0 + $1.differences.count })
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}

extension MergeReport.Copy {
  fileprivate var object: ReportObject {
    var object = ReportObject()
    object.add("path", path)
    object.add("service", service)
    object.add("outcome", outcome.rawValue)
    return object
  }
}

extension MergeReport.Difference {
  fileprivate var object: ReportObject {
    var object = ReportObject()
    if !entity.kind.isEmpty { object.add("kind", entity.kind) }
    object.add("id", entity.identity)
    object.add("field", field)
    object.add("kept", kept)
    object.add("other", other)
    object.add("source", source)
    return object
  }
}

// Putting a report together: what was done adds up, what stays is told as it was seen last.
extension MergeReport {
  /// Puts the bases in path order, each once with everything that became of it.
  mutating func arrangeBases() {
    var arranged: [Base] = []
    for base in bases.enumerated().sorted(by: { left, right in
      left.element.path == right.element.path
        ? left.offset < right.offset
        : left.element.path.utf8.lexicographicallyPrecedes(right.element.path.utf8)
    }).map(\.element) {
      if let last = arranged.indices.last, arranged[last].path == base.path {
        arranged[last].add(base)
      } else {
        arranged.append(base)
      }
    }
    bases = arranged
  }

  /// Takes out everything about copies that nothing came of.
  mutating func forgetWhatStays() {
    for index in bases.indices {
      bases[index].copies.removeAll { !$0.outcome.leavesItsName }
    }
    bases.removeAll { $0.copies.isEmpty && !$0.isWritten }
  }

  /// Notes that a copy stays after all.
  mutating func keep(copyAt path: String) {
    for base in bases.indices {
      for copy in bases[base].copies.indices where bases[base].copies[copy].path == path {
        bases[base].copies[copy].outcome = .waiting
      }
    }
  }
}

extension MergeReport.Base {
  /// Adds differences. One that was told is told once, with what readers see now.
  mutating func add(_ further: [MergeReport.Difference]) {
    func unkept(_ difference: MergeReport.Difference) -> MergeReport.Difference {
      var difference = difference
      difference.kept = .null
      return difference
    }
    var positions: [MergeReport.Difference: Int] = [:]
    for (position, known) in differences.enumerated() { positions[unkept(known)] = position }
    for difference in further {
      let key = unkept(difference)
      if let position = positions[key] {
        differences[position] = difference
      } else {
        positions[key] = differences.count
        differences.append(difference)
      }
    }
  }

  /// Takes in what became of the base later.
  fileprivate mutating func add(_ later: Self) {
    isWritten = isWritten || later.isWritten
    changesAdded += later.changesAdded
    copies += later.copies
    copies.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    add(later.differences)
  }

  /// Notes that nothing came of what was decided, but perhaps that a copy has the base's name.
  mutating func leave(besidesAdopted isAdopted: Bool) {
    isWritten = false
    changesAdded = 0
    differences = []
    for index in copies.indices where copies[index].outcome.leavesItsName {
      if isAdopted, copies[index].outcome == .adopted { continue }
      copies[index].outcome = .waiting
    }
  }
}

/// What `merge-conflicts` is asked to do.
package struct MergeOptions: Sendable {
  /// How many copies of one base are looked at in a run, unless the caller says otherwise.
  package static let standardLimit = 50

  /// The folder whose conflict copies are merged.
  package var folder: String
  /// Whether objects that were made separately under one key become one.
  package var unifies = false
  /// How many copies of one base are looked at in a run.
  package var copiesPerBase = standardLimit

  /// Creates options for a folder.
  package init(folder: String) {
    self.folder = folder
  }
}
