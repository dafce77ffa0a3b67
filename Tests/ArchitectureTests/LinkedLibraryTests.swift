import Foundation
import Testing

@Suite struct LinkedLibraryTests {
  #if os(Linux)
    /// Foundation proper brings its internationalisation data: four times the size of a command.
    @Test func `no command links Foundation proper`() throws {
      let place = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
      let commands = Set(PackageTree.sources.map(\.module)).filter { $0.contains("-") }.sorted()
      let built = commands.map { place.appending(path: $0) }
        .filter { FileManager.default.isExecutableFile(atPath: $0.path) }
      try #require(!built.isEmpty, "no command was built beside the tests")
      for command in built {
        let libraries = try Self.libraries(of: command)
        #expect(libraries.contains("libc.so"), "ldd said nothing about \(command.path)")
        for banned in [
          "libFoundation.so", "libFoundationInternationalization", "lib_FoundationICU",
        ] {
          #expect(!libraries.contains(banned), "\(command.lastPathComponent) links \(banned)")
        }
      }
    }

    private static func libraries(of command: URL) throws -> String {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/ldd")
      process.arguments = [command.path]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self)
    }
  #endif
}
