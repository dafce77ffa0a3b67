import Automerge
import SafeFiles

/// Every pattern in a file of up to a megabyte, through everything that is done with files, each in a
/// process of its own.
package struct DoublingRun {
  /// What no file of a megabyte may exceed.
  package static let mostMilliseconds = 2_000.0
  package static let mostMegabytes = 256.0

  private static let largestFile = 1_000_000
  private let directory: Directory
  private let path: String
  private let patterns: [DoublingPattern]

  /// Prepares a run in an empty folder.
  ///
  /// - Parameter names: the patterns to measure; all if it is empty.
  package init(inFolder path: String, patterns names: [String] = []) throws {
    directory = try Directory.open(path: path)
    self.path = path
    patterns =
      names.isEmpty
      ? DoublingPattern.allCases
      : try names.map { name in
        guard let pattern = DoublingPattern(rawValue: name) else {
          throw MeasurementError.unknownRow(name, known: DoublingPattern.allCases.map(\.rawValue))
        }
        return pattern
      }
  }

  /// Measures everything and writes a table in Markdown, line by line: it takes minutes.
  package func writeTable(_ write: (String) throws -> Void) throws {
    try write("| pattern | file | count | bytes | slowest | ms | half | widest | MB | holds |\n")
    try write("|---|---|--:|--:|---|--:|--:|---|--:|---|\n")
    for pattern in patterns {
      for form in DoublingForm.allCases {
        if let row = try row(pattern, form) { try write(row) }
      }
    }
  }

  private func row(_ pattern: DoublingPattern, _ form: DoublingForm) throws -> String? {
    guard let (count, bytes) = largest(pattern, form) else { return nil }
    var slowest = (stage: DoublingStage.load, milliseconds: 0.0)
    var widest = (stage: DoublingStage.load, megabytes: 0.0)
    let name = try write(bytes, "\(pattern.rawValue)-\(form.rawValue)")
    for stage in DoublingStage.allCases where pattern.isMeant(for: stage) {
      let (milliseconds, megabytes) = try measure(stage, name)
      if milliseconds > slowest.milliseconds { slowest = (stage, milliseconds) }
      if megabytes > widest.megabytes { widest = (stage, megabytes) }
    }
    let smaller = try write(
      form.file(of: pattern, count / 2), "\(pattern.rawValue)-\(form.rawValue)-half")
    let half = try measure(slowest.stage, smaller).milliseconds
    let holds =
      slowest.milliseconds <= Self.mostMilliseconds && widest.megabytes <= Self.mostMegabytes
    let cells = [
      pattern.rawValue, form.rawValue, "\(count)", "\(bytes.count)", slowest.stage.rawValue,
      "\(Int(slowest.milliseconds))", "\(Int(half))", widest.stage.rawValue,
      "\(Int(widest.megabytes))", holds ? "yes" : "NO",
    ]
    return "| " + cells.joined(separator: " | ") + " |\n"
  }

  /// Returns the greatest file of a pattern, of those that double, that is not too large and loads.
  private func largest(
    _ pattern: DoublingPattern, _ form: DoublingForm
  ) -> (count: Int, bytes: [UInt8])? {
    var found: (Int, [UInt8])?
    var count = 1_000
    // A pattern that does not load at some size does not load beyond it either.
    while let bytes = try? form.file(of: pattern, count), bytes.count <= Self.largestFile,
      (try? DocumentState(loading: bytes)) != nil
    {
      found = (count, bytes)
      count *= 2
    }
    return found
  }

  private func write(_ bytes: [UInt8], _ name: String) throws -> String {
    guard let file = FileName(name) else { throw MeasurementError.wrongResult(name) }
    try directory.createFile(file).write(bytes)
    return name
  }

  private func measure(
    _ stage: DoublingStage, _ file: String
  ) throws -> (milliseconds: Double, megabytes: Double) {
    let process = try ChildProcess(
      running: ChildProcess.ownPath, [path, "--stage", stage.rawValue, "--file", file])
    return (process.milliseconds, Double(process.peakByteCount) / 1e6)
  }

  /// Does one stage with a file of the run.
  package func perform(_ stage: DoublingStage, file name: String) throws {
    guard let file = FileName(name) else { throw MeasurementError.wrongResult(name) }
    try stage.work(on: directory.contents(of: file))()
  }
}

/// How a pattern is written down.
package enum DoublingForm: String, CaseIterable, Sendable {
  case changes
  case document

  /// Returns a file in which there are `count` of what a pattern repeats.
  package func file(of pattern: DoublingPattern, _ count: Int) throws -> [UInt8] {
    let changes = pattern.changes(count)
    return self == .changes ? changes : try DocumentState(loading: changes).encoded()
  }
}

extension DoublingPattern {
  /// Whether a stage says something about a pattern: each patch in a nested object has the whole way
  /// there, which makes as many as the depth squared.
  package func isMeant(for stage: DoublingStage) -> Bool {
    stage != .patches || (self != .nestedMaps && self != .nestedLists)
  }
}
