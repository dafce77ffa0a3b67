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
    let errors = findings.count { $0.severity == .error }
    return [
      compared,
      isSound
        ? "Everything is there and equal."
        : "NOT everything is there and equal: \(errors.counted("error")).",
    ]
  }
}
