import Diagnostics
package import MigrationCore
import Runs

extension RecoveryReport: ReadableReport {
  /// How many lines there are of one thing.
  private static let mostLines = 10

  /// Where the folder stands, and the steps: two lines for each, its reason behind a number and its
  /// command behind `$`.
  package var plan: [String] {
    ["\(folder): \(status?.status.rawValue ?? "in the middle of a restore")"]
      + Self.lines(of: steps)
      + unseen.map { "\($0): nobody can look there, so nothing is planned for it" }
  }

  static func lines(of steps: [RecoveryStep]) -> [String] {
    steps.enumerated().flatMap { number, step in
      ["\((number + 1).grouped). \(step.reason)", "   $ \(step.shellText)"]
    }
  }

  /// What is left for a person to decide, and the steps that did not help.
  package var decisions: [String] {
    guard leavesSomething || !steps.isEmpty else { return [] }
    var lines: [String] = []
    for left in left {
      lines.append("\(left.count.grouped) \(left.code.rawValue)")
      lines += Self.shortened(left.next.map { "  next: \($0)" })
    }
    if missingImageCount > 0 {
      lines += [
        "\(missingImageCount.grouped) missing-image",
        "  next: look for it on another device; no backup that was found holds it",
      ]
    }
    if !waiting.isEmpty {
      lines += waiting.map { "\($0) waits: a backup that cannot be used may hold it as it was" }
      lines += unusableBackups
      lines.append(
        "  next: see restore-backup BACKUP --list; move what is none of this folder, or is lost, "
          + "out of the directory of backups")
    }
    for image in changedImages {
      lines.append("\(image.path) has other bytes than in the newest backup, and is an image")
      let commands = image.commands.map(\.shellText)
      lines.append(
        "  next: keep it with \(commands.joined(separator: ", or bring the other back with "))")
    }
    return ["For a person to decide:"] + (lines + steps.map(\.reason)).map { "  \($0)" }
  }

  /// What is kept of damaged documents and shows something else than the folder.
  package var comparison: [String] {
    guard !differences.isEmpty else { return [] }
    var lines: [String] = []
    for difference in differences {
      guard let values = difference.lines else {
        lines.append(
          "\(difference.place): was damaged, and nothing of it can be read: what was entered in it "
            + "since the backup is not known")
        continue
      }
      lines.append(
        "\(difference.place): shows what \(difference.original) in the folder does not, or not any "
          + "more:")
      lines += Self.shortened(values.map { "  \($0)" })
    }
    return [
      "What can be read of damaged documents and what came back differ: entered or deleted since, "
        + "or misread:"
    ] + lines.map { "  \($0)" } + [
      "  next: enter in the app what is missing, delete what was deleted, then move what was "
        + "salvaged away"
    ]
  }

  /// The end: where the folder stands, and what comes next.
  package var standing: [String] {
    guard let status else { return [] }
    var lines = status.conclusion
    if let first = lines.first { lines[0] = "\(folder): \(first)" }
    return (differs ? [] : ["Nothing is wrong."]) + lines
  }

  package var conclusion: [String] { plan + decisions + comparison + standing }

  private static func shortened(_ lines: [String]) -> [String] {
    lines.count > mostLines
      ? lines.prefix(mostLines) + ["  and \((lines.count - mostLines).grouped) more"] : lines
  }
}
