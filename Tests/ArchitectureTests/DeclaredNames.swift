/// The names that the folders of a module declare: types, and what extensions add, to types of other
/// modules, too. A name that two folders declare tells nothing.
struct DeclaredNames {
  /// Of each name the position of its folder.
  private var types: [String: Int] = [:]
  private var members: [String: Int] = [:]

  /// Collects the names of files; `folders` is the order of the folders of their module.
  init(in files: [SourceFile], of folders: [String], folder: (SourceFile) -> String) {
    var typesOfFolder: [[String]] = Array(repeating: [], count: folders.count)
    for file in files {
      guard let layer = folders.firstIndex(of: folder(file)) else { continue }
      typesOfFolder[layer] += Self.types(of: file)
    }
    types = Self.distinct(typesOfFolder)
    var added: [[String]] = Array(repeating: [], count: folders.count)
    for file in files {
      guard let layer = folders.firstIndex(of: folder(file)) else { continue }
      added[layer] += Self.addedMembers(of: file)
    }
    // A member that any type has, too, may be meant by a use.
    members = Self.distinct(added).filter { !Self.ambiguousMembers.contains($0.key) }
  }

  var isEmpty: Bool { types.isEmpty }

  /// Returns where a file uses names of folders behind a position: line, name, and that folder.
  func uses(of file: SourceFile, behind layer: Int) -> [(line: Int, name: String, folder: Int)] {
    var found: [(line: Int, name: String, folder: Int)] = []
    for (index, line) in file.code.enumerated() {
      for word in Words(line) {
        let name = String(line[word.range])
        let used = word.isMember ? members[name] : types[name]
        // A case may have the name of a type.
        guard let used, used > layer, !word.isCase else { continue }
        found.append((index, word.isMember ? "." + name : name, used))
      }
    }
    return found
  }

  /// Members that types declare in their own bodies, and those of the standard library that ours are
  /// named like.
  private static let ambiguousMembers: Set<String> =
    Set(PackageTree.sources.flatMap(plainMembers)).union(["values", "description", "firstIndex"])

  private static func distinct(_ names: [[String]]) -> [String: Int] {
    var home: [String: Int] = [:]
    var ambiguous: Set<String> = []
    for (layer, names) in names.enumerated() {
      for name in names {
        if let other = home[name], other != layer { ambiguous.insert(name) }
        home[name] = layer
      }
    }
    return home.filter { !ambiguous.contains($0.key) }
  }

  /// Types at the top level only: a nested name belongs to its outer type.
  private static func types(of file: SourceFile) -> [String] {
    file.code.compactMap { line in
      guard let first = line.utf8.first, first != UInt8(ascii: " "), first != UInt8(ascii: "}")
      else { return nil }
      return line.firstMatch(
        of:
          /^(?:(?:public|package|internal|private|fileprivate|final|indirect|@\w+)\s+)*(?:struct|enum|class|actor|protocol|typealias)\s+(\w+)/
      ).map { String($0.1) }
    }
  }

  /// What the extensions of a file add that others see.
  private static func addedMembers(of file: SourceFile) -> [String] {
    var isExtension = false
    var names: [String] = []
    for line in file.code {
      if let first = line.first, first != " ", first != "}", first != "#" {
        isExtension = line.contains("extension ") && !line.contains("private")
      }
      guard isExtension, !line.contains("private ") else { continue }
      if let name = member(declaredIn: line) { names.append(name) }
    }
    return names
  }

  /// The members and cases that types declare in their own bodies.
  private static func plainMembers(of file: SourceFile) -> [String] {
    var isExtension = false
    var names: [String] = []
    for line in file.code {
      if let first = line.first, first != " ", first != "}", first != "#" {
        isExtension = line.contains("extension ")
      }
      guard !isExtension || line.contains(" case ") else { continue }
      if line.holds("case "), let match = line.firstMatch(of: /^ +(?:indirect )?case (.*)$/) {
        names += match.1.matches(of: /(?:^|, )(\w+)/).map { String($0.1) }
      } else if let name = member(declaredIn: line) {
        names.append(name)
      }
    }
    return names
  }

  private static func member(declaredIn line: String) -> String? {
    guard line.holds("func ") || line.holds("var ") || line.holds("let ") else { return nil }
    return line.firstMatch(
      of:
        /^ +(?:(?:public|package|static|mutating|nonisolated|consuming|borrowing|private\(set\)|@\w+)\s+)*(?:func|var|let)\s+(\w+)/
    ).map { String($0.1) }
  }
}

/// The names in a line of code.
private struct Words: Sequence, IteratorProtocol {
  struct Word {
    var range: Range<String.Index>
    /// Whether a dot stands before it.
    var isMember: Bool
    /// Whether `case` stands before it.
    var isCase: Bool
  }

  private let text: String.UTF8View
  private var position: String.Index
  private var previous: Range<String.Index>?

  init(_ line: String) {
    text = line.utf8
    position = text.startIndex
  }

  mutating func next() -> Word? {
    var isMember = false
    while position < text.endIndex, !Self.isNameByte(text[position]) {
      isMember = text[position] == UInt8(ascii: ".")
      position = text.index(after: position)
    }
    guard position < text.endIndex else { return nil }
    let start = position
    while position < text.endIndex, Self.isNameByte(text[position]) {
      position = text.index(after: position)
    }
    let range = start..<position
    defer { previous = range }
    return Word(
      range: range, isMember: isMember,
      isCase: previous.map { text[$0].elementsEqual("case".utf8) } ?? false)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
