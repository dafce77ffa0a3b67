import Foundation

/// Runs libFuzzer over the engine: `fuzz-engine --target=NAME [libFuzzer's options]`.
///
/// With `--write-seeds=FOLDER` it writes what a run starts from instead. libFuzzer skips options
/// that begin with two dashes and hands them on to the processes it starts.
@main struct FuzzEngine {
  static func main() throws {
    guard let target = FuzzTarget.chosen else {
      let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " | ")
      FileHandle.standardError.write(Data("usage: fuzz-engine --target=(\(names))\n".utf8))
      exit(64)
    }
    guard let folder = option("write-seeds") else { exit(LibFuzzer.run()) }
    for (index, seed) in try target.seeds().enumerated() {
      try Data(seed).write(to: URL(filePath: folder).appending(path: "seed-\(index)"))
    }
  }

  /// Returns the value of `--name=value`.
  static func option(_ name: String) -> String? {
    let prefix = "--\(name)="
    return CommandLine.arguments.first { $0.hasPrefix(prefix) }.map {
      String($0.dropFirst(prefix.count))
    }
  }
}
