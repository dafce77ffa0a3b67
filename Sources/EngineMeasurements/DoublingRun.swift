import SafeFiles

/// Every pattern in a file of up to a megabyte, through everything that is done with files, each in a
/// process of its own.
package struct DoublingRun {
  /// What no file of a megabyte may exceed.
  package static let mostMilliseconds = 2_000.0
  package static let mostMegabytes = 256.0

  private static let smallestCount = 500
  private static let tags: FileName = "tags.automerge"
  private static let folder: FileName = "folder"
  private static let output: FileName = "output.automerge"

  private let directory: Directory
  private let path: String
  private let patterns: [DoublingPattern]
  private let commands: String?

  /// Prepares a run in an empty folder.
  ///
  /// - Parameters:
  ///   - names: the patterns to measure; all if it is empty.
  ///   - commands: where the commands are, if these are measured instead of the engine.
  package init(
    inFolder path: String, patterns names: [String] = [], commands: String? = nil
  ) throws {
    directory = try Directory.open(path: path)
    self.path = path
    self.commands = commands
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
    guard let (file, byteCount) = try makeLargest(pattern, form) else { return nil }
    var slowest = (work: DoublingWork.stage(.load), milliseconds: 0.0)
    var widest = (work: DoublingWork.stage(.load), megabytes: 0.0)
    for work in works(with: pattern, form) {
      let (milliseconds, megabytes) = try measure(work, file)
      if milliseconds > slowest.milliseconds { slowest = (work, milliseconds) }
      if megabytes > widest.megabytes { widest = (work, megabytes) }
    }
    let half = try measure(slowest.work, file.half()).milliseconds
    let holds =
      slowest.milliseconds <= Self.mostMilliseconds && widest.megabytes <= Self.mostMegabytes
    let cells = [
      pattern.rawValue, form.rawValue, "\(file.count)", "\(byteCount)", slowest.work.name,
      "\(Int(slowest.milliseconds))", "\(Int(half))", widest.work.name,
      "\(Int(widest.megabytes))", holds ? "yes" : "NO",
    ]
    return "| " + cells.joined(separator: " | ") + " |\n"
  }

  private func works(with pattern: DoublingPattern, _ form: DoublingForm) -> [DoublingWork] {
    commands == nil
      ? DoublingStage.allCases.filter { pattern.isMeant(for: $0) && form.isMeant(for: $0) }
        .map { .stage($0) }
      : DoublingCommand.allCases.map { .command($0) }
  }

  // MARK: Files

  /// Makes the files of a pattern, each twice the one before, and returns the greatest that is not
  /// too large and loads.
  ///
  /// Each in a process of its own: on Linux a process starts with the peak of the one that started
  /// it, so this one has to stay small.
  private func makeLargest(
    _ pattern: DoublingPattern, _ form: DoublingForm
  ) throws -> (file: DoublingFile, byteCount: Int)? {
    var found: (DoublingFile, Int)?
    var count = Self.smallestCount
    while true {
      let file = try DoublingFile(pattern, form, count: count)
      _ = try ChildProcess(running: ChildProcess.ownPath, [path, "--make", file.name])
      guard let state = try directory.stateIfPresent(of: file.entry) else { return found }
      // The half of it is measured, too.
      if count > Self.smallestCount { found = (file, Int(state.size)) }
      count *= 2
    }
  }

  /// Writes a file of the run, unless it would be too large.
  package func make(_ name: String) throws {
    let file = try DoublingFile(named: name)
    if let bytes = file.bytes() { try directory.createFile(file.entry).write(bytes) }
  }

  // MARK: Work

  private func measure(
    _ work: DoublingWork, _ file: DoublingFile
  ) throws -> (milliseconds: Double, megabytes: Double) {
    let process: ChildProcess
    switch work {
    case .stage(let stage):
      process = try ChildProcess(
        running: ChildProcess.ownPath, [path, "--stage", stage.rawValue, "--file", file.name])
    case .command(let command):
      process = try run(command, file)
    }
    return (process.milliseconds, Double(process.peakByteCount) / 1e6)
  }

  private func run(_ command: DoublingCommand, _ file: DoublingFile) throws -> ChildProcess {
    if try directory.stateIfPresent(of: Self.folder) != nil {
      try directory.removeOwnTree(Self.folder)
    }
    let folder = try directory.createDirectory(Self.folder)
    try folder.createFile(Self.tags).write(directory.contents(of: file.entry))
    let (program, arguments) = command.words(
      directory.path(of: file.entry), folder: folder.path,
      output: directory.path(of: Self.output))
    return try ChildProcess(running: "\(commands ?? ".")/\(program)", arguments, mayRefuse: true)
  }

  /// Does one stage with a file of the run.
  package func perform(_ stage: DoublingStage, file name: String) throws {
    try stage.work(on: directory.contents(of: DoublingFile(named: name).entry))()
  }
}

extension DoublingPattern {
  /// Whether a stage says something about a pattern: each patch in a nested object has the whole way
  /// there, which makes as many as the depth squared.
  package func isMeant(for stage: DoublingStage) -> Bool {
    stage != .patches || (self != .nestedMaps && self != .nestedLists)
  }
}

extension DoublingForm {
  /// Whether a stage does with a megabyte what it is measured for: the changes of a document of 143
  /// bytes, each by itself, may be twenty megabytes.
  package func isMeant(for stage: DoublingStage) -> Bool { stage != .backwards || self == .changes }
}

/// What is done with a file in a process of its own: a stage in the engine, or a command.
enum DoublingWork {
  case stage(DoublingStage)
  case command(DoublingCommand)

  var name: String {
    switch self {
    case .stage(let stage): stage.rawValue
    case .command(let command): command.rawValue
    }
  }
}

/// A command that reads a document.
enum DoublingCommand: String, CaseIterable {
  case check
  case tree
  case conflicts
  case changes
  case repair
  case anonymize
  case verify
  case status
  case export
  case merge

  /// Returns the name of the command and its arguments.
  ///
  /// - Parameters:
  ///   - file: the document.
  ///   - folder: a folder that holds it as its tags.
  ///   - output: a file to write.
  func words(_ file: String, folder: String, output: String) -> (String, [String]) {
    switch self {
    case .check: ("inspect-crdt", ["--check", file])
    case .tree: ("inspect-crdt", ["--tree", file])
    case .conflicts: ("inspect-crdt", ["--conflicts", file])
    case .changes: ("inspect-crdt", ["--changes", file])
    case .repair: ("repair-crdt", [file, "--output", output, "--force"])
    case .anonymize: ("repair-crdt", [file, "--output", output, "--force", "--anonymize"])
    case .verify: ("verify-counts", [folder])
    case .status: ("verify-counts", [folder, "--status"])
    case .export: ("export-json", [folder])
    case .merge: ("merge-conflicts", [folder, "--dry-run"])
    }
  }
}
