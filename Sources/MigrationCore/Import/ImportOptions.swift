package import Folders
package import Runs

/// What `import-crdt` is asked to do.
package struct ImportOptions {
  /// Where the entities come from.
  package enum Source {
    /// A folder of legacy files.
    case folder(path: String)
    /// An interchange stream.
    case stream(ByteSource)
    /// Stores of SwiftData.
    case stores(StoreSource)
  }

  /// Where the entities come from.
  package var source: Source
  /// The folder that gets the documents; nil means the source itself (`--into`).
  package var target: String?
  /// Where documents are put.
  package var layout: LayoutChoice = .auto
  /// What kind of history is written.
  package var history: HistoryChoice = .convergent
  /// What a date that is written as a number counts; nil makes such a date a finding.
  package var numericDates: NumericDates?
  /// Whether documents get the values of legacy files that changed after their import.
  package var updates = false
  /// Whether an update lets the legacy file win where the document was edited, too.
  package var prefersLegacy = false
  /// Whether the values of a source that holds documents may be copied without their history.
  package var flattens = false
  /// Whether the entities of private kinds are imported, too.
  package var includesPrivate = false
  /// Whether a store may have no rows of what the folder holds many of.
  package var allowsEmpty = false

  /// Creates options with everything but the places at its default.
  package init(source: Source, target: String? = nil) {
    self.source = source
    self.target = target
  }
}
