import Automerge
package import Diagnostics
import SafeFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One row of the table: work, and what it is held to.
package struct Measurement {
  /// What a measurement is held to.
  enum Target {
    /// Milliseconds over those of the yardstick.
    case units(Double)
    case megabytes(Double)
    /// The quantity over that of another row, which is the same work on half as much.
    case ratio(Double, to: String)
  }

  /// What is measured.
  enum Quantity {
    /// Of processor time.
    case milliseconds
    /// Of memory at its peak.
    case megabytes
  }

  /// What work on twice as much may cost.
  static let doubling = 2.2

  /// What the row is called where rows are chosen.
  package let name: String
  let work: String
  let quantity: Quantity
  let target: Target?
  /// How often the work is done at most; the least counts.
  let rounds: Int
  /// Does the work once and returns what it took; what it needs is made beforehand.
  let measure: () throws -> Double

  init(
    _ name: String, _ work: String, in quantity: Quantity = .milliseconds, target: Target? = nil,
    rounds: Int = .max, measure: @escaping () throws -> Double
  ) {
    self.name = name
    self.work = work
    self.quantity = quantity
    self.target = target
    self.rounds = rounds
    self.measure = measure
  }
}

/// How much of its work a row does.
package struct MeasurementSize: Sendable {
  private let percent: Int

  package init(percent: Int) { self.percent = percent }

  /// Returns that part of a number, and at least one.
  func part(of whole: Int) -> Int { max(1, whole * percent / 100) }
}

/// Part of a measurement that has a process to itself.
package enum MeasurementStep: String, CaseIterable {
  /// Writes the document of records to the folder.
  case writeRecords = "write-records"
  /// Loads what the step before wrote.
  case loadRecords = "load-records"
  /// Writes two forks of that document to the folder, each with changes that the other lacks.
  case writeForks = "write-forks"
  /// Loads both and merges one into the other.
  case mergeForks = "merge-forks"
  /// Does nothing: what a process is without a document.
  case nothing

  private static let document: FileName = "records.automerge"
  private static let forks: [FileName] = ["fork 1.automerge", "fork 2.automerge"]

  /// Performs the step in the folder of the run.
  package func perform(inFolder path: String) throws {
    let directory = try Directory.open(path: path)
    switch self {
    case .writeRecords:
      let records = TimeRecords(count: RecordDocuments.standardCount)
      try directory.createFile(Self.document).write([UInt8](try records.document().save()))
    case .loadRecords:
      let document = try Self.load(Self.document, from: directory)
      guard document.changeCount == 1 else {
        throw MeasurementError.wrongResult("the document of records has no records")
      }
    case .writeForks:
      for (name, fork) in zip(Self.forks, try RecordDocuments().forks()) {
        try directory.createFile(name).write([UInt8](fork))
      }
    case .mergeForks:
      var forks = try Self.forks.map { try Self.load($0, from: directory) }
      let other = forks.removeLast()
      try forks[0].merge(other)
      guard forks[0].heads.count == 2 else {
        throw MeasurementError.wrongResult("a merge of forks has not the heads of both")
      }
    case .nothing: break
    }
  }

  /// Loads a document as `Document` does for whoever edits it.
  private static func load(
    _ name: FileName, from directory: Directory
  ) throws -> DocumentState {
    try DocumentState(loading: directory.contents(of: name), keeping: .allButGreat)
  }
}

/// Why there is no table.
package enum MeasurementError: DiagnosableError {
  /// A row that does not exist, and those that do.
  case unknownRow(String, known: [String])
  /// A program that could not be run, with the `errno`.
  case notRun(String, Int32)
  /// A program that ended with this wait status.
  case failed(String, Int32)
  /// Work that was done wrongly.
  case wrongResult(String)

  package var diagnostic: Diagnostic {
    switch self {
    case .unknownRow(let name, let known):
      Diagnostic(
        .usage, subject: name, problem: "is no row",
        remedy: "choose from " + known.joined(separator: ", "))
    case .notRun(let program, let code):
      Diagnostic(.missingInput, subject: program, problem: "could not be run (error \(code))")
    case .failed(let program, let status):
      Diagnostic(.internalError, subject: program, problem: "ended with wait status \(status)")
    case .wrongResult(let what):
      Diagnostic(.internalError, subject: "", problem: what)
    }
  }
}

/// The folder a run of measurements keeps its files in, and what is run in it.
struct MeasurementPlace {
  private let directory: Directory
  private static let zeros: FileName = "zeros"

  /// Takes over an empty folder and makes the file the yardstick reads.
  init(path: String) throws(FileError) {
    directory = try Directory.open(path: path)
    let writer = try directory.createFile(Self.zeros)
    // A hole: the system makes the zeros.
    try writer.write([0], 0..<1, at: (256 << 20) - 1)
  }

  /// Returns the milliseconds of one unit: what the system's program needs for the SHA-256 of
  /// 256 MiB of zeros.
  func unit() throws(MeasurementError) -> Double {
    try ChildProcess(running: "sha256sum", [directory.path(of: Self.zeros)]).milliseconds
  }

  /// Returns the peak megabytes of a process of its own that performs a step.
  func peak(of step: MeasurementStep) throws(MeasurementError) -> Double {
    let process = try ChildProcess(
      running: ChildProcess.ownPath, [directory.path, "--step", step.rawValue])
    return Double(process.peakByteCount) / 1e6
  }
}

/// The processor time of this process, all threads together.
///
/// Other work on the machine lengthens it far less than the time on the wall.
enum ProcessorTime {
  /// Returns the milliseconds that `work` takes; giving its result back is not work.
  static func milliseconds<Result>(of work: () throws -> Result) rethrows -> Double {
    let start = clock()
    let result = try work()
    let end = clock()
    return withExtendedLifetime(result) { Double(end - start) / 1000 }
  }
}
