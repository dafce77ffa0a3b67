/// One command line of a runbook, and what the page says comes of it.
struct RunbookStep {
  /// The command as it stands behind the prompt; a backslash continues it on the next line.
  private(set) var command: String
  /// How far its block is indented.
  let indent: Int
  /// The line of the page it begins on.
  let line: Int
  private var lineCount = 1
  private var isComplete: Bool
  private var text: [String] = []

  init(command: String, indent: Int, line: Int) {
    self.command = command
    self.indent = indent
    self.line = line
    isComplete = !command.hasSuffix("\\")
  }

  mutating func add(_ line: String) {
    lineCount += 1
    if isComplete {
      text.append(line)
    } else {
      command += "\n" + line
      isComplete = !line.hasSuffix("\\")
    }
  }

  /// Whether a line of the page, counted from 0, follows the step.
  func isAdjacent(to index: Int) -> Bool { index == line - 1 + lineCount }

  /// The status that the page says, in the last line.
  var status: Int32 {
    guard let match = text.last?.wholeMatch(of: /\(status (\d+)\)/) else { return 0 }
    return Int32(match.1) ?? 0
  }

  /// The lines that the page says are printed.
  var expected: [String] { status == 0 ? text : text.dropLast() }

  /// Where the output stands in the page, as indexes of lines.
  var outputRange: Range<Int> { line - 1 + lineCount - text.count..<line - 1 + lineCount }

  /// Returns the lines a page shows for a run of the step.
  func page(of output: [String], status: Int32) -> [String] {
    let lines = status == 0 ? output : output + ["(status \(status))"]
    return lines.map { $0.isEmpty ? "" : String(repeating: " ", count: indent) + $0 }
  }

  /// Whether what was printed is what the page says; a line `...` stands for any lines.
  func matches(_ output: [String]) -> Bool {
    let parts = expected.split(separator: "...", omittingEmptySubsequences: false).map {
      $0.map(RunbookNames.withoutMeasures)
    }
    var rest = output.map(RunbookNames.withoutMeasures)[...]
    for (index, part) in parts.enumerated() {
      let isFirst = index == 0
      let isLast = index == parts.count - 1
      if isFirst && isLast { return rest.elementsEqual(part) }
      if isLast { return rest.count >= part.count && rest.suffix(part.count).elementsEqual(part) }
      let starts = isFirst ? rest.startIndex...rest.startIndex : rest.startIndex...rest.endIndex
      guard let start = starts.first(where: { rest[$0...].starts(with: part) }) else {
        return false
      }
      rest = rest[(start + part.count)...]
    }
    return true
  }
}
