package import Diagnostics

/// What a verification found out.
package struct VerificationReport: RunReport {
  package static let name = "verify-counts"

  /// The entities of one kind in one month, on both sides.
  package struct Count: Hashable, Sendable {
    /// `tag` or `record`.
    package var kind: String
    /// `YYYY-MM`; empty for tags.
    package var month: String
    /// Distinct identities in the reference.
    package var reference = 0
    /// Visible entities in the documents.
    package var documents = 0
    /// Reference entities that are proven.
    package var proven = 0
    /// Entities present in both whose fields are equal.
    package var equal = 0

    /// Whether both sides hold as many.
    package var isEqual: Bool { reference == documents }
  }

  /// What the documents were compared with, for people: `legacy files`, `quarantine`, a path.
  package var reference: String
  /// Counts by kind and month; tags first, then months in order.
  package var counts: [Count] = []
  /// Documents that were loaded and whose every hash verified.
  package var documentsVerified = 0
  /// Changes whose hashes were recomputed.
  package var changesVerified = 0
  /// Fields that were compared, both directions.
  package var fieldsCompared = 0
  /// Images that records name and that exist.
  package var imagesFound = 0
  package var findings: [Finding] = []
  /// Seconds from start to end.
  package var seconds = 0.0
}
