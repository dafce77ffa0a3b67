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
