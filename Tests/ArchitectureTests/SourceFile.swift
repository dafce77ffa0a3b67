import Foundation

/// One Swift source file, and the same text with comments and string contents blanked out.
struct SourceFile {
  /// The path below the package, as failures show it.
  let path: String
  /// The module, which is the first folder below `Sources`.
  let module: String
  /// The folder below the module; empty for files directly in it.
  let folder: String
  /// The lines as they are.
  let lines: [Substring]
  /// The lines with everything that is no code replaced by spaces.
  let code: [String]

  init(path: String, text: String) {
    self.path = path
    let parts = path.split(separator: "/").map(String.init)
    module = parts.count > 1 ? parts[1] : ""
    folder = parts.count > 3 ? parts[2] : ""
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    code = CodeScanner.code(in: text).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Returns `path:line: problem` for every line whose code matches.
  func violations(
    of pattern: Regex<Substring>, holding words: String..., told problem: String
  ) -> [String] {
    lines(with: pattern, holding: words).map { violation(at: $0, problem) }
  }

  /// Returns the indices of the lines whose code matches: only lines that hold one of some words are
  /// compared with the expression, which takes a hundred times as long.
  func lines(with pattern: Regex<Substring>, holding words: [String]) -> [Int] {
    code.indices.filter { index in
      words.contains { code[index].holds($0) } && code[index].contains(pattern)
    }
  }

  func violation(at index: Int, _ problem: String) -> String {
    "\(path):\(index + 1): \(problem)"
  }

  /// The modules the file imports, with the index of the line.
  var imports: [(module: String, index: Int)] {
    let pattern =
      /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
    return code.indices.compactMap { index in
      guard code[index].holds("import ") else { return nil }
      return code[index].firstMatch(of: pattern).map { (String($0.1), index) }
    }
  }
}

extension String {
  /// Whether a word stands in it, byte for byte.
  func holds(_ word: String) -> Bool {
    // SAFETY: both are strings of C for as long as the call takes.
    unsafe withCString { text in unsafe word.withCString { unsafe strstr(text, $0) != nil } }
  }
}
