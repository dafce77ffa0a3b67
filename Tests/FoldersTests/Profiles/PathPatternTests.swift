import FileFaults
import Folders
import SafeFiles
import Testing

@Suite struct PathPatternTests {
  @Test(arguments: [
    ("a.json", "a.json", true), ("a.json", "A.json", false), ("a.json", "b/a.json", false),
    ("*.json", "a.json", true), ("*.json", "a/b.json", false), ("*.json", ".json", false),
    ("*.json", ".a.json", false), ("*", "x", true), ("*", "", false), ("a*", "a", true),
    ("a*b*c", "axxbyyc", true), ("a*b*c", "abcbc", true), ("a*b*c", "acb", false),
    ("*a*", "bab", true), ("notes/**/*.json", "notes/a.json", true),
    ("notes/**/*.json", "notes/x/y/a.json", true), ("notes/**/*.json", "notes/x/.y/a.json", false),
    ("notes/**/*.json", "notes.json", false), ("notes/**/*.json", "notes/x//a.json", false),
    ("**/a", "a", true), ("**/a", "b/c/a", true), ("**/a", "b/c/a/d", false),
    ("a/**/b/c", "a/b/c", true), ("a/**/b/c", "a/b/c/b/c", true), ("a/**/b/c", "a/c", false),
    ("ü/*", "ü/x", true), ("ü/*", "u\u{308}/x", false),
  ])
  func `a path matches or does not`(pattern: String, path: String, isMatch: Bool) throws {
    let match = try PathPattern(Array(pattern.utf8)).match(Array(path.utf8).span)
    #expect((match != nil) == isMatch)
  }

  @Test(arguments: [
    ("r/{year}/{month}/*.json", "r/2024/01/x.json", "2024-01"),
    ("r/{year}/{month}/*.json", "r/2024/13/x.json", nil),
    ("r/{year}/{month}/*.json", "r/2024/00/x.json", nil),
    ("r/{year}/{month}/*.json", "r/2024/1/x.json", nil),
    ("r/{year}/{month}/*.json", "r/٢024/01/x.json", nil),
    ("log {year}-{month}*.json", "log 0001-12-31.json", "0001-12"),
    ("*-{year}{month}.json", "2023-01-202402.json", "2024-02"),
    ("{month}*{year}", "12x2023", "2023-12"), ("{month}*{year}", "122023", "2023-12"),
    ("r/**/{year}/{month}/*", "r/2020/02/2021/03/x", "2021-03"),
    ("r/{year}/**/{month}.json", "r/2020/02/2021/03.json", "2020-03"),
    ("**/{year}-{month}*.json", "a/b/2024-05-06.json", "2024-05"),
  ])
  func `a month is read where it stands`(pattern: String, path: String, month: String?) throws {
    let match = try PathPattern(Array(pattern.utf8)).match(Array(path.utf8).span)
    #expect(match?.month?.description == month)
  }

  @Test(arguments: [
    ("", PathDefect.empty), ("/a", .absolute), ("a/", .emptyPart), ("a//b", .emptyPart),
    ("a/../b", .leavesFolder), ("..", .leavesFolder), (".", .leavesFolder), ("./a", .leavesFolder),
    ("a\0", .zeroByte), (".automerge-migrate.nosync/x", .ownState), ("a/.hidden", .hidden),
    (".*", .hidden), ("a**", .anyPartsInPart), ("***", .anyPartsInPart),
    ("**/a/**/b", .anyPartsTwice),
    ("a/**", .anyPartsLast), ("**", .anyPartsLast), ("{day}", .brace), ("a}", .brace),
    ("{", .brace),
    ("{year}", .captureAlone), ("{month}", .captureAlone), ("{year}/{year}/{month}", .captureTwice),
    ("*{year}*{month}", .captureBetweenRuns), ("*-{year}-{month}-*", .captureBetweenRuns),
    (String(repeating: "a", count: 513), .tooLong),
  ])
  func `what is no pattern says why`(text: String, defect: PathDefect) {
    #expect(throws: defect) { try PathPattern(Array(text.utf8)) }
  }

