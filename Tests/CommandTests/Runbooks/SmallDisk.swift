import Foundation

/// A file system of a given size in place of a directory, seen only by the commands that run on it.
final class SmallDisk {
  /// Whether the machine lets us have one; needs user namespaces.
  static let isAvailable: Bool = {
    #if os(Linux)
      let place = try? TemporaryDirectory()
      return (place.flatMap { try? SmallDisk(at: $0.url, kilobytes: 64) }) != nil
    #else
      return false
    #endif
  }()

  /// Lives as long as its standard input is open, and the file system lives as long as it.
  private let keeper: RunningCommand

  init(at directory: URL, kilobytes: Int) throws {
    let mark = directory.path + ".mounted"
    let script = """
      mount -t tmpfs -o size=\(kilobytes)k tmpfs "$0" && : >"$0.mounted" && exec cat
      """
    keeper = try RunningCommand(
      URL(filePath: "/usr/bin/env"), ["unshare", "-rm", "sh", "-c", script, directory.path])
    while !FileManager.default.fileExists(atPath: mark) {
      guard keeper.isRunning else { throw CocoaError(.fileWriteUnknown) }
      usleep(2_000)
    }
  }

  deinit {
    try? keeper.input.close()
    _ = try? keeper.wait()
  }

  /// The words before a command that has to see it.
  var prefix: [String] {
    ["nsenter", "-t", "\(keeper.processIdentifier)", "-U", "-m", "--preserve-credentials"]
  }
}
