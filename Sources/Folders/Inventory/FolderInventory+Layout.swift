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
}
