import Foundation
import Testing

/// The package's files, found from where this file was compiled.
enum PackageTree {
  /// The top of the package, with links resolved.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources").resolvingSymlinksInPath().deletingLastPathComponent()

  /// All Swift files below `Sources`.
  static let sources: [SourceFile] = {
    let top = root.appending(path: "Sources")
    let paths = FileManager.default.enumerator(atPath: top.path)?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
      guard let text = try? String(contentsOf: top.appending(path: path), encoding: .utf8) else {
        return nil
      }
      return SourceFile(path: "Sources/" + path, text: text)
    }
  }()
}

/// Fails with one issue for each violation, so that a run shows them all.
func expectNone(_ violations: [String], sourceLocation: SourceLocation = #_sourceLocation) {
  for violation in violations {
    Issue.record(Comment(rawValue: violation), sourceLocation: sourceLocation)
  }
}
