extension FolderInventory {
  /// The layout that documents already in the folder show.
  package enum LayoutEvidence: Hashable, Sendable {
    /// There are no documents of records.
    case none
    /// All of them follow one layout.
    case only(DocumentLayout)
    /// Both layouts occur.
    case mixed
  }

  /// Which layout the documents in the folder show, those not downloaded included.
  package var layoutEvidence: LayoutEvidence {
    let isMonthly = files.contains { $0.nominalClass == .monthDocument }
    let isPerRecord = files.contains { $0.nominalClass == .recordDocument }
    switch (isMonthly, isPerRecord) {
    case (false, false): return .none
    case (true, false): return .only(.monthly)
    case (false, true): return .only(.perRecord)
    case (true, true): return .mixed
    }
  }

  /// What `--layout auto` means here: the layout that is there, else monthly.
  ///
  /// In a mixture new documents are monthly, the layout that readers of both prefer.
  package var automaticLayout: DocumentLayout {
    if case .only(let layout) = layoutEvidence { layout } else { .monthly }
  }

  /// Returns the documents of one record beside a document of their month, each as if it was a copy of
  /// that: an import in both layouts makes both, of the same changes. Ascending by month, then by path.
  package func recordsBesideMonths() -> [ConflictCopy] {
    var months: [Month: Int] = [:]
    for file in documents.map(Int.init) where fileClass(of: file) == .monthDocument {
      if let month = month(of: file) { months[month] = file }
    }
    if months.isEmpty { return [] }
    let records = documents.map(Int.init).compactMap { file -> ConflictCopy? in
      guard fileClass(of: file) == .recordDocument, copies[file] == nil,
        let base = month(of: file).flatMap({ months[$0] })
      else { return nil }
      return ConflictCopy(
        file: file, base: path(of: base), baseClass: .monthDocument, baseFile: base,
        service: .unknown, strength: .weak)
    }
    return records.sorted { $0.base == $1.base ? $0.file < $1.file : $0.base < $1.base }
  }
}
