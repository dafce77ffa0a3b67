import Foundation

/// A page of `Sources/Documentation/runbooks`, taken apart into what somebody types and sees.
struct Runbook {
  /// The headings below the title, which every runbook has in this order.
  static let headings = [
    "When", "Before you start", "Steps", "How to undo", "When to stop and ask",
  ]

  static let directory = BuiltCommands.packageRoot.appending(path: "Sources/Documentation/runbooks")

  /// The pages for people who write an app; they have headings of their own.
  static let guides = ["../describing-an-app.md", "../a-new-version.md"]

  /// The names of the runbooks; the page that says how to read them is not one.
  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [])
    .filter { $0.hasSuffix(".md") && $0 != "README.md" }.sorted()

  /// The runbooks that this machine can follow.
  static var executable: [String] {
    names.filter { $0 != "the-disk-is-full.md" || SmallDisk.isAvailable }
  }

  let name: String
  var lines: [String]
  private(set) var examples: [RunbookExample] = []
  /// What is wrong with the page as a page, with the line.
  private(set) var defects: [String] = []

  init(_ name: String) throws {
    let url = Self.directory.appending(path: name)
    self.init(name, text: try String(contentsOf: url, encoding: .utf8))
  }

  init(_ name: String, text: String) {
    self.name = name
    lines = text.components(separatedBy: "\n")
    parse()
  }

  /// The second-level headings, in order.
  var headings: [String] {
    lines.filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
  }

  /// Every command line of the page that is executed.
  var commands: [String] { examples.flatMap(\.steps).map(\.command) }

  func write() throws {
    let url = Self.directory.appending(path: name)
    try Data(lines.joined(separator: "\n").utf8).write(to: url)
  }

  /// A block is indented when it belongs to an item of a list.
  private mutating func parse() {
    var block: (indent: Int, isConsole: Bool)?
    for (index, line) in lines.enumerated() {
      let indent = line.prefix { $0 == " " }.count
      let text = String(line.dropFirst(indent))
      if let open = block {
        if text == "```" {
          block = nil
        } else if open.isConsole {
          add(String(line.dropFirst(min(indent, open.indent))), at: index, indent: open.indent)
        }
      } else if text.hasPrefix("```") {
        block = (indent, text == "```console")
        if text != "```console" { note("a block that is not executed: \(text)", at: index) }
      } else if let match = text.wholeMatch(of: /Example: (.+)\./) {
        examples.append(RunbookExample(situation: String(match.1), line: index + 1))
      } else if text.hasPrefix("$ ") {
        note("a command line outside of a block", at: index)
      }
    }
  }

  private mutating func add(_ line: String, at index: Int, indent: Int) {
    guard !examples.isEmpty else { return note("a block before the first example", at: index) }
    let last = examples.count - 1
    if line.hasPrefix("$ ") {
      examples[last].steps.append(
        RunbookStep(command: String(line.dropFirst(2)), indent: indent, line: index + 1))
    } else if examples[last].steps.last?.isAdjacent(to: index) == true {
      examples[last].steps[examples[last].steps.count - 1].add(line)
    } else {
      note("output without its command", at: index)
    }
  }

  private mutating func note(_ defect: String, at index: Int) {
    defects.append("\(name):\(index + 1): \(defect)")
  }
}

/// A situation, and what is typed in it, step after step.
struct RunbookExample {
  let situation: String
  let line: Int
  var steps: [RunbookStep] = []
}
