import Foundation

/// Where the commands under test are: beside the test bundle, as the build left them.
enum BuiltCommands {
  static let names = [
    "bench-engine", "cleanup-legacy", "export-json", "generate-folder", "generate-store",
    "import-crdt", "inspect-crdt", "merge-conflicts", "migrate-fleet", "migrate-folder",
    "migrate-schema", "pack-backup", "recover-folder", "repair-crdt", "report-folder",
    "restore-backup", "rollback-folder", "sync-folder", "verify-counts",
  ]

  /// The one that holds all the others but `bench-engine`.
  static let program = "automerge-migrate"

  static let directory: URL = {
    #if os(Linux)
      let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    #else
      let bundle =
        Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        ?? Bundle.main.bundleURL
    #endif
    return bundle.deletingLastPathComponent()
  }()

  /// The top of the package, from where this file was compiled, with links resolved.
  static let packageRoot = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appending(path: "Sources").resolvingSymlinksInPath().deletingLastPathComponent()
}
