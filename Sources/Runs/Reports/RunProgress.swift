/// How far a run is, in the unit its phase counts in.
package struct RunProgress: Hashable, Sendable {
  /// What the run is doing; the raw value is part of the scripting contract.
  package enum Phase: String, CaseIterable, Hashable, Sendable {
    /// Listing the folder.
    case listing
    /// Reading the documents that are there, for the identities they know.
    case indexing
    /// Turning entities into documents.
    case converting
    /// Putting finished files in their places.
    case publishing
    /// Comparing both sides.
    case verifying
    /// Writing the entities of a folder.
    case exporting
    /// Merging conflict copies.
    case merging
    /// Moving legacy files to quarantine.
    case moving
    /// Writing a backup.
    case packing
    /// Reading a backup.
    case checking
    /// Bringing a backup back.
    case restoring
    /// Running a command for each of many folders.
    case running

    /// What there is to say about the count of a phase that is stopped.
    package enum WhenStopped: Hashable, Sendable {
      /// Nothing: what was counted is no result yet.
      case unsaid
      /// That nothing is in its place, however much was counted: all of it gets there at once.
      case nothing
      /// The count and this word: so much is done for good.
      case counted(String)
    }

    /// What there is to say if the run is stopped in this phase.
    package var whenStopped: WhenStopped {
      switch self {
      case .listing, .indexing, .exporting, .packing, .restoring: .unsaid
      case .converting, .publishing: .nothing
      case .verifying: .counted("compared")
      case .checking: .counted("checked")
      case .merging: .counted("looked at")
      case .moving: .counted("moved")
      case .running: .counted("ended")
      }
    }
  }

  /// What the run is doing.
  package var phase: Phase
  /// How many items are done.
  package var completed: Int
  /// How many items there are; 0 when it is not known.
  package var total: Int

  /// Creates a reading.
  package init(_ phase: Phase, completed: Int, total: Int) {
    self.phase = phase
    self.completed = completed
    self.total = total
  }
}
