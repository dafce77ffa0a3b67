import Diagnostics
package import MigrationCore
import Runs

extension ComparisonReport: ReadableReport {
  package var tables: [TextTable] {
    var table = TextTable(heading: ["entity", "field", "in", "value", "by", "at", "change"])
    for difference in differences {
      var place = [difference.entity.safeForTerminal, difference.field.safeForTerminal]
      for (name, side) in [("this", difference.this), ("other", difference.other)] {
        for row in side.rows {
          table.add(place + [name] + row)
          place = ["", ""]
        }
      }
    }
    return [table]
  }

  package var conclusion: [String] {
    var sentences = [history]
    guard differs else { return sentences + ["Both show the same (\(duration))."] }
    let count = differences.count + omittedCount
    var parts: [String] = []
    for (outcome, words) in [
      ("changed", "with other values"), ("only-this", "only in this one"),
      ("only-other", "only in the other one"),
    ] {
      let count = differences.count { $0.outcome == outcome }
      if count > 0 { parts.append("\(count.grouped) \(words)") }
    }
    if omittedCount > 0 { parts.append("\(omittedCount.grouped) not listed") }
    sentences.append(
      "\(count.counted("place differs", "places differ")): "
        + parts.joined(separator: ", ") + " (\(duration)).")
    return sentences
  }

  private var history: String {
    let more = changesOnlyInThis.counted("change")
    let fewer = changesOnlyInOther.counted("change")
    return switch relation {
    case .same: "\(this) and \(other) have the same history."
    case .ahead: "\(this) is ahead of \(other) by \(more)."
    case .behind: "\(this) is behind \(other) by \(fewer)."
    case .diverged:
      "The histories have diverged: \(more) only in \(this), \(fewer) only in \(other)."
    case .unrelated:
      "The histories have nothing in common: \(more) in \(this), \(fewer) in \(other)."
    }
  }

  private var duration: String { Duration.seconds(seconds).text }
}

extension ComparisonReport.Side {
  /// The cells behind the name of the side: what is there, by whom, when and in which change.
  fileprivate var rows: [[String]] {
    guard !values.isEmpty else {
      return [[deleted == nil ? "(nothing)" : "(deleted)"] + Self.cells(of: deleted)]
    }
    // What readers see comes first, and what it won over below it.
    var rows = values.reversed().map { value in
      [(value.isShown ? "" : "not shown: ") + value.value.cell] + Self.cells(of: value.writer)
    }
    if valueCount > values.count {
      rows.append(["and \((valueCount - values.count).grouped) more", "", "", ""])
    }
    return rows
  }

  private static func cells(of stamp: ChangeStamp?) -> [String] {
    [
      stamp.map { String($0.actor.prefix(8)) } ?? "", stamp?.time ?? "",
      stamp.map { String($0.change.prefix(8)) } ?? "",
    ]
  }
}
