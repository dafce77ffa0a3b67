#if os(Linux)
  import Foundation
  import Testing

  /// What an import takes in memory, told by the system while the command runs.
  @Suite struct ImportMemoryTests {
    private static let isSlow =
      ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil

    /// A month of 100,000 records is to import in under 128 MB. What is held of a record only for a
    /// moment, but of all records at once, shows here.
    @Test(.timeLimit(.minutes(10)))
    func `a record of a month takes a kilobyte while it is imported`() throws {
      let (few, many) = Self.isSlow ? (10_000, 100_000) : (1_000, 6_000)
      // On a busy machine a process may come to its peak and end between two looks.
      let small = try (0..<3).map { _ in try peakByteCount(ofImporting: few) }.max() ?? 0
      let large = try (0..<3).map { _ in try peakByteCount(ofImporting: many) }.max() ?? 0
      let perRecord = (large - small) / (many - few)
      let most = Self.isSlow ? 1_280 : 1_600
      #expect(perRecord < most, "\(small) bytes for \(few) records, \(large) for \(many)")
      if Self.isSlow { #expect(large < 128 << 20) }
    }

    private func peakByteCount(ofImporting recordCount: Int) throws -> Int {
      let folder = try TemporaryDirectory()
      let source = folder.url.appending(path: "data").path
      let made = try run(
        "generate-folder", source, "--records", "\(recordCount)", "--months", "1", "--seed", "1")
      try #require(made.status == 0, "\(made.errors)")

      let process = Process()
      process.executableURL = BuiltCommands.directory.appending(path: "import-crdt")
      process.arguments = [source, "--layout", "monthly", "--jobs", "1", "--quiet"]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      var peak = 0
      while process.isRunning {
        peak = max(peak, Self.peakByteCount(of: process.processIdentifier) ?? 0)
      }
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      return try #require(peak > 0 ? peak : nil)
    }

    /// Returns the peak of a process so far; nil before it has become the command, when it shares the
    /// memory of this one, and after its end.
    private static func peakByteCount(of process: Int32) -> Int? {
      // It may have ended.
      guard
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      else { return nil }
      let lines = status.split(separator: "\n")
      guard lines.first?.hasSuffix("import-crdt") ?? false,
        let peak = lines.first(where: { $0.hasPrefix("VmHWM:") }),
        let kibibytes = Int(peak.filter(\.isNumber))
      else { return nil }
      return kibibytes << 10
    }
  }
#endif
