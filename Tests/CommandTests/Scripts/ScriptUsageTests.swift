import Foundation
import Testing

/// What the scripts answer to a call that is wrong, or asks what they take.
@Suite struct ScriptUsageTests {
  @Test(arguments: [
    ("demo", ["--flet"], "unknown option '--flet'. Did you mean '--fleet'?"),
    ("demo", ["--plans", "more"], "unexpected argument 'more'"),
    ("demo", ["--keep="], "--keep needs a value, one that it takes"),
    ("demo", ["--profile=minuta"], "--profile needs a value, one that it takes"),
    ("install", ["--prefx=/nowhere"], "unknown option '--prefx'. Did you mean '--prefix'?"),
    ("install", ["--bogus"], "unknown option '--bogus'"),
    ("package", ["--outptu", "x"], "unknown option '--outptu'. Did you mean '--output'?"),
    ("bench", ["--comands", "x"], "unknown option '--comands'. Did you mean '--commands'?"),
    ("bench", ["counts", "--tabel=x"], "unknown option '--tabel'. Did you mean '--table'?"),
    ("bench", ["stores", "--rows="], "--rows needs a value, one that it takes"),
  ])
  func `a script names what is wrong with a call, and the nearest option`(
    script: String, arguments: [String], told: String
  ) throws {
    let path = BuiltCommands.packageRoot.appending(path: "bin/\(script)")
    let run = try run(path, arguments, input: nil)
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(
      run.errors == "\(script): \(told)\n  next: \(path.path) --help shows what it takes\n")
  }

  @Test func `an option of a script takes its value behind an equals sign, too`() throws {
    let scripts = try InstalledScripts.withDemo(sharing: ["fixtures"])
    let place = try TemporaryDirectory()
    let run = try scripts.run("demo", "--keep=ke pt", in: place.url)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(
      FileManager.default.fileExists(
        atPath: place.url.appending(path: "ke pt/Minuta/tags.automerge").path))
  }

  @Test(arguments: ["migrate-folder", "recover-folder", "rollback-folder"])
  func `a command is not built to say what it takes`(script: String) throws {
    let clone = try Clone()
    for arguments in [["--help"], ["-h"], ["Minuta", "--help"], ["--bogus", "--help"]] {
      let help = try clone.run(script, arguments)
      #expect(help.status == 0, "\(help.errors)")
      #expect(help.output.hasPrefix("usage: \(script) FOLDER"), "\(help.output)")
      #expect(help.errors == "")
    }
    let wrong = try clone.run(script, ["Minuta", "--backup-dri=x"])
    #expect(wrong.status == 64)
    let told = "\(script): unknown option '--backup-dri'. Did you mean '--backup-dir'?\n"
    #expect(wrong.errors.hasPrefix(told), "\(wrong.errors)")
    // Whatever the command itself takes is left to it, and so is what stands behind two hyphens.
    let shell = try run(script, "--generate-completion-script", "fish").output
    let options = shell.matches(of: /[ ]-l '([a-z-]+)'/).map { "--\($0.1)" }
    #expect(options.count > 8)
    for option in Set(options).subtracting(["--help"]) {
      let run = try clone.run(script, ["Minuta", option])
      #expect(run.status == 99, "\(option): \(run.output)\(run.errors)")
    }
    #expect(try clone.run(script, ["--", "--bogus"]).status == 99)
  }

  /// A clone in which nothing is built, and whose compiler ends with a status of its own.
  private struct Clone {
    private let place: TemporaryDirectory

    init() throws {
      place = try TemporaryDirectory()
      let root = BuiltCommands.packageRoot
      try FileManager.default.createDirectory(
        at: place.url.appending(path: "bin"), withIntermediateDirectories: true)
      for path in [
        "Package.swift", "bin/toolchain.sh", "bin/migrate-folder", "bin/recover-folder",
        "bin/rollback-folder",
      ] {
        try FileManager.default.copyItem(
          at: root.appending(path: path), to: place.url.appending(path: path))
      }
      for (name, text) in [("swift", "exit 99"), ("dpkg-query", "echo installed")] {
        let path = place.url.appending(path: "tools/\(name)")
        try FileManager.default.createDirectory(
          at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: path)
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o755], ofItemAtPath: path.path)
      }
    }

    func run(_ script: String, _ arguments: [String]) throws -> CommandRun {
      let path = place.url.appending(path: "tools").path + ":/usr/bin:/bin"
      return try CommandTests.run(
        URL(filePath: "/usr/bin/env"),
        ["PATH=\(path)", place.url.appending(path: "bin/\(script)").path] + arguments, input: nil)
    }
  }
}
