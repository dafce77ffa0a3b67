import Foundation
import Testing

@Suite struct PackageShapeTests {
  @Test func `the top level holds what a reader expects and nothing else`() throws {
    let visible = try FileManager.default.contentsOfDirectory(atPath: PackageTree.root.path)
      .filter { !$0.hasPrefix(".") && $0 != "Package.resolved" }
    #expect(
      visible.sorted() == ["Package.swift", "README.md", "Sources", "Tests", "bin", "fixtures"])
  }

  @Test func `an executable is one short file, and a report if no workflow makes it`() {
    let executables = PackageTree.sources.filter { $0.module.contains("-") }
    #expect(!executables.isEmpty)
    for (module, files) in Dictionary(grouping: executables, by: \.module) {
      let commands = files.filter { !$0.name.hasSuffix("Report.swift") }
      #expect(commands.count == 1 && files.count <= 2, "\(module) has \(files.count) files")
      for file in files {
        #expect(file.lines.count <= 130, "\(file.path) has \(file.lines.count) lines")
      }
    }
  }
}