  /// All patterns of a small language against all paths of it: what two match is what they have in
  /// common.
  @Test func `two patterns overlap if and only if a path matches both`() throws {
    var generator = TestRandom(seed: 12)
    let pieces = ["a", "b", ".", "*", "a", "*"]
    func part() -> String {
      let count = Int.random(in: 1...3, using: &generator)
      return (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "a" }.joined()
    }
    var patterns: [PathPattern] = []
    while patterns.count < 120 {
      var parts = (0..<Int.random(in: 1...3, using: &generator)).map { _ in part() }
      if Bool.random(using: &generator) {
        parts.insert("**", at: Int.random(in: 0..<parts.count, using: &generator))
      }
      // Not every text is a pattern; those that are none are left out.
      if let pattern = try? PathPattern(Array(parts.joined(separator: "/").utf8)) {
        patterns.append(pattern)
      }
    }
    // Two names that match two such patterns need no more than six letters.
    let letters = ["a", "b", "."]
    var names = letters
    for _ in 1..<6 { names += names.suffix(729).flatMap { name in letters.map { name + $0 } } }
    names = Array(Set(names)).sorted()
    var namesOfPart: [String: Set<String>] = [:]
    func matching(_ part: String) -> Set<String> {
      if let known = namesOfPart[part] { return known }
      // What is a part of a pattern is one.
      let pattern = try? PathPattern(Array(part.utf8))
      let found = Set(names.filter { pattern?.match(Array($0.utf8).span) != nil })
      namesOfPart[part] = found
      return found
    }
    func isShared(_ left: PathPattern, _ right: PathPattern) -> Bool {
      let mine = left.description.split(separator: "/").map(String.init)
      let its = right.description.split(separator: "/").map(String.init)
      return Self.haveCommonPath(mine[...], its[...]) { one, other in
        !matching(one).isDisjoint(with: matching(other))
      }
    }
    for (index, left) in patterns.enumerated() {
      for right in patterns[..<min(index + 1, 25)] {
        let overlaps = left.overlaps(right)
        #expect(overlaps == isShared(left, right), "\(left) \(right)")
        #expect(right.overlaps(left) == overlaps, "\(left) \(right)")
      }
    }
  }

  /// By trying everything that `**` can stand for.
  private static func haveCommonPath(
    _ left: ArraySlice<String>, _ right: ArraySlice<String>, _ isShared: (String, String) -> Bool
  ) -> Bool {
    guard let mine = left.first, let its = right.first else {
      return (left + right).allSatisfy { $0 == "**" }
    }
    switch (mine, its) {
    case ("**", "**"):
      return haveCommonPath(left.dropFirst(), right, isShared)
        || haveCommonPath(left, right.dropFirst(), isShared)
    case ("**", _):
      return haveCommonPath(left.dropFirst(), right, isShared)
        || haveCommonPath(left, right.dropFirst(), isShared)
    case (_, "**"): return haveCommonPath(right, left) { isShared($1, $0) }
    default:
      return isShared(mine, its)
        && haveCommonPath(left.dropFirst(), right.dropFirst(), isShared)
    }
  }

  @Test(arguments: [
    ("r/{year}/{month}.x", "r/2024/01.x", true), ("r/{year}/{month}.x", "r/2024/13.x", false),
    ("r/{year}/{month}.x", "r/2024/00.x", false), ("r/{year}/{month}.x", "r/2024/1*.x", true),
    ("r/{year}/{month}.x", "r/2024/*3.x", true), ("r/{year}/{month}.x", "r/2024/2*.x", false),
    ("r/{year}/{month}.x", "r/*/13*.x", false), ("{year}{month}", "*0", true),
    ("{year}-{month}", "{month}-{year}", false), ("{year}{month}", "{month}{year}", true),
    ("**/*.json", "*.automerge", false), ("**/*", "x/y.automerge", true), ("*x", "**/y", false),
    ("*x", "**/y*", true),
  ])
  func `a month is one of twelve when patterns are compared`(
    left: String, right: String, overlaps: Bool
  ) throws {
    let (left, right) = try (PathPattern(Array(left.utf8)), PathPattern(Array(right.utf8)))
    #expect(left.overlaps(right) == overlaps)
    #expect(right.overlaps(left) == overlaps)
  }

  @Test func `patterns made to be slow are not`() throws {
    let many = String(repeating: "*a", count: 255) + "b"
    let pattern = try PathPattern(Array(many.utf8))
    let name = Array(repeating: UInt8(ascii: "a"), count: 4096)
    let clock = ContinuousClock()
    let time = clock.measure {
      #expect(pattern.match(name.span) == nil)
      #expect(pattern.overlaps(pattern))
    }
    #expect(time < .seconds(20))
  }

  @Test func `templates of documents are portable and take a month`() throws {
    let template = try PathTemplate(ofDocument: Array("records/{year}/{month}.automerge".utf8))
    let month = try #require(Month(year: 7, month: 3))
    #expect(template.path(in: month)?.description == "records/0007/03.automerge")
    #expect(template.path(in: nil) == nil)
    for (text, defect) in [
      ("notes/*.automerge", PathDefect.wildcard), ("notes.json", .documentExtension),
      ("a/.automerge", .hidden), (".automerge", .hidden), ("ö.automerge", .notPortable),
      ("a:b.automerge", .notPortable), (" a.automerge", .notPortable),
      ("a /b.automerge", .notPortable), ("a./b.automerge", .notPortable),
      ("../a.automerge", .leavesFolder),
    ] {
      #expect(throws: defect, "\(text)") { try PathTemplate(ofDocument: Array(text.utf8)) }
    }
    let (small, large) = try (
      PathTemplate(ofDocument: Array("notes.automerge".utf8)),
      PathTemplate(ofDocument: Array("Notes.AUTOMERGE.automerge".utf8))
    )
    #expect(!small.overlaps(large))
    #expect(
      small.overlaps(try PathTemplate(ofDocument: Array("NOTES.automerge".utf8))))
    #expect(try PathTemplate(ofDirectory: Array(".".utf8)).path(in: nil)?.isFolder == true)
  }
}
