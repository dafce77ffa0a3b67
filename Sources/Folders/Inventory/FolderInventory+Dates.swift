// Files whose month is a date of the one entity that is in them.
extension FolderInventory {
  /// The legacy files that have to be read to know which month they belong to: by kind, then by path.
  package var filesWithDates: [UInt32] {
    legacyGroups.filter { kinds.isGroupedByDate($0.kind) }.flatMap { group in
      groupRanges[group].map { groupedFiles[$0] } ?? []
    }
  }

  /// Groups the files of `filesWithDates` by months, and so the documents of their kinds.
  ///
  /// - Parameter months: for each of these files the month whose document its entity belongs to; nil if
  ///   it is dated by nothing.
  package mutating func group(byDates months: [Month?]) {
    let files = filesWithDates
    precondition(months.count == files.count)
    groupDocumentsByDates()
    guard !months.isEmpty else { return }
    var groups: [EntityGroup: [UInt32]] = [:]
    for group in legacyGroups where !kinds.isGroupedByDate(group.kind) {
      groups[group] = groupRanges[group].map { Array(groupedFiles[$0]) }
    }
    for (file, month) in zip(files, months) {
      groups[EntityGroup(kind(of: Int(file)), month: month), default: []].append(file)
    }
    setLegacyGroups(groups)
  }

  /// Groups the documents of those kinds by months, where their legacy files do not matter.
  ///
  /// - Parameter ofParts: whether those of kinds are meant, too, of which a file holds several entities.
  package mutating func groupDocumentsByDates(ofParts: Bool = false) {
    kindsGroupedByDates = kinds.all.filter {
      kinds.isGroupedByDate($0) || ofParts && kinds.isDated($0)
    }
  }

  /// Returns the month of a document if its kind is grouped by months here.
  package func groupMonth(ofDocument file: Int) -> Month? {
    let kind = kind(of: file)
    return kinds.isGroupedByMonth(kind) || kindsGroupedByDates.contains(kind)
      ? month(of: file) : nil
  }
}
