import Diagnostics
import Folders
package import MigrationCore

extension StatusReport: ReadableReport {
  package var conclusion: [String] {
    let obstacles = errors.map { "\($0.count.grouped) \($0.code.rawValue)" }
    return [status.rawValue]
      + (obstacles.isEmpty ? [] : ["in the way: \(obstacles.joined(separator: ", "))"])
      + damagedDocuments.map { "damaged: \($0)" }
      + notLookedAt.map { "not looked at: \($0)" }
      + next.map { "next: \($0)" }
  }
}

extension HistoryReport: ReadableReport {
  package var tables: [TextTable] {
    var table = TextTable(heading: ["start", "command", "ended", "backup"])
    for run in runs {
      let ended = run.problem.isEmpty ? run.status : "\(run.status): \(run.problem)"
      table.add([run.start, run.command, ended, run.backup].map(\.safeForTerminal))
    }
    return [table]
  }

  package var conclusion: [String] {
    guard let first = runs.first else {
      return [
        "No run has written to \(DisplayText.subject(folder)) yet, as far as its history tells."
      ]
    }
    let ends = countsByStatus.filter { $0.1 > 0 }.map { "\($0.1.grouped) \($0.0)" }
    var sentences = [
      "\(runs.count.counted("run")) since \(first.start): \(ends.joined(separator: ", ")).",
      "In all, \(entitiesImported.counted("entity", "entities")) imported, "
        + "\(total("moved").counted("file")) moved to quarantine, "
        + "\(total("purged").grouped) purged.",
    ]
    if unreadableLines > 0 {
      sentences.append("\(unreadableLines.counted("line")) of the history cannot be read.")
    }
    return sentences
  }
}

extension SizesReport: ReadableReport {
  package var tables: [TextTable] {
    guard !documents.isEmpty else { return [] }
    var table = TextTable(
      heading: ["bytes", "values alone", "times", "entities", "changes", "operations", "document"])
    for document in documents { table.add(cells(document.size, document.path)) }
    if documents.count > 1 { table.add(cells(total, "all together")) }
    return [table]
  }

  private func cells(_ size: Size, _ name: String) -> [String] {
    [
      size.byteCount.grouped, size.valueByteCount.grouped, size.ratioText,
      size.entityCount.grouped, size.changeCount.grouped, size.operationCount.grouped,
      name.safeForTerminal,
    ]
  }

  package var conclusion: [String] {
    guard !documents.isEmpty else {
      return ["No document in \(DisplayText.subject(folder)) can be measured."]
    }
    return [
      "\(documents.count.counted("document")), \(total.byteCount.byteCountText); today's "
        + "\(total.valueCount.counted("value")) alone would take "
        + "\(total.valueByteCount.byteCountText), so the history makes it "
        + "\(total.ratioText) times as large (\(Duration.seconds(seconds).text))."
    ]
  }
}

extension SizesReport.Size {
  /// The ratio with one decimal.
  fileprivate var ratioText: String {
    guard let ratio else { return "" }
    let tenths = Int((ratio * 10).rounded())
    return "\((tenths / 10).grouped).\(tenths % 10)"
  }
}

extension VerificationReport: ReadableReport {
  package var tables: [TextTable] {
    var table = TextTable(
      heading: isOfStores
        ? ["kind", "reference", "rows", "equal"]
        : ["kind", "month", "reference", "documents", "equal", "proven"])
    for count in counts {
      let numbers = [count.reference.grouped, count.documents.grouped, count.equal.grouped]
      table.add(
        isOfStores
          ? [count.kind] + numbers : [count.kind, count.month] + numbers + [count.proven.grouped])
    }
    return [table]
  }

  package var conclusion: [String] {
    let time = Duration.seconds(seconds).text
    let expected = counts.reduce(0) { $0 + $1.reference }
    if isOfStores {
      let equal = counts.reduce(0) { $0 + $1.equal }
      return [
        "Compared with \(reference): \(equal.grouped) of \(expected.counted("row")) equal, "
          + "\(fieldsCompared.counted("field")) compared both ways (\(time)).", verdict,
      ]
    }
    let proven = counts.reduce(0) { $0 + $1.proven }
    let compared =
      "Compared with \(reference): \(proven.grouped) of "
      + "\(expected.counted("entity", "entities")) proven, \(fieldsCompared.counted("field")) "
      + "compared both ways, \(changesVerified.counted("change")) of "
      + "\(documentsVerified.counted("document")) verified, \(imagesFound.counted("image")) "
      + "found (\(time))."
    let leftOut = EntityKinds.leftOut(zip(kindNames, leftOut))
    return [compared] + (leftOut.map { [$0] } ?? []) + [verdict]
  }

  private var verdict: String {
    guard isSound else {
      let errors = findings.count { $0.severity == .error }
      return "NOT everything is there and equal: \(errors.counted("error"))."
    }
    let (gaps, views) = (gapCount.counted("finding"), otherViewCount.counted("finding"))
    let seen = "where readers see something else, or one thing twice, is told in \(views)"
    switch (isComplete, otherViewCount == 0) {
    case (true, true): return "Everything is there and equal."
    case (true, false): return "Everything is there; \(seen)."
    case (false, true):
      return
        "What was compared is equal; what is not there, or was not compared, is told in \(gaps)."
    case (false, false):
      return
        "What was compared is there; \(seen); what is not there, or was not compared, in \(gaps)."
    }
  }
}
