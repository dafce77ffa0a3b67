import Foundation
import Testing

@Suite struct PackageShapeTests {
  @Test func `the top level holds what a reader expects and nothing else`() throws {
    let visible = try FileManager.default.contentsOfDirectory(atPath: PackageTree.root.path)
      .filter { !$0.hasPrefix(".") && $0 != "Package.resolved" }
    #expect(
      visible.sorted() == [
        "Package.swift", "README.md", "Sources", "Tests", "bin", "fixtures", "plans",
      ])
  }

  @Test func `a program is one line that starts a command`() {
    let programs = PackageTree.sources.filter {
      $0.module.contains("-") && $0.module != "bench-engine"
    }
    #expect(programs.count > 10)
    for file in programs {
      let call = file.module == "automerge-migrate" ? "" : "\"\(file.module)\""
      #expect(file.name == "main.swift", "\(file.path)")
      #expect(
        file.lines.joined(separator: "\n") == "import Commands\n\nProgram.run(\(call))\n",
        "\(file.path)")
    }
  }

  @Test func `a command is one short file`() {
    for file in PackageTree.sources where ["Commands", "bench-engine"].contains(file.module) {
      #expect(file.lines.count <= 130, "\(file.path) has \(file.lines.count) lines")
    }
  }
}
