import Diagnostics
package import MigrationCore

extension VerificationReport: ReadableReport {
  package var tables: [TextTable] {
    var table = TextTable(
      heading: ["kind", "month", "reference", "documents", "equal", "proven"])
    for count in counts {
      table.add([
        count.kind, count.month, count.reference.grouped, count.documents.grouped,
        count.equal.grouped, count.proven.grouped,
      ])
    }
    return [table]
  }

  package var conclusion: [String] {
    let time = Duration.seconds(seconds).text
    let expected = counts.reduce(0) { $0 + $1.reference }
    let proven = counts.reduce(0) { $0 + $1.proven }
    let compared =
      "Compared with \(reference): \(proven.grouped) of "
      + "\(expected.counted("entity", "entities")) proven, \(fieldsCompared.counted("field")) "
      + "compared both ways, \(changesVerified.counted("change")) of "
      + "\(documentsVerified.counted("document")) verified, \(imagesFound.counted("image")) "
      + "found (\(time))."
    return [compared, verdict]
  }

  private var verdict: String {
    guard isSound else {
      let errors = findings.count { $0.severity == .error }
      return "NOT everything is there and equal: \(errors.counted("error"))."
    }
    if isComplete { return "Everything is there and equal." }
    return "What was compared is equal; what is not there, or was not compared, is told in "
      + "\(gapCount.counted("finding"))."
  }
}
