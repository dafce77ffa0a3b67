package import Diagnostics
import Folders

/// The result of a run, in a form that can be printed by people's tools and by scripts.
package protocol RunReport: Sendable {
  /// The name of the report, which is the command that made it.
  static var name: String { get }
  /// Everything worth telling, gravest first within a path, paths in byte order.
  var findings: [Finding] { get set }
  /// Whether something differs although no finding of severity error says so.
  var differs: Bool { get }
  /// One object for every item of the run (a month, a file, a backup), in the order to print.
  var items: [ReportObject] { get }
  /// The summary: the last line of the machine form, without `type` and `dryRun`.
  var summary: ReportObject { get }
  /// Whether the run only planned.
  var isDryRun: Bool { get }
}

/// Work that can be shown before it is done.
package protocol PlannedWorkflow {
  /// What it tells.
  associatedtype Report: RunReport
  /// Returns what `perform()` would tell if nothing changes until then; writes nothing.
  func plan() throws(MigrationError) -> Report
  /// Does the work.
  func perform() throws(MigrationError) -> Report
}

extension RunReport {
  /// Returns whether the run ends with status 1: something differs or was left out.
  package var endsWithDifferences: Bool {
    differs || findings.contains { $0.severity == .error }
  }

  package var differs: Bool { false }
  package var isDryRun: Bool { false }
}

extension [Finding] {
  /// How many findings there are of each severity, for a summary.
  package var countsBySeverity: ReportValue {
    var object = ReportObject()
    for severity in Severity.allCases {
      object.add(severity.rawValue, count { $0.severity == severity })
    }
    return .object(object)
  }

  /// The findings, each once, in the order in which they were found first.
  package func withoutRepetitions() -> [Finding] {
    var known: Set<Finding> = []
    return filter { known.insert($0).inserted }
  }

  /// The findings by path in byte order, within a path gravest first, then as they were found; each
  /// is told once, by however many parts of a run it was found.
  package func inReportOrder() -> [Finding] {
    var told: Set<Finding> = []
    return enumerated().filter { told.insert($0.element).inserted }.sorted { left, right in
      if left.element.path != right.element.path {
        return left.element.path.utf8.lexicographicallyPrecedes(right.element.path.utf8)
      }
      if left.element.severity != right.element.severity {
        return left.element.severity > right.element.severity
      }
      return left.offset < right.offset
    }.map(\.element)
  }
}

/// A value of the machine form of a report.
package indirect enum ReportValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  /// A duration in seconds; written with three decimals.
  case seconds(Double)
  case string(String)
  case array([ReportValue])
  case object(ReportObject)
}

extension ReportValue {
  /// The words of a command.
  package init(_ command: NextCommand) { self = .array(command.words.map { .string($0) }) }
}

/// An object of the machine form of a report: named values in the order they are written.
package struct ReportObject: Hashable, Sendable {
  /// One named value.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: ReportValue
  }

  /// The members in the order they are written; names are unique.
  package private(set) var members: [Member] = []

  /// Creates an empty object.
  package init() {}

  /// Appends a value.
  package mutating func add(_ name: String, _ value: ReportValue) {
    members.append(Member(name: name, value: value))
  }

  /// Appends an integer.
  package mutating func add(_ name: String, _ value: Int) { add(name, .integer(value)) }

  /// Appends a string.
  package mutating func add(_ name: String, _ value: String) { add(name, .string(value)) }

  /// Appends a truth value.
  package mutating func add(_ name: String, _ value: Bool) { add(name, .boolean(value)) }

  /// Returns the value of that name.
  package subscript(_ name: String) -> ReportValue? {
    members.first { $0.name == name }?.value
  }
}

extension ReportObject {
  /// The object as one line of JSON, without a line feed.
  package var jsonBytes: [UInt8] {
    var writer = JSONWriter()
    writer.write(.object(self))
    return writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ value: ReportValue) {
    switch value {
    case .null: null()
    case .boolean(let value): bool(value)
    case .integer(let value): number(value)
    case .seconds(let value): number((value * 1000).rounded() / 1000)
    case .string(let value): string(value)
    case .array(let values):
      beginArray()
      for value in values { write(value) }
      endArray()
    case .object(let object):
      beginObject()
      for member in object.members {
        let name = Array(member.name.utf8)
        self.name(name.span)
        write(member.value)
      }
      endObject()
    }
  }
}
