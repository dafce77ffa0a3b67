package import Folders
package import Runs
package import SafeFiles

extension FolderInventory {
  /// Reads the legacy files that belong to the month of a date in them, and groups them and the
  /// documents of their kinds by months: so that months can be worked on one by one, several at once.
  ///
  /// All files of one identity belong to the month of the first of them. What was read is kept for whoever
  /// works on the months.
  ///
  /// - Returns: the files that could not be read; they are grouped like those without a date.
  package mutating func groupByDates(
    in folder: Directory, _ rules: EntityRules, _ context: RunContext
  ) throws(MigrationError) -> Set<UInt32> {
    var months = IdentityMonths()
    return try groupByDates(in: folder, rules, &months, context)
  }

  /// As above, where other folders hold files of the same entities.
  ///
  /// - Parameter months: the months of the identities in those, to which the ones in this folder are
  ///   added.
  package mutating func groupByDates(
    in folder: Directory, _ rules: EntityRules, _ months: inout IdentityMonths,
    _ context: RunContext
  ) throws(MigrationError) -> Set<UInt32> {
    let files = filesWithDates
    let inventory = self
    let collector = KeptFiles.Collector(
      in: context.temporaryDirectory, operations: context.operations)
    let parts = try Workers.map(
      (files.count + EntityDate.partSize - 1) / EntityDate.partSize, phase: .indexing,
      context: context,
      makeState: { LegacyReader(folder, inventory, rules: rules) }
    ) { part, reader throws(MigrationError) in
      var kept = KeptFiles.Part()
      let dates = files[(part * EntityDate.partSize)...].prefix(EntityDate.partSize).map { file in
        let entity = reader.readDate(Int(file))
        if let state = reader.state { kept.add(Int(file), reader.source, state) }
        return EntityDate(
          identity: entity?.identity, month: entity?.month, isRead: reader.state != nil)
      }
      kept.handOver(to: collector)
      return (dates: dates, kept: kept)
    }
    if !parts.isEmpty { keep(collector.files(parts.lazy.map(\.kept))) }
    var unread: Set<UInt32> = []
    var dates: [Month?] = []
    dates.reserveCapacity(files.count)
    months.reserveCapacity(files.count)
    for date in parts.lazy.flatMap(\.dates) {
      let file = files[dates.count]
      if !date.isRead { unread.insert(file) }
      dates.append(months.month(of: date, kind(of: Int(file))))
    }
    group(byDates: dates)
    return unread
  }
}

/// The months of entities, by the first file of each.
package struct IdentityMonths {
  private struct Entity: Hashable {
    var kind: EntityKind
    var identity: Identity
  }

  private var months: [Entity: Month?] = [:]

  /// Creates an empty table.
  package init() {}

  fileprivate mutating func reserveCapacity(_ count: Int) {
    months.reserveCapacity(months.count + count)
  }

  fileprivate mutating func month(of date: EntityDate, _ kind: EntityKind) -> Month? {
    guard let identity = date.identity else { return nil }
    let entity = Entity(kind: kind, identity: identity)
    if let known = months[entity] { return known }
    months[entity] = .some(date.month)
    return date.month
  }
}

/// What a file that is one entity says of its month.
private struct EntityDate: Sendable {
  /// How many files one job reads.
  static let partSize = 256

  var identity: Identity?
  var month: Month?
  var isRead: Bool
}
