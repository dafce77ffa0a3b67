import SafeFiles

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
