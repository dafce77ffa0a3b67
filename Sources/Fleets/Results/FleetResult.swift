import Diagnostics
import Folders
package import Runs
package import SafeFiles

/// What became of one folder of a fleet: a line of the file of results.
package struct FleetResult: Sendable {
  /// How a folder stands; the raw value is part of the scripting contract.
  package enum Outcome: String, CaseIterable, Hashable, Sendable {
    /// The command did all of it.
    case done
    /// It did its work, and something differs or errors were found.
    case differs
    /// Somebody else was at work in the folder: trying again can help.
    case busy
    /// The command ended with another status.
    case failed

    /// What a status of a command means for the folder.
    package init(status: Int) {
      self =
        switch status {
        case 0: .done
        case 1: .differs
        case 75: .busy
        default: .failed
        }
    }
  }

  /// So many findings of severity error are kept of a folder.
  static let mostFindings = 20
  /// So many lines of what the command said are kept, and so many bytes of each.
  static let (mostLines, longestTalk) = (40, 1000)
  /// A summary that is longer is left out: a line of the file has a bounded length.
  static let longestSummary = 1 << 16
  /// The longest line that is read; longer ones are none of ours.
  static let longestLine = 1 << 20

  /// The folder, as the list names it.
  package let folder: String
  /// How it stands.
  package let outcome: Outcome
  /// The status that the command ended with.
  package let status: Int
  /// Everything the line says, in its order.
  package let members: ReportObject

  /// Takes what a command left behind that was run with `--json`.
  ///
  /// - Parameters:
  ///   - output: what it wrote to standard output.
  ///   - talk: what it wrote to standard error.
  package init(
    of folder: String, _ task: FleetTask, status: Int, output: [UInt8], talk: [UInt8],
    host: String, version: String, begun: FileTime, seconds: Double
  ) {
    self.folder = folder
    self.status = status
    outcome = Outcome(status: status)
    var line = ReportObject()
    line.add("type", "folder")
    line.add("folder", folder)
    line.add("outcome", outcome.rawValue)
    line.add("status", status)
    line.add("command", ReportValue(task.command(for: folder)))
    line.add("host", host)
    line.add("start", UTCText.long(begun))
    line.add("seconds", .seconds(seconds))
    line.add("toolVersion", version)
    let report = Self.report(output)
    if !report.findings.isEmpty { line.add("findings", .array(report.findings)) }
    if report.furtherCount > 0 { line.add("furtherFindings", report.furtherCount) }
    let said = Self.lines(of: talk)
    if !said.isEmpty { line.add("said", .array(said.map { .string($0) })) }
    if let summary = report.summary { line.add("summary", .object(summary)) }
    members = line
  }

  /// Reads a line; nil if it is torn, or is no result.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count <= Self.longestLine, let members = ReportObject(jsonLine: bytes),
      members.text("type") == "folder", let folder = members.text("folder"),
      let status = members.integer("status")
    else { return nil }
    self.folder = folder
    self.status = status
    self.members = members
    outcome = Outcome(status: status)
  }

  /// Whether it is the result of this task.
  func isOf(_ task: FleetTask) -> Bool { taskWords == task.words }

  /// What was run, without the folder.
  var taskWords: [String] {
    guard case .array(let words)? = members["command"] else { return [] }
    return words.dropLast().map { if case .string(let word) = $0 { word } else { "" } }
  }

  private static func report(
    _ output: [UInt8]
  ) -> (findings: [ReportValue], furtherCount: Int, summary: ReportObject?) {
    var findings: [ReportValue] = []
    var count = 0
    var summary: ReportObject?
    for line in output.split(separator: UInt8(ascii: "\n")) {
      // A report of a large folder has a line for each of its documents; few of them matter here.
      let isSummary = line.starts(with: summaryStart)
      guard isSummary || line.starts(with: findingStart) || line.starts(with: errorStart) else {
        continue
      }
      if isSummary {
        summary = line.count <= longestSummary ? ReportObject(jsonLine: line) : nil
      } else if let object = ReportObject(jsonLine: line),
        object.text("type") == "error" || object.text("severity") == Severity.error.rawValue
      {
        count += 1
        if findings.count < mostFindings, line.count <= longestSummary / mostFindings {
          findings.append(.object(object))
        }
      }
    }
    return (findings, count - findings.count, summary)
  }

  private static let summaryStart = Array(#"{"type":"summary""#.utf8)
  private static let findingStart = Array(#"{"type":"finding""#.utf8)
  private static let errorStart = Array(#"{"type":"error""#.utf8)

  /// The last lines of a talk, which say how it ended.
  private static func lines(of talk: [UInt8]) -> [String] {
    talk.split(separator: UInt8(ascii: "\n")).suffix(mostLines).map {
      String(decoding: $0.prefix(longestTalk), as: UTF8.self)
    }
  }
}

extension FleetResult {
  /// The first thing that is wrong, for people; empty if nothing is told.
  package var problem: String {
    if case .array(let findings)? = members["findings"], case .object(let first)? = findings.first {
      let subject = first.text("path") ?? first.text("subject") ?? ""
      let message = first.text("message") ?? ""
      return subject.isEmpty ? message : "\(DisplayText.subject(subject)): \(message)"
    }
    guard case .array(let lines)? = members["said"], case .string(let line)? = lines.first else {
      return ""
    }
    return line
  }

  /// The command that its first error tells to run; nil if it tells none.
  package var toldCommand: [String]? {
    guard case .array(let findings)? = members["findings"],
      case .object(let first)? = findings.first,
      case .array(let words)? = first["command"]
    else { return nil }
    return words.compactMap { if case .string(let word) = $0 { word } else { nil } }
  }

  /// The line, without its end.
  package var line: [UInt8] { members.jsonBytes }
}
