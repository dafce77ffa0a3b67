import Automerge
import Foundation

/// A folder with something for every part of a page.
struct ReportedFolder {
  let folder: SmallFolder
  /// The document that holds a conflict.
  static let document = "records/2024/01.automerge"

  /// Makes a folder that was migrated, with a backup, and one value that two devices wrote at once.
  init(_ folder: SmallFolder? = nil, values: [String] = ["from the desk", "from the bus"]) throws {
    self.folder = try folder ?? SmallFolder()
    _ = try self.folder.backup()
    // Files that are no JSON may lie there on purpose.
    guard [0, 1].contains(try run("import-crdt", self.folder.path).status) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    try disagree(values)
  }

  var path: String { folder.path }

  /// Where the page goes.
  var page: URL { folder.parent.appending(path: "page.html") }

  /// Has a device write each of some values, and none of them see the others.
  private func disagree(_ values: [String]) throws {
    let file = folder.file(Self.document)
    let original = try Data(contentsOf: file)
    let merged = try Document(original)
    for (index, value) in values.enumerated() {
      let copy = folder.parent.appending(path: "copy")
      try editAsApp(file, copiedTo: copy, by: "user\(index)") {
        try $0.set("comment", of: SmallFolder.firstID, to: value)
      }
      try merged.merge(other: try Document(try Data(contentsOf: copy)))
      try FileManager.default.removeItem(at: copy)
    }
    try merged.save().write(to: file, options: .atomic)
  }

  /// Makes a page and returns it with the run.
  func report(_ options: String...) throws -> (run: CommandRun, html: String) {
    let run = try CommandTests.run(
      BuiltCommands.directory.appending(path: "report-folder"),
      [path, "-o", page.path] + options, input: nil)
    // Without a page there is nothing to look at.
    return (run, (try? String(contentsOf: page, encoding: .utf8)) ?? "")
  }
}

/// The elements of a page, as far as tests look at them.
struct PageElements {
  /// What is wrong with how elements stand in each other.
  private(set) var defects: [String] = []
  /// The names of all elements.
  private(set) var names: Set<String> = []
  /// What the text says, markup left out.
  private(set) var text = ""

  /// Reads a page in which every element has an end, but for those that are void.
  init(_ html: String) {
    var open: [String] = []
    var rest = html[...]
    while let start = rest.firstIndex(of: "<") {
      text += rest[..<start]
      guard let end = rest[start...].firstIndex(of: ">") else {
        defects.append("a tag without an end")
        return
      }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("!") { continue }
      let name = String(tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber })
      names.insert(name)
      if tag.hasPrefix("/") {
        if open.last == name { open.removeLast() } else { defects.append("\(tag) ends \(open)") }
      } else if !["meta", "br"].contains(name) {
        open.append(name)
      }
    }
    text += rest
    if !open.isEmpty { defects.append("open at the end: \(open)") }
  }
}
