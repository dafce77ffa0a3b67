/// What a sample folder is to hold. Equal plans give equal bytes.
package struct SamplePlan: Hashable, Sendable {
  /// How many time records.
  package var recordCount = 300
  /// How many tags.
  package var tagCount = 12
  /// Over how many months the records are spread evenly.
  package var monthCount = 24
  /// The year whose January is the first month.
  package var firstYear = 2023
  /// Every how many records one has images; 0 means none has.
  package var imageInterval = 12
  /// What all that is random depends on.
  package var seed: UInt64 = 1

  /// Creates the plan of the folder under `fixtures/sample-folder`.
  package init() {}

  /// What makes the plan impossible, if something does.
  package var problem: String? {
    // Bounds before sums: any number can be asked for.
    if recordCount < 0 || tagCount < 0 || imageInterval < 0 { return "counts must not be negative" }
    if monthCount < 1 { return "the records need at least one month" }
    let years = 1971...9998
    if !years.contains(firstYear) || (monthCount - 1) / 12 >= years.upperBound - firstYear {
      return "the months must lie between 1971 and 9998"
    }
    if recordCount / monthCount > 1_000_000 { return "at most a million records fit into a month" }
    if tagCount > 1_000_000 { return "at most a million tags are made" }
    return nil
  }
}
