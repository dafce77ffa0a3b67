import Foundation

/// The home of somebody who follows a runbook: a directory with the folder, and the commands at hand.
final class RunbookSandbox {
  private let place: TemporaryDirectory
  private let scripts: InstalledScripts
  private var disk: SmallDisk?
  let home: URL

  init() throws {
    place = try TemporaryDirectory()
    scripts = try InstalledScripts()
    home = place.url.appending(path: "anna")
    try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
  }

  /// Where the commands are typed.
  var documents: URL { home.appending(path: "Documents") }

  var folder: URL { documents.appending(path: "Minuta") }

  /// Puts a disk of that size where the commands are typed. Only commands see what is on it.
  func useDisk(kilobytes: Int) throws {
    disk = try SmallDisk(at: documents, kilobytes: kilobytes)
  }

  /// Runs a command line as a shell does, both streams in one.
  func run(_ line: String) throws -> CommandRun {
    let script = """
      HOME='\(home.path)' PATH='\(scripts.directory.path)':$PATH
      export HOME PATH
      cd ~/Documents
      exec 2>&1
      \(line)
      """
    return try CommandTests.run(
      URL(filePath: "/usr/bin/env"), (disk?.prefix ?? []) + ["sh", "-c", script], input: nil)
  }
}
